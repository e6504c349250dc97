#include "cli/analysis_option.h"

#include "base/parse.h"

#include <string.h>

enum { WORDS = 3 }; /* that each of these options knows */

/* The index of `value` among the words. */
static enum duet_code parse_word(const char *value, const char *option,
                                 const char *const words[WORDS], size_t *ret_index,
                                 struct duet_error *reterr)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(words[i], value) == 0) {
            *ret_index = i;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "%s %s: it is one of %s, %s, %s", option,
                     value, words[0], words[1], words[2]);
}

static enum duet_code take_words(struct analysis_options *options, int id,
                                 const char *value, struct duet_error *reterr)
{
    static const char *const estimators[WORDS] = {"geomean", "trimmed", "median"};
    static const char *const intervals[WORDS] = {"percentile", "t", "signflip"};
    static const char *const readings[WORDS] = {"factor", "range", "off"};
    size_t index = 0;
    enum duet_code code = DUET_OK;
    if (id == ANALYSIS_OPTION_ESTIMATOR) {
        code = parse_word(value, "--estimator", estimators, &index, reterr);
        options->estimator =
            code == DUET_OK ? (enum model_estimator)index : options->estimator;
    } else if (id == ANALYSIS_OPTION_INTERVAL) {
        code = parse_word(value, "--interval", intervals, &index, reterr);
        options->interval =
            code == DUET_OK ? (enum model_interval_method)index : options->interval;
    } else {
        code = parse_word(value, "--winsorize", readings, &index, reterr);
        options->winsorize =
            code == DUET_OK ? (enum analysis_winsorize)index : options->winsorize;
    }
    return code;
}

static enum duet_code take_confidence(struct analysis_options *options,
                                      const char *value, struct duet_error *reterr)
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

bool analysis_option_take(struct analysis_options *options, int id, const char *value,
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
        *ret_code =
            parse_fraction(value, "--same-within", &options->same_within, reterr);
        return true;
    case ANALYSIS_OPTION_ESTIMATOR:
    case ANALYSIS_OPTION_INTERVAL:
    case ANALYSIS_OPTION_WINSORIZE:
        *ret_code = take_words(options, id, value, reterr);
        return true;
    default:
        return false;
    }
}
