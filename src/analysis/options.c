#include "analysis/options.h"

#include <inttypes.h>
#include <math.h>

enum { REPLICATES_MIN = 100, REPLICATES_MAX = 10000000 };

/* Beyond it the sign flips, of which there are 10^5, cannot reject anything. */
static const double signflip_confidence_max = 0.99999;

void analysis_options_adapt(struct model_analysis *options)
{
    if (!options->interval_asked && options->statistic.kind == MODEL_STATISTIC_NONE) {
        options->interval = MODEL_INTERVAL_ANYTIME;
        if (!options->estimator_asked) {
            options->estimator = MODEL_ESTIMATOR_MEDIAN;
        }
    }
}

enum stats_scheme analysis_options_scheme(const struct model_analysis *options)
{
    return options->block_scheme == MODEL_SCHEME_MOVING       ? STATS_SCHEME_MOVING
           : options->block_scheme == MODEL_SCHEME_STATIONARY ? STATS_SCHEME_STATIONARY
                                                              : STATS_SCHEME_CIRCULAR;
}

bool analysis_options_over_blocks(const struct model_analysis *options)
{
    switch (options->interval) {
    case MODEL_INTERVAL_T:
    case MODEL_INTERVAL_SIGNFLIP:
    case MODEL_INTERVAL_ANYTIME:
        return true;
    case MODEL_INTERVAL_PERCENTILE:
    case MODEL_INTERVAL_BASIC:
    case MODEL_INTERVAL_BCA:
    case MODEL_INTERVAL_STUDENTIZED:
        return options->resample != MODEL_RESAMPLE_RUNS;
    case MODEL_INTERVAL_BLOCK:
    case MODEL_INTERVAL_DIFFERENCE:
    case MODEL_INTERVAL_METHODS:
        break;
    }
    return false;
}

enum analysis_way analysis_options_way(const struct model_analysis *options,
                                       bool paired)
{
    if (options->statistic.kind != MODEL_STATISTIC_NONE) {
        return ANALYSIS_WAY_GROUPED;
    }
    if (options->interval == MODEL_INTERVAL_DIFFERENCE ||
        (!paired &&
         (!options->interval_asked || options->interval == MODEL_INTERVAL_T))) {
        return ANALYSIS_WAY_STANDARD;
    }
    return paired ? ANALYSIS_WAY_PAIRED : ANALYSIS_WAY_GROUPED;
}

void analysis_options_settle_estimator(struct model_analysis *options, bool paired)
{
    if (!options->estimator_asked &&
        analysis_options_way(options, paired) == ANALYSIS_WAY_PAIRED) {
        options->estimator = MODEL_ESTIMATOR_MEDIAN;
    }
}

static enum duet_code check_numbers(const struct model_analysis *options,
                                    struct duet_error *reterr)
{
    if (!(options->confidence > 0.0 && options->confidence < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the confidence must lie between 0 and 1, got %g",
                         options->confidence);
    }
    if (options->interval == MODEL_INTERVAL_SIGNFLIP &&
        options->confidence > signflip_confidence_max) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the sign-flip interval reaches a confidence of %g at "
                         "most, got %.9g",
                         signflip_confidence_max, options->confidence);
    }
    if (options->replicates < REPLICATES_MIN || options->replicates > REPLICATES_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the number of replicates must lie between %d and %d, got %" PRIu64,
            REPLICATES_MIN, REPLICATES_MAX, options->replicates);
    }
    if (!isnan(options->same_within) &&
        !(options->same_within > 0.0 && isfinite(options->same_within))) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a difference that counts as the same must be a positive fraction, got %g",
            options->same_within);
    }
    if (options->sample_runs == 1) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a sample of one run has no interval; use at least two");
    }
    if (!(options->block_length >= 0.0 && isfinite(options->block_length))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the length of a block must be a positive number, got %g",
                         options->block_length);
    }
    const struct model_statistic *statistic = &options->statistic;
    if (statistic->kind == MODEL_STATISTIC_QUANTILE &&
        !(statistic->probability > 0.0 && statistic->probability < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a quantile's probability must lie between 0 and 1, got %g",
                         statistic->probability);
    }
    return DUET_OK;
}

