#include "analysis/paired.h"

#include "analysis/location.h"
#include "analysis/random_uses.h"
#include "base/alloc.h"
#include "stats/coverage.h"
#include "stats/shuffled.h"
#include "stats/signflip.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

enum { SHUFFLES = 100 };

static const double power = 0.9;

bool analysis_paired_is_over_blocks(enum model_interval_method method)
{
    return method == MODEL_INTERVAL_T || method == MODEL_INTERVAL_SIGNFLIP;
}

static struct stats_resampling resampling(const struct analysis_options *options,
                                          enum analysis_use use)
{
    return (struct stats_resampling){.seed = options->seed,
                                     .stream = analysis_stream(use),
                                     .replicates = (size_t)options->replicates};
}

/* The interval of the mean log ratio; untouched when there is too little data. */
static enum duet_code log_interval(const struct analysis_options *options,
                                   const struct analysis_selection *selection,
                                   struct stats_interval *interval,
                                   struct duet_error *reterr)
{
    size_t blocks = selection->block_count;
    double level = options->confidence;
    if (options->interval == MODEL_INTERVAL_T && blocks >= 2) {
        return stats_t_interval(selection->block_logs, blocks, level, interval, reterr);
    }
    if (options->interval == MODEL_INTERVAL_SIGNFLIP &&
        blocks >= stats_signflip_fewest(level)) {
        return stats_signflip_interval(
            selection->block_logs, blocks, level, options->seed,
            analysis_stream(ANALYSIS_USE_FLIPS), interval, reterr);
    }
    if (options->interval == MODEL_INTERVAL_PERCENTILE && selection->count >= 2) {
        struct stats_resampling how = resampling(options, ANALYSIS_USE_RUNS);
        return stats_bootstrap_percentile(selection->run_logs, selection->count, level,
                                          &how, interval, reterr);
    }
    return DUET_OK;
}

enum duet_code analysis_paired_estimate(const struct analysis_options *options,
                                        const struct analysis_selection *selection,
                                        double *ret_ratio,
                                        struct model_interval *ret_interval,
                                        struct duet_error *reterr)
{
    bool over_blocks =
        analysis_paired_is_over_blocks(options->interval) && selection->block_count > 0;
    double log_ratio = 0.0;
    enum duet_code code = stats_mean(
        over_blocks ? selection->block_logs : selection->run_logs,
        over_blocks ? selection->block_count : selection->count, &log_ratio, reterr);
    struct stats_interval interval = {(double)NAN, (double)NAN};
    if (code == DUET_OK) {
        code = log_interval(options, selection, &interval, reterr);
    }
    if (code == DUET_OK) {
        *ret_ratio = exp(log_ratio);
        *ret_interval = (struct model_interval){exp(interval.low), exp(interval.high),
                                                options->confidence, options->interval};
    }
    return code;
}

/* The power of the t interval over the blocks, or over the runs where the interval is
 * over runs and there are not enough blocks. */
static enum duet_code detectable(const struct analysis_options *options,
                                 const struct analysis_selection *selection,
                                 double *ret_fraction, struct duet_error *reterr)
{
    bool runs =
        options->interval == MODEL_INTERVAL_PERCENTILE && selection->block_count < 2;
    const double *logs = runs ? selection->run_logs : selection->block_logs;
    size_t count = runs ? selection->count : selection->block_count;
    if (count < 2) {
        *ret_fraction = (double)NAN;
        return DUET_OK;
    }
    double sd = 0.0;
    double difference = 0.0;
    enum duet_code code = stats_sd_sample(logs, count, &sd, reterr);
    if (code == DUET_OK) {
        code = stats_t_detectable(sd / sqrt((double)count), (double)(count - 1),
                                  options->confidence, power, &difference, reterr);
    }
    if (code == DUET_OK) {
        *ret_fraction = expm1(difference);
    }
    return code;
}

