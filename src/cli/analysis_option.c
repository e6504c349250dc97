#include "cli/analysis_option.h"

#include "base/parse.h"
#include "base/text.h"
#include "cli/warmup_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 12 };

/* The words that an option knows, by the index that stands for them. */
struct vocabulary {
    const char *option;
    const char *words[WORDS_MAX];
};

static const struct vocabulary estimators = {"--estimator",
                                             {"geomean", "trimmed", "median"}};
static const struct vocabulary readings = {"--winsorize", {"factor", "range", "off"}};
static const struct vocabulary losses = {"--losses", {"remove", "keep"}};
static const struct vocabulary resamples = {"--resample",
                                            {"runs", "blocks", "assignments"}};
static const struct vocabulary tests = {"--test", {"none", "ranksum", "overlap"}};
static const struct vocabulary schemes = {"--block-scheme",
                                          {"circular", "moving", "stationary"}};

static enum duet_code unknown_word(const struct vocabulary *known, const char *value,
                                   struct duet_error *reterr)
{
    struct text list = {0};
    for (size_t i = 0; i < WORDS_MAX && known->words[i] != NULL; i++) {
        text_append_format(&list, "%s%s", i > 0 ? ", " : "", known->words[i]);
    }
    enum duet_code code = error_set(reterr, DUET_E_USAGE, "%s %s: it is one of %s",
                                    known->option, value, text_string(&list));
    text_release(&list);
    return code;
}

/* The index of `value` among the words. */
static enum duet_code parse_word(const struct vocabulary *known, const char *value,
                                 size_t *ret_index, struct duet_error *reterr)
{
    for (size_t i = 0; i < WORDS_MAX && known->words[i] != NULL; i++) {
        if (strcmp(known->words[i], value) == 0) {
            *ret_index = i;
            return DUET_OK;
        }
    }
    return unknown_word(known, value, reterr);
}

static enum duet_code take_interval(struct model_analysis *options, const char *value,
                                    struct duet_error *reterr)
{
    struct vocabulary known = {"--interval", {NULL}};
    size_t index = 0;
    for (int i = 0; i < MODEL_INTERVAL_METHODS; i++) {
        known.words[i] = model_interval_method_name((enum model_interval_method)i);
    }
    enum duet_code code = parse_word(&known, value, &index, reterr);
    if (code == DUET_OK) {
        options->interval = (enum model_interval_method)index;
        options->interval_asked = true;
    }
    return code;
}

