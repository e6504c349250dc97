#include "analysis/standard.h"

#include "analysis/few.h"
#include "analysis/plan/detectable.h"
#include "analysis/random_uses.h"
#include "analysis/runs/location.h"
#include "base/alloc.h"
#include "stats/bootstrap/twolevel.h"
#include "stats/student.h"
#include "stats/welch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* One side's runs: their values, the mean of their locations, and the spread of what is
 * resampled as a whole: the locations, or, without runs, the single values. */
struct side {
    struct stats_run *runs;
    size_t count;
    double mean;
    struct stats_moments units;
};

static enum duet_code side_init(struct side *ret_side,
                                const struct analysis_used_runs *used,
                                enum model_side which, bool iterations_alone,
                                struct duet_error *reterr)
{
    struct stats_moments locations = {0};
    struct side side = {.runs = alloc_array(used->count, sizeof *side.runs)};
    if (side.runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", used->count);
    }
    for (size_t r = 0; r < used->count; r++) {
        const struct analysis_run_summary *summary = used->runs[r];
        if (summary->plain[which].count > 0) {
            side.runs[side.count++] = (struct stats_run){summary->plain[which].values,
                                                         summary->plain[which].count};
            stats_moments_add(&locations, summary->location[which]);
        }
    }
    if (side.count == 0) {
        free(side.runs);
        return error_set(reterr, DUET_E_TOO_FEW, "the %s side has no run",
                         model_side_name(which));
    }
    side.mean = locations.mean;
    side.units = locations;
    if (iterations_alone && side.count == 1) {
        side.units = stats_moments_of(side.runs[0].values, side.runs[0].count);
    }
    *ret_side = side;
    return DUET_OK;
}

static enum duet_code difference_interval(const struct model_analysis *options,
                                          const struct side *old_side,
                                          const struct side *new_side,
                                          struct stats_interval *ret_interval,
                                          struct duet_error *reterr)
{
    struct stats_resampling how = {.seed = options->seed,
                                   .stream = analysis_stream(ANALYSIS_USE_DIFFERENCE),
                                   .replicates = (size_t)options->replicates};
    double *replicates = alloc_array(how.replicates, sizeof *replicates);
    if (replicates == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu replicates",
                         how.replicates);
    }
    struct stats_runs from = {old_side->runs, old_side->count};
    struct stats_runs to = {new_side->runs, new_side->count};
    enum duet_code code = stats_twolevel_difference(
        &from, &to, analysis_location(options->estimator), &how, replicates, reterr);
    if (code == DUET_OK) {
        code = stats_interval_percentile(replicates, how.replicates,
                                         options->confidence, ret_interval, reterr);
    }
    free(replicates);
    return code;
}

static struct stats_welch_group group_of(const struct side *side)
{
    double sd = stats_moments_sd_sample(&side->units);
    return (struct stats_welch_group){
        .mean = side->mean, .variance = sd * sd, .count = side->units.count};
}

/* Two independent means: Welch's standard error and degrees of freedom. The p value
 * judges several comparisons together and has to hold with few values, as by_t()'s. */
static enum duet_code detectable(const struct model_analysis *options,
                                 const struct side *old_side,
                                 const struct side *new_side, double *ret_fraction,
                                 double *ret_p_value, struct duet_error *reterr)
{
    struct stats_welch_group old_group = group_of(old_side);
    struct stats_welch_group new_group = group_of(new_side);
    struct stats_welch_test test = stats_welch_test_of(&old_group, &new_group);
    struct stats_welch welch = {0};
    double difference = 0.0;
    enum duet_code code =
        stats_welch_ratio(&old_group, &new_group, options->confidence, &welch, reterr);
    if (code == DUET_OK && test.error > 0.0) {
        code = stats_t_detectable(test.error, test.degrees, options->confidence,
                                  ANALYSIS_POWER, &difference, reterr);
    }
    if (code == DUET_OK) {
        *ret_fraction = difference / old_side->mean;
        *ret_p_value = welch.p_value;
    }
    return code;
}

