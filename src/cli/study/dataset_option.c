#include "cli/study/dataset_option.h"

#include "base/parse.h"
#include "cli/options/foreign_option.h"

#include <string.h>

static enum duet_code take_outliers(struct dataset_options *options, const char *value,
                                    struct duet_error *reterr)
{
    if (strcmp(value, "none") == 0) {
        options->outliers = 0;
        return DUET_OK;
    }
    double multiple = 0;
    enum duet_code code = parse_number(value, "--outliers", &multiple, reterr);
    if (code == DUET_OK && !(multiple > 1)) {
        code = error_set(reterr, DUET_E_USAGE,
                         "--outliers %s: a number above 1, or 'none'", value);
    }
    if (code == DUET_OK) {
        options->outliers = multiple;
    }
    return code;
}

static enum duet_code take_first(struct dataset_options *options, const char *value,
                                 struct duet_error *reterr)
{
    static const char *const levels[] = {"instances=", "trials=", "iterations="};
    size_t *const limits[] = {&options->limits.instances, &options->limits.trials,
                              &options->limits.iterations};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        size_t length = strlen(levels[i]);
        if (strncmp(value, levels[i], length) == 0) {
            uint64_t limit = 0;
            enum duet_code code =
                parse_whole(value + length, "--first", 1, UINT32_MAX, &limit, reterr);
            *limits[i] = (size_t)limit;
            return code;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--first %s: write instances=N, trials=N or iterations=N", value);
}

static enum duet_code take_rank(struct dataset_options *options, const char *value,
                                struct duet_error *reterr)
{
    unsigned ranks = (1U << STUDY_RANKS) - 1U;
    enum duet_code code =
        strcmp(value, "all") == 0
            ? DUET_OK
            : parse_word_set(value, "--rank", study_rank_names, &ranks, reterr);
    options->ranks |= code == DUET_OK ? ranks : 0;
    return code;
}

static const struct foreign_words formats = {formats_dataset_kind_name,
                                             FORMATS_DATASET_CSV, FORMATS_DATASET_KINDS,
                                             "csv, json, go"};
static const struct foreign_words roles = {
    formats_dataset_role_name, FORMATS_DATASET_BENCHMARK, FORMATS_DATASET_ROLES,
    "benchmark, environment, instance, trial, value, old, new, count"};

bool dataset_option_take(struct dataset_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr)
{
    unsigned kind = options->kind;
    *ret_code = DUET_OK;
    switch (id) {
    case DATASET_OPTION_FORMAT:
        *ret_code = foreign_format_take(&formats, value, &kind, reterr);
        options->kind = (enum formats_dataset_kind)kind;
        return true;
    case DATASET_OPTION_MAP:
        *ret_code = foreign_map_take(&roles, value, options->columns,
                                     options->csv.columns, reterr);
        return true;
    case DATASET_OPTION_WHERE:
        *ret_code = formats_where_take(&options->csv.where, value, reterr);
        return true;
    case DATASET_OPTION_SEPARATOR:
        *ret_code = foreign_separator_take(value, &options->csv.separator, reterr);
        return true;
    case DATASET_OPTION_THROUGHPUT:
        options->csv.throughput = true;
        return true;
    case DATASET_OPTION_OUTLIERS:
        *ret_code = take_outliers(options, value, reterr);
        return true;
    case DATASET_OPTION_RANK:
        *ret_code = take_rank(options, value, reterr);
        return true;
    case SHARED_OPTION_STORE:
        options->store = value;
        return true;
    case DATASET_OPTION_FIRST:
        *ret_code = take_first(options, value, reterr);
        return true;
    default:
        return false;
    }
}