static enum duet_code take_words(struct model_analysis *options, int id,
                                 const char *value, struct duet_error *reterr)
{
    const struct vocabulary *known = id == ANALYSIS_OPTION_ESTIMATOR   ? &estimators
                                     : id == ANALYSIS_OPTION_WINSORIZE ? &readings
                                     : id == ANALYSIS_OPTION_LOSSES    ? &losses
                                     : id == ANALYSIS_OPTION_RESAMPLE  ? &resamples
                                     : id == ANALYSIS_OPTION_TEST      ? &tests
                                                                       : &schemes;
    size_t index = 0;
    enum duet_code code = parse_word(known, value, &index, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (id == ANALYSIS_OPTION_ESTIMATOR) {
        options->estimator = (enum model_estimator)index;
        options->estimator_asked = true;
    } else if (id == ANALYSIS_OPTION_WINSORIZE) {
        options->winsorize = (enum model_winsorize)index;
        options->winsorize_asked = true;
    } else if (id == ANALYSIS_OPTION_LOSSES) {
        options->losses = (enum model_lost_treatment)index;
    } else if (id == ANALYSIS_OPTION_RESAMPLE) {
        options->resample = (enum model_resample)index;
    } else if (id == ANALYSIS_OPTION_TEST) {
        options->test = (enum model_test)index;
    } else {
        options->block_scheme = (enum model_scheme)index;
    }
    return DUET_OK;
}

enum duet_code analysis_option_fraction(const char *value, const char *option,
                                        double *ret_fraction, struct duet_error *reterr)
{
    if (strcmp(value, "none") == 0) {
        *ret_fraction = (double)NAN;
        return DUET_OK;
    }
    return parse_change(value, option, ret_fraction, reterr);
}

static enum duet_code take_confidence(struct model_analysis *options, const char *value,
                                      struct duet_error *reterr)
{
    double level = 0;
    enum duet_code code = parse_fraction(value, "--confidence", &level, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (level < 0.5 || level >= 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "--confidence %s: from 0.5 to below 1, such as 0.99 or 99%%",
                         value);
    }
    options->confidence = level;
    return DUET_OK;
}

static enum duet_code take_statistic(struct model_analysis *options, const char *value,
                                     struct duet_error *reterr)
{
    for (int kind = MODEL_STATISTIC_MEAN; kind < MODEL_STATISTICS; kind++) {
        struct model_statistic statistic = {(enum model_statistic_kind)kind, 0.0};
        char name[MODEL_STATISTIC_NAME_MAX];
        model_statistic_name(&statistic, name);
        if (kind != MODEL_STATISTIC_QUANTILE && strcmp(value, name) == 0) {
            options->statistic = statistic;
            return DUET_OK;
        }
    }
    if (strcmp(value, "none") == 0) {
        options->statistic = (struct model_statistic){MODEL_STATISTIC_NONE, 0.0};
        return DUET_OK;
    }
    char *end = NULL;
    bool digits = value[0] == 'p' && strspn(value + 1, "0123456789.") > 0;
    double percent = digits ? strtod(value + 1, &end) : 0.0;
    if (!digits || *end != '\0' || !(percent > 0.0 && percent < 100.0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--statistic %s: it is one of mean, geomean, median, trimmed, "
                         "cv, or a quantile between p0 and p100, such as p90 or p99.9",
                         value);
    }
    options->statistic =
        (struct model_statistic){MODEL_STATISTIC_QUANTILE, percent / 100.0};
    return DUET_OK;
}

static enum duet_code take_drop_outliers(struct model_cleaning *cleaning,
                                         const char *value, struct duet_error *reterr)
{
    bool magnitude = strcmp(value, "10x") == 0;
    if (!magnitude && strcmp(value, "none") != 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--drop-outliers %s: it is 10x (ten times the median or more) "
                         "or none",
                         value);
    }
    cleaning->drop_magnitude = magnitude;
    return DUET_OK;
}

static enum duet_code take_block_length(struct model_analysis *options,
                                        const char *value, struct duet_error *reterr)
{
    uint64_t length = 0;
    enum duet_code code =
        parse_whole(value, "--block-length", 1, UINT32_MAX, &length, reterr);
    options->block_length = code == DUET_OK ? (double)length : options->block_length;
    return code;
}

bool analysis_option_take(struct model_analysis *options, int id, const char *value,
                          enum duet_code *ret_code, struct duet_error *reterr)
{
    switch (id) {
    case ANALYSIS_OPTION_CONFIDENCE:
        *ret_code = take_confidence(options, value, reterr);
        return true;
    case ANALYSIS_OPTION_REPLICATES:
        *ret_code = parse_whole(value, "--replicates", 100, 100000000,
                                &options->replicates, reterr);
        return true;
    case ANALYSIS_OPTION_SAMPLE_RUNS:
        *ret_code = parse_whole(value, "--sample-runs", 1, INT64_MAX,
                                &options->sample_runs, reterr);
        return true;
    case ANALYSIS_OPTION_SAME_WITHIN:
        *ret_code = analysis_option_fraction(value, "--same-within",
                                             &options->same_within, reterr);
        options->same_within_asked = true;
        return true;
    case ANALYSIS_OPTION_STATISTIC:
        *ret_code = take_statistic(options, value, reterr);
        return true;
    case ANALYSIS_OPTION_INTERVAL:
        *ret_code = take_interval(options, value, reterr);
        return true;
    case ANALYSIS_OPTION_BLOCK_LENGTH:
        *ret_code = take_block_length(options, value, reterr);
        return true;
    case ANALYSIS_OPTION_DROP_WARMUP:
        *ret_code = warmup_rule_take(value, &options->cleaning, reterr);
        return true;
    case ANALYSIS_OPTION_DROP_OUTLIERS:
        *ret_code = take_drop_outliers(&options->cleaning, value, reterr);
        return true;
    case ANALYSIS_OPTION_ESTIMATOR:
    case ANALYSIS_OPTION_WINSORIZE:
    case ANALYSIS_OPTION_LOSSES:
    case ANALYSIS_OPTION_RESAMPLE:
    case ANALYSIS_OPTION_BLOCK_SCHEME:
    case ANALYSIS_OPTION_TEST:
        *ret_code = take_words(options, id, value, reterr);
        return true;
    default:
        return false;
    }
}