static enum duet_code percentile_width(const struct analysis_options *options,
                                       const double *logs, size_t count,
                                       enum analysis_use use, double *ret_width,
                                       struct duet_error *reterr)
{
    if (count < 2) {
        *ret_width = (double)NAN;
        return DUET_OK;
    }
    struct stats_resampling how = resampling(options, use);
    struct stats_interval interval = {0};
    enum duet_code code = stats_bootstrap_percentile(logs, count, options->confidence,
                                                     &how, &interval, reterr);
    if (code == DUET_OK) {
        *ret_width = exp(interval.high) - exp(interval.low);
    }
    return code;
}

/* One side of every run as the shuffle wants it; for the mean, one value a run. */
static void shuffled_runs(const struct analysis_selection *selection,
                          enum model_side side, enum stats_location location,
                          struct stats_run *ret_runs)
{
    for (size_t r = 0; r < selection->count; r++) {
        const struct analysis_digest *digest = selection->runs[r];
        if (location == STATS_LOCATION_MEAN) {
            ret_runs[r] = (struct stats_run){&digest->log_mean[side], 1};
        } else {
            ret_runs[r] =
                (struct stats_run){digest->logs[side].values, digest->logs[side].count};
        }
    }
}

/* The median of many widths needs less exact ones than a single width does: with many
 * runs the number of replicates is bounded, so that the control stays a fraction of a
 * second. Up to 30 runs all 10,000 are drawn. */
static size_t shuffle_replicates(size_t wanted, size_t runs)
{
    enum { SUMMANDS_AT_MOST = 30 * 1000 * 1000, REPLICATES_AT_LEAST = 1000 };
    size_t affordable = SUMMANDS_AT_MOST / (SHUFFLES * runs);
    size_t bound = affordable > REPLICATES_AT_LEAST ? affordable : REPLICATES_AT_LEAST;
    return wanted < bound ? wanted : bound;
}

static enum duet_code shuffled_width(const struct analysis_options *options,
                                     const struct analysis_selection *selection,
                                     double *ret_width, struct duet_error *reterr)
{
    size_t count = selection->count;
    if (count < 2) {
        *ret_width = (double)NAN;
        return DUET_OK;
    }
    struct stats_run *runs = alloc_array(count, MODEL_SIDES * sizeof *runs);
    if (runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", count);
    }
    enum stats_location location = analysis_location(options->estimator);
    shuffled_runs(selection, MODEL_OLD, location, runs);
    shuffled_runs(selection, MODEL_NEW, location, runs + count);
    struct stats_runs old_side = {runs, count};
    struct stats_runs new_side = {runs + count, count};
    struct stats_resampling how = resampling(options, ANALYSIS_USE_SHUFFLES);
    how.replicates = shuffle_replicates(how.replicates, count);
    enum duet_code code =
        stats_shuffled_width(&old_side, &new_side, location, SHUFFLES,
                             options->confidence, &how, ret_width, reterr);
    free(runs);
    return code;
}

enum duet_code analysis_paired_describe(const struct analysis_options *options,
                                        const struct analysis_selection *selection,
                                        struct model_comparison *ret_comparison,
                                        struct duet_error *reterr)
{
    double could_have_seen = 0.0;
    double paired = 0.0;
    double stratified = 0.0;
    double shuffled = 0.0;
    enum duet_code code = detectable(options, selection, &could_have_seen, reterr);
    if (code == DUET_OK) {
        code = percentile_width(options, selection->run_logs, selection->count,
                                ANALYSIS_USE_RUNS, &paired, reterr);
    }
    if (code == DUET_OK) {
        code = percentile_width(options, selection->block_logs, selection->block_count,
                                ANALYSIS_USE_BLOCKS, &stratified, reterr);
    }
    if (code == DUET_OK) {
        code = shuffled_width(options, selection, &shuffled, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    ret_comparison->could_have_seen = could_have_seen;
    ret_comparison->paired_width = paired;
    ret_comparison->stratified_width = stratified;
    ret_comparison->shuffled_width = shuffled;
    ret_comparison->measured_coverage =
        options->interval == MODEL_INTERVAL_PERCENTILE
            ? stats_coverage_percentile(selection->count, options->confidence)
            : (double)NAN;
    return DUET_OK;
}
