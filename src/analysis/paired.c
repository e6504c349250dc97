#include "analysis/paired.h"

#include "analysis/paired_interval.h"
#include "analysis/plan/detectable.h"
#include "analysis/random_uses.h"
#include "analysis/runs/location.h"
#include "base/alloc.h"
#include "stats/bootstrap/coverage.h"
#include "stats/bootstrap/shuffled.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

enum { SHUFFLES = 100 };

static struct stats_resampling resampling(const struct model_analysis *options,
                                          enum analysis_use use)
{
    return (struct stats_resampling){.seed = options->seed,
                                     .stream = analysis_stream(use),
                                     .replicates = (size_t)options->replicates};
}

/* The ratio of an end's logarithm; NaN: not bounded. */
static double end_ratio(double log_end)
{
    return isinf(log_end) ? (double)NAN : exp(log_end);
}

enum duet_code analysis_paired_estimate(const struct model_analysis *options,
                                        const struct analysis_used_runs *used,
                                        double *ret_ratio,
                                        struct model_interval *ret_interval,
                                        struct duet_error *ret_missing,
                                        struct duet_error *reterr)
{
    struct analysis_series series = analysis_paired_series(options, used);
    struct analysis_log_interval interval = {0};
    double log_ratio = 0.0;
    enum duet_code code =
        analysis_paired_interval(options, used, &interval, ret_missing, reterr);
    if (code == DUET_OK && isnan(interval.center)) {
        code = stats_mean(series.logs, series.count, &log_ratio, reterr);
    } else if (code == DUET_OK) {
        log_ratio = interval.center;
    }
    if (code == DUET_OK) {
        *ret_ratio = exp(log_ratio);
        *ret_interval = (struct model_interval){.low = end_ratio(interval.ends.low),
                                                .high = end_ratio(interval.ends.high),
                                                .confidence = options->confidence,
                                                .method = options->interval,
                                                .unit = interval.unit,
                                                .block_length = interval.block_length};
    }
    return code;
}

/* By how much t standard errors fall short of half of what the interval's ends are
 * apart, where these are of several readings, by each of which a change must show. */
static enum duet_code beyond_readings(const struct model_interval *interval,
                                      double error, double degrees, double *ret_beyond,
                                      struct duet_error *reterr)
{
    double half = (log(interval->high) - log(interval->low)) / 2.0;
    double t = 0.0;
    enum duet_code code =
        stats_t_quantile(0.5 + interval->confidence / 2.0, degrees, &t, reterr);
    double beyond = half - t * error;
    *ret_beyond = beyond < 0.0 ? 0.0 : beyond; /* NaN: an end is open */
    return code;
}

/* The power of the t interval over the blocks, or over the runs where the interval is
 * over runs and there are not enough blocks; of the interval itself where runs depend.
 * Without an interval nothing could have been seen, whatever the spread. */
static enum duet_code detectable(const struct model_analysis *options,
                                 const struct analysis_used_runs *used,
                                 const struct model_interval *interval,
                                 enum model_losses losses, double *ret_fraction,
                                 struct duet_error *reterr)
{
    if (options->interval == MODEL_INTERVAL_BLOCK ||
        options->interval == MODEL_INTERVAL_ANYTIME) {
        double width = log(interval->high) - log(interval->low);
        *ret_fraction =
            isfinite(width)
                ? expm1(analysis_detectable_of_width(width, options->confidence))
                : (double)NAN;
        return DUET_OK;
    }
    bool runs = !analysis_options_over_blocks(options) && used->block_count < 2;
    const double *logs = runs ? used->run_logs : used->block_logs;
    size_t count = runs ? used->count : used->block_count;
    bool open = isnan(interval->low) && isnan(interval->high);
    if (count < 2 || open) {
        *ret_fraction = (double)NAN;
        return DUET_OK;
    }
    double sd = 0.0;
    double difference = 0.0;
    double beyond = 0.0;
    double degrees = (double)(count - 1);
    enum duet_code code = stats_sd_sample(logs, count, &sd, reterr);
    double error = sd / sqrt((double)count);
    if (code == DUET_OK) {
        code = stats_t_detectable(error, degrees, options->confidence, ANALYSIS_POWER,
                                  &difference, reterr);
    }
    if (code == DUET_OK && losses == MODEL_LOSSES_BOUNDED) {
        code = beyond_readings(interval, error, degrees, &beyond, reterr);
    }
    if (code == DUET_OK) {
        *ret_fraction = expm1(difference + beyond);
    }
    return code;
}