/* The interval that covers at every number of runs. */
static enum duet_code by_t(const struct model_analysis *options,
                           const struct side *old_side, const struct side *new_side,
                           double all_mean, struct analysis_standard *standard,
                           struct duet_error *reterr)
{
    struct stats_welch_group old_group = group_of(old_side);
    struct stats_welch_group new_group = group_of(new_side);
    struct stats_welch welch = {0};
    double t = 0.0;
    enum duet_code code =
        stats_welch_ratio(&old_group, &new_group, options->confidence, &welch, reterr);
    if (code == DUET_OK) {
        code = stats_t_quantile(0.5 + options->confidence / 2.0, welch.degrees, &t,
                                reterr);
    }
    if (code == DUET_OK && welch.error > 0.0) {
        double difference = 0.0;
        code = stats_t_detectable(welch.error, welch.degrees, options->confidence,
                                  ANALYSIS_POWER, &difference, reterr);
        standard->could_have_seen = difference / old_group.mean;
    }
    if (code == DUET_OK) {
        standard->low = welch.ratio.low;
        standard->high = welch.ratio.high;
        standard->p_value = welch.p_value;
        standard->width = 2.0 * t * welch.error / all_mean;
        standard->needed =
            stats_welch_needed(&old_group, &new_group, options->confidence);
    }
    return code;
}

/* The standard method's: a bootstrap of the difference of means. */
static enum duet_code by_bootstrap(const struct model_analysis *options,
                                   const struct side *old_side,
                                   const struct side *new_side, double all_mean,
                                   struct analysis_standard *standard,
                                   struct duet_error *reterr)
{
    struct stats_interval difference = {0};
    double old_mean = old_side->mean;
    enum duet_code code =
        difference_interval(options, old_side, new_side, &difference, reterr);
    if (code == DUET_OK) {
        code = detectable(options, old_side, new_side, &standard->could_have_seen,
                          &standard->p_value, reterr);
    }
    if (code == DUET_OK) {
        /* Times are positive: a ratio below 0 is the linear scale's doing. */
        standard->low = fmax(0.0, 1.0 + difference.low / old_mean);
        standard->high = 1.0 + difference.high / old_mean;
        standard->width = (difference.high - difference.low) / all_mean;
    }
    return code;
}

static double mean_of_all(const struct analysis_used_runs *used)
{
    struct stats_moments all = {0};
    for (size_t r = 0; r < used->count; r++) {
        stats_moments_merge(&all, &used->runs[r]->times[MODEL_OLD]);
        stats_moments_merge(&all, &used->runs[r]->times[MODEL_NEW]);
    }
    return all.mean;
}

enum duet_code analysis_standard_estimate(const struct model_analysis *options,
                                          const struct analysis_used_runs *used,
                                          struct analysis_standard *ret_standard,
                                          struct duet_error *ret_missing,
                                          struct duet_error *reterr)
{
    struct side old_side = {0};
    struct side new_side = {0};
    bool alone = options->iterations_alone;
    bool t = options->interval == MODEL_INTERVAL_T;
    struct analysis_standard standard = {.low = (double)NAN,
                                         .high = (double)NAN,
                                         .unit = alone ? MODEL_UNIT_ITERATIONS
                                                 : t   ? MODEL_UNIT_RUNS
                                                       : MODEL_UNIT_LEVELS,
                                         .width = (double)NAN,
                                         .p_value = (double)NAN,
                                         .could_have_seen = (double)NAN};
    enum duet_code code = side_init(&old_side, used, MODEL_OLD, alone, reterr);
    if (code == DUET_OK) {
        code = side_init(&new_side, used, MODEL_NEW, alone, reterr);
    }
    if (code != DUET_OK) {
        goto cleanup;
    }
    size_t old_count = (size_t)old_side.units.count;
    size_t new_count = (size_t)new_side.units.count;
    standard.ratio = new_side.mean / old_side.mean;
    standard.count = old_count < new_count ? old_count : new_count;
    if (!analysis_few_lacks(options, used, ret_missing)) {
        double all_mean = mean_of_all(used);
        code = t ? by_t(options, &old_side, &new_side, all_mean, &standard, reterr)
                 : by_bootstrap(options, &old_side, &new_side, all_mean, &standard,
                                reterr);
    }
    if (code == DUET_OK) {
        *ret_standard = standard;
    }
cleanup:
    free(old_side.runs);
    free(new_side.runs);
    return code;
}
