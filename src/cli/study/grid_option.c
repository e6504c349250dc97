/* The options of the studies that draw groups. */
#include "base/parse.h"
#include "cli/study/grid_study.h"

static enum duet_code take_sizes(struct grid_sizes *sizes, const char *value,
                                 const char *what, struct duet_error *reterr)
{
    char word[PARSE_WORD_BYTES];
    sizes->count = 0;
    for (const char *rest = value; parse_next_word(&rest, word);) {
        size_t size = 0;
        enum duet_code code = parse_size(word, what, 1, STUDY_SIDE_MAX, &size, reterr);
        if (code == DUET_OK && sizes->count == STUDY_SIZES_MAX) {
            code = error_set(reterr, DUET_E_USAGE, "%s: at most %d sizes", what,
                             STUDY_SIZES_MAX);
        }
        if (code != DUET_OK) {
            return code;
        }
        sizes->sizes[sizes->count++] = size;
    }
    return DUET_OK;
}

static enum duet_code take_slowdowns(struct study_detector *detector, const char *value,
                                     struct duet_error *reterr)
{
    char word[PARSE_WORD_BYTES];
    detector->slowdown_count = 1; /* the first is none */
    for (const char *rest = value; parse_next_word(&rest, word);) {
        double slowdown = 0;
        enum duet_code code = parse_change(word, "--slowdowns", &slowdown, reterr);
        size_t count = detector->slowdown_count;
        if (code == DUET_OK && (count == STUDY_SLOWDOWNS_MAX ||
                                !(slowdown > detector->slowdowns[count - 1]))) {
            code = error_set(
                reterr, DUET_E_USAGE,
                "--slowdowns %s: up to %d, above 0 and ascending, such as 1%%,5%%,10%%",
                value, STUDY_SLOWDOWNS_MAX - 1);
        }
        if (code != DUET_OK) {
            return code;
        }
        detector->slowdowns[detector->slowdown_count++] = slowdown;
    }
    return DUET_OK;
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
    FIELD_TEXT("--export-svg", AT, sharing.common.svg),
    STUDY_FIELDS(AT, question.plan, question.plan.detector.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
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
        return parse_word_set(value, "--sampling", study_sampling_names,
                              &request->wish.samplings, reterr);
    case GRID_OPTION_TESTS:
        return parse_word_set(value, "--tests", study_test_names,
                              &request->question.plan.tests, reterr);
    case GRID_OPTION_DELTA:
        return take_delta(request, value, reterr);
    case GRID_OPTION_UNCORRECTED:
        request->bonferroni = false;
        return DUET_OK;
    case GRID_OPTION_SLOWDOWNS:
        return take_slowdowns(&request->question.plan.detector, value, reterr);
    default:
        if (!study_share_take(&request->sharing, id, value, &code, reterr)) {
            (void)dataset_option_take(&request->data, id, value, &code, reterr);
        }
        return code;
    }
}
