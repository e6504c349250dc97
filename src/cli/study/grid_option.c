/* The options of the studies that draw groups. */
#include "base/parse.h"
#include "cli/study/grid_study.h"

#include <string.h>

/* The words of a comma-separated list, one after the other. */
static bool next_word(const char **at, const char **ret_word, size_t *ret_length)
{
    if (**at == '\0') {
        return false;
    }
    *ret_word = *at;
    *ret_length = strcspn(*at, ",");
    *at += *ret_length;
    *at += **at == ',' ? 1 : 0;
    return true;
}

static enum duet_code copy_word(const char *word, size_t length, const char *what,
                                char ret_copy[32], struct duet_error *reterr)
{
    if (length == 0 || length >= 32) {
        return error_set(reterr, DUET_E_USAGE, "%s: '%.*s' is not a number", what,
                         (int)(length < 32 ? length : 32), word);
    }
    memcpy(ret_copy, word, length);
    ret_copy[length] = '\0';
    return DUET_OK;
}

static enum duet_code take_sizes(struct grid_sizes *sizes, const char *value,
                                 const char *what, struct duet_error *reterr)
{
    const char *word = NULL;
    size_t length = 0;
    sizes->count = 0;
    for (const char *at = value; next_word(&at, &word, &length);) {
        char copy[32];
        uint64_t size = 0;
        enum duet_code code = copy_word(word, length, what, copy, reterr);
        if (code == DUET_OK) {
            code = parse_whole(copy, what, 1, STUDY_SIDE_MAX, &size, reterr);
        }
        if (code == DUET_OK && sizes->count == STUDY_SIZES_MAX) {
            code = error_set(reterr, DUET_E_USAGE, "%s: at most %d sizes", what,
                             STUDY_SIZES_MAX);
        }
        if (code != DUET_OK) {
            return code;
        }
        sizes->sizes[sizes->count++] = (size_t)size;
    }
    return sizes->count > 0 ? DUET_OK
                            : error_set(reterr, DUET_E_USAGE,
                                        "%s: expected at least one size", what);
}

static enum duet_code take_slowdowns(struct study_detector *detector, const char *value,
                                     struct duet_error *reterr)
{
    const char *word = NULL;
    size_t length = 0;
    detector->slowdown_count = 1; /* the first is none */
    for (const char *at = value; next_word(&at, &word, &length);) {
        char copy[32];
        double slowdown = 0;
        enum duet_code code = copy_word(word, length, "--slowdowns", copy, reterr);
        if (code == DUET_OK) {
            code = parse_change(copy, "--slowdowns", &slowdown, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
        size_t count = detector->slowdown_count;
        if (count == STUDY_SLOWDOWNS_MAX ||
            !(slowdown > detector->slowdowns[count - 1])) {
            return error_set(
                reterr, DUET_E_USAGE,
                "--slowdowns %s: up to %d, above 0 and ascending, such as 1%%,5%%,10%%",
                value, STUDY_SLOWDOWNS_MAX - 1);
        }
        detector->slowdowns[detector->slowdown_count++] = slowdown;
    }
    return DUET_OK;
}

static const char *sampling_name(int which)
{
    return study_sampling_name((enum study_sampling)which);
}

static const char *test_name(int which)
{
    return study_test_name((enum study_test)which);
}

/* Names of things that are numbered from 0 to things - 1. */
static enum duet_code take_names(unsigned *set, int things,
                                 const char *(*name_of)(int which), const char *value,
                                 const char *what, struct duet_error *reterr)
{
    const char *word = NULL;
    size_t length = 0;
    *set = 0;
    for (const char *at = value; next_word(&at, &word, &length);) {
        int which = 0;
        while (which < things && (strlen(name_of(which)) != length ||
                                  strncmp(name_of(which), word, length) != 0)) {
            which++;
        }
        if (which == things) {
            return error_set(reterr, DUET_E_USAGE, "%s %s: there is %s, %s, %s", what,
                             value, name_of(0), name_of(1), name_of(2));
        }
        *set |= 1U << (unsigned)which;
    }
    return *set != 0 ? DUET_OK
                     : error_set(reterr, DUET_E_USAGE, "%s: none is given", what);
}

static enum duet_code take_delta(struct grid_request *request, const char *value,
                                 struct duet_error *reterr)
{
    double delta = 0;
    enum duet_code code = parse_number(value, "--delta", &delta, reterr);
    if (code == DUET_OK && !(delta >= 0 && delta <= 1)) {
        code = error_set(reterr, DUET_E_USAGE, "--delta %s: from 0 to 1", value);
    }
    if (code == DUET_OK) {
        request->question.plan.detector.delta_least = delta;
    }
    return code;
}

static void take_paper(struct grid_request *request)
{
    request->question.plan.draws = 100;
    request->question.plan.detector.replicates = 100;
    request->question.plan.tests =
        1U << STUDY_TEST_RANKSUM | 1U << STUDY_TEST_INTERVALS;
    request->wish.samplings =
        1U << STUDY_SAMPLING_INSTANCES | 1U << STUDY_SAMPLING_TRIALS;
}

#define AT struct grid_request
const struct field grid_fields[] = {
    FIELD_SIZE("--draws", AT, question.plan.draws, 1, 65535),
    FIELD_SIZE("--replicates", AT, question.plan.detector.replicates, 20, 1000000),
    FIELD_DOUBLE("--false-most", FIELD_IS_FRACTION, AT, question.plan.false_most),
    FIELD_DOUBLE("--found", FIELD_IS_FRACTION, AT, question.found_least),
    FIELD_FLAG("--details", AT, question.details),
    FIELD_TEXT("--resume", AT, resume),
    FIELD_TEXT("--export-svg", AT, svg),
    STUDY_FIELDS(AT, question.plan, question.plan.detector.confidence, common),
    FIELD_END};
#undef AT

enum duet_code grid_option_take(void *context, struct cli_options *parsed, int id,
                                struct duet_error *reterr)
{
    struct grid_request *request = context;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case GRID_OPTION_PAPER:
        take_paper(request);
        return DUET_OK;
    case GRID_OPTION_INSTANCES:
        return take_sizes(&request->wish.instances, value, "--instances", reterr);
    case GRID_OPTION_TRIALS:
        return take_sizes(&request->wish.trials, value, "--trials", reterr);
    case GRID_OPTION_SAMPLING:
        return take_names(&request->wish.samplings, STUDY_SAMPLINGS, sampling_name,
                          value, "--sampling", reterr);
    case GRID_OPTION_TESTS:
        return take_names(&request->question.plan.tests, STUDY_TESTS, test_name, value,
                          "--tests", reterr);
    case GRID_OPTION_DELTA:
        return take_delta(request, value, reterr);
    case GRID_OPTION_UNCORRECTED:
        request->bonferroni = false;
        return DUET_OK;
    case GRID_OPTION_SLOWDOWNS:
        return take_slowdowns(&request->question.plan.detector, value, reterr);
    default:
        (void)dataset_option_take(&request->data, id, value, &code, reterr);
        return code;
    }
}