/* What a statistic of each side can have. */
static enum duet_code check_grouped(const struct model_analysis *options, bool paired,
                                    struct duet_error *reterr)
{
    enum model_statistic_kind kind = options->statistic.kind;
    const char *method = model_interval_method_name(options->interval);
    char name[MODEL_STATISTIC_NAME_MAX];
    model_statistic_name(&options->statistic, name);
    if (options->interval == MODEL_INTERVAL_T ||
        options->interval == MODEL_INTERVAL_SIGNFLIP ||
        options->interval == MODEL_INTERVAL_ANYTIME) {
        return kind == MODEL_STATISTIC_NONE
                   ? error_set(reterr, DUET_E_USAGE,
                               "the interval '%s' needs pairs, and the sides were "
                               "measured apart; use t, percentile, basic, bca, "
                               "studentized, block or difference",
                               method)
                   : error_set(
                         reterr, DUET_E_USAGE,
                         "the interval '%s' is for log ratios; for the statistic "
                         "'%s' use percentile, basic, bca, studentized (of means) "
                         "or block",
                         method, name);
    }
    if (options->interval == MODEL_INTERVAL_DIFFERENCE) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the interval 'difference' is for means; for the statistic '%s' use "
            "percentile, basic, bca or block",
            name);
    }
    bool of_means = kind == MODEL_STATISTIC_NONE || kind == MODEL_STATISTIC_MEAN ||
                    kind == MODEL_STATISTIC_GEOMEAN;
    if (options->interval == MODEL_INTERVAL_STUDENTIZED && (!of_means || paired)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the interval 'studentized' is for means of sides that were measured "
            "apart, or for pairs without a statistic; for the statistic '%s' use "
            "percentile, basic, bca or block",
            name);
    }
    if (options->estimator != MODEL_ESTIMATOR_GEOMEAN) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the estimator '%s' reduces each run, and the statistic '%s' uses all "
            "values of a side together; leave one of them out",
            model_estimator_name(options->estimator),
            kind == MODEL_STATISTIC_NONE ? "mean" : name);
    }
    return DUET_OK;
}

/* Student's t of a sample without runs is one of its mean. */
static enum duet_code check_standard(const struct model_analysis *options,
                                     struct duet_error *reterr)
{
    if (options->interval_asked && options->interval == MODEL_INTERVAL_T &&
        options->iterations_alone && options->estimator != MODEL_ESTIMATOR_GEOMEAN) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the interval 't' of values without runs is for their mean, not for "
            "--estimator %s; leave one of them out, or use --interval difference",
            model_estimator_name(options->estimator));
    }
    return DUET_OK;
}

static enum duet_code check_resample(const struct model_analysis *options,
                                     bool bootstrap_of_pairs, struct duet_error *reterr)
{
    if (options->resample == MODEL_RESAMPLE_RUNS) {
        return DUET_OK;
    }
    if (!bootstrap_of_pairs) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--resample works with the intervals percentile, basic, bca and "
            "studentized of pairs; leave it out, or use one of these");
    }
    if (options->interval == MODEL_INTERVAL_STUDENTIZED &&
        options->resample == MODEL_RESAMPLE_ASSIGNMENTS) {
        return error_set(reterr, DUET_E_USAGE,
                         "the studentized interval resamples runs or blocks; within "
                         "assignments use percentile, basic or bca");
    }
    return DUET_OK;
}

enum duet_code analysis_options_check(const struct model_analysis *options, bool paired,
                                      struct duet_error *reterr)
{
    enum analysis_way way = analysis_options_way(options, paired);
    enum duet_code code = check_numbers(options, reterr);
    /* Not a default of sides that were measured apart: they were not looked at. */
    if (code == DUET_OK && !paired && options->interval == MODEL_INTERVAL_ANYTIME) {
        code = check_grouped(options, paired, reterr);
    }
    if (code == DUET_OK && way == ANALYSIS_WAY_GROUPED) {
        struct model_analysis asked = *options;
        if (!options->interval_asked) {
            asked.interval = MODEL_INTERVAL_PERCENTILE;
        }
        code = check_grouped(&asked, paired, reterr);
    }
    if (code == DUET_OK && way == ANALYSIS_WAY_STANDARD) {
        code = check_standard(options, reterr);
    }
    bool bootstrap_of_pairs = way == ANALYSIS_WAY_PAIRED &&
                              options->interval != MODEL_INTERVAL_T &&
                              options->interval != MODEL_INTERVAL_SIGNFLIP &&
                              options->interval != MODEL_INTERVAL_ANYTIME &&
                              options->interval != MODEL_INTERVAL_BLOCK;
    if (code == DUET_OK) {
        code = check_resample(options, bootstrap_of_pairs, reterr);
    }
    return code;
}