static enum duet_code percentile_width(const struct model_analysis *options,
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
static void shuffled_runs(const struct analysis_used_runs *used, enum model_side side,
                          enum stats_location location, struct stats_run *ret_runs)
{
    for (size_t r = 0; r < used->count; r++) {
        const struct analysis_run_summary *summary = used->runs[r];
        bool freed = used->reading == ANALYSIS_WITHOUT_TAKEN &&
                     summary->freed[MODEL_OLD].count > 0;
        if (location == STATS_LOCATION_MEAN) {
            const double *mean = freed ? summary->freed_mean : summary->log_mean;
            ret_runs[r] = (struct stats_run){&mean[side], 1};
        } else {
            const struct analysis_values *logs = freed ? summary->freed : summary->logs;
            ret_runs[r] = (struct stats_run){logs[side].values, logs[side].count};
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

static enum duet_code shuffled_width(const struct model_analysis *options,
                                     const struct analysis_used_runs *used,
                                     double *ret_width, struct duet_error *reterr)
{
    size_t count = used->count;
    if (count < 2) {
        *ret_width = (double)NAN;
        return DUET_OK;
    }
    struct stats_run *runs = alloc_array(count, MODEL_SIDES * sizeof *runs);
    if (runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", count);
    }
    enum stats_location location = analysis_location(options->estimator);
    shuffled_runs(used, MODEL_OLD, location, runs);
    shuffled_runs(used, MODEL_NEW, location, runs + count);
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

/* On normal data. NaN where exact or not measured. */
static double measured_coverage(const struct model_analysis *options,
                                const struct analysis_used_runs *used)
{
    static const enum stats_coverage_of measured[MODEL_INTERVAL_METHODS] = {
        [MODEL_INTERVAL_PERCENTILE] = STATS_COVERAGE_PERCENTILE,
        [MODEL_INTERVAL_BASIC] = STATS_COVERAGE_BASIC,
        [MODEL_INTERVAL_BCA] = STATS_COVERAGE_BCA,
        [MODEL_INTERVAL_STUDENTIZED] = STATS_COVERAGE_STUDENTIZED,
        [MODEL_INTERVAL_BLOCK] = STATS_COVERAGE_BLOCK};
    struct analysis_series series = analysis_paired_series(options, used);
    bool own_length =
        options->block_length > 0.0 || options->block_scheme != MODEL_SCHEME_CIRCULAR;
    if (series.unit == MODEL_UNIT_ASSIGNMENTS ||
        (options->interval == MODEL_INTERVAL_BLOCK && own_length)) {
        return (double)NAN;
    }
    return stats_coverage_measured(measured[options->interval], series.count,
                                   options->confidence);
}

enum duet_code analysis_paired_describe(const struct model_analysis *options,
                                        const struct analysis_used_runs *used,
                                        struct model_comparison *ret_comparison,
                                        struct duet_error *reterr)
{
    double could_have_seen = 0.0;
    double paired = 0.0;
    double stratified = 0.0;
    double shuffled = 0.0;
    enum duet_code code = detectable(options, used, &ret_comparison->interval,
                                     ret_comparison->losses, &could_have_seen, reterr);
    if (code == DUET_OK) {
        code = percentile_width(options, used->run_logs, used->count, ANALYSIS_USE_RUNS,
                                &paired, reterr);
    }
    if (code == DUET_OK) {
        code = percentile_width(options, used->block_logs, used->block_count,
                                ANALYSIS_USE_BLOCKS, &stratified, reterr);
    }
    if (code == DUET_OK) {
        code = shuffled_width(options, used, &shuffled, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    ret_comparison->could_have_seen = could_have_seen;
    ret_comparison->paired_width = paired;
    ret_comparison->stratified_width = stratified;
    ret_comparison->shuffled_width = shuffled;
    ret_comparison->measured_coverage = measured_coverage(options, used);
    return DUET_OK;
}
