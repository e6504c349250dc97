#include "analysis/paired_interval.h"

#include "analysis/anytime.h"
#include "analysis/random_uses.h"
#include "stats/bootstrap/blocklength.h"
#include "stats/moments.h"
#include "stats/rank/signflip.h"
#include "stats/student.h"

#include <math.h>

struct analysis_series analysis_paired_series(const struct model_analysis *options,
                                              const struct analysis_used_runs *used)
{
    bool over_blocks = analysis_options_over_blocks(options) && used->block_count > 0;
    bool of_runs = options->interval != MODEL_INTERVAL_T &&
                   options->interval != MODEL_INTERVAL_SIGNFLIP &&
                   options->interval != MODEL_INTERVAL_ANYTIME;
    if (over_blocks && of_runs && options->resample == MODEL_RESAMPLE_ASSIGNMENTS) {
        return (struct analysis_series){used->assignment_logs, 2 * used->block_count,
                                        MODEL_UNIT_ASSIGNMENTS};
    }
    if (over_blocks) {
        return (struct analysis_series){used->block_logs, used->block_count,
                                        MODEL_UNIT_BLOCKS};
    }
    return (struct analysis_series){used->run_logs, used->count, MODEL_UNIT_RUNS};
}

enum model_unit analysis_block_unit(enum model_scheme scheme)
{
    return scheme == MODEL_SCHEME_MOVING       ? MODEL_UNIT_MOVING
           : scheme == MODEL_SCHEME_STATIONARY ? MODEL_UNIT_STATIONARY
                                               : MODEL_UNIT_CIRCULAR;
}

enum stats_method analysis_stats_method(enum model_interval_method method)
{
    return method == MODEL_INTERVAL_BASIC         ? STATS_METHOD_BASIC
           : method == MODEL_INTERVAL_BCA         ? STATS_METHOD_BCA
           : method == MODEL_INTERVAL_STUDENTIZED ? STATS_METHOD_STUDENTIZED
                                                  : STATS_METHOD_PERCENTILE;
}

enum duet_code analysis_interval_missing(enum duet_code code,
                                         const struct duet_error *error,
                                         struct duet_error *ret_missing,
                                         struct duet_error *reterr)
{
    if (code == DUET_E_TOO_FEW || code == DUET_E_DOMAIN) {
        *ret_missing = *error;
        return DUET_OK;
    }
    return code == DUET_OK ? code : error_set(reterr, code, "%s", error->message);
}

enum duet_code analysis_block_length(const struct model_analysis *options,
                                     const double *values, size_t count,
                                     double *ret_length, struct duet_error *reterr)
{
    if (options->block_length > 0.0) {
        *ret_length = fmin(options->block_length, (double)count);
        return DUET_OK;
    }
    if (count < STATS_BLOCK_LENGTH_VALUES_MIN) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "an automatic block length needs at least %d values, got %zu; measure "
            "more, or give --block-length",
            STATS_BLOCK_LENGTH_VALUES_MIN, count);
    }
    struct stats_block_lengths lengths = {0};
    enum duet_code code = stats_block_lengths_estimate(values, count, &lengths, reterr);
    if (code == DUET_OK) {
        *ret_length = options->block_scheme == MODEL_SCHEME_STATIONARY
                          ? fmax(1.0, lengths.stationary)
                          : fmax(1.0, round(lengths.circular));
    }
    return code;
}

/* The bootstraps. The unit of the series is set. */
static enum duet_code bootstrap(const struct model_analysis *options,
                                const struct analysis_series *series,
                                struct analysis_log_interval *interval,
                                struct duet_error *reterr)
{
    bool over_runs = series->unit == MODEL_UNIT_RUNS;
    const struct stats_resampling how = {
        .seed = options->seed,
        .stream = analysis_stream(over_runs ? ANALYSIS_USE_RUNS : ANALYSIS_USE_BLOCKS),
        .replicates = (size_t)options->replicates};
    const size_t strata = 2;
    const size_t in_stratum[] = {series->count / 2, series->count / 2};
    const size_t *const sizes[] = {&strata, in_stratum};
    const struct stats_levels levels = {.depth = 2, .fixed = 1, .sizes = sizes};
    struct stats_question question = {
        .statistic = {STATS_STATISTIC_MEAN, 0.0},
        .scheme = STATS_SCHEME_UNITS,
        .groups = {{series->logs, series->count, NULL}, {NULL, 0, NULL}}};
    if (options->interval == MODEL_INTERVAL_BLOCK) {
        enum duet_code code = analysis_block_length(
            options, series->logs, series->count, &interval->block_length, reterr);
        if (code != DUET_OK) {
            return code;
        }
        question.scheme = analysis_options_scheme(options);
        question.block_length = interval->block_length;
        interval->unit = analysis_block_unit(options->block_scheme);
    } else if (options->interval == MODEL_INTERVAL_PERCENTILE &&
               series->unit != MODEL_UNIT_ASSIGNMENTS) {
        return stats_bootstrap_percentile(series->logs, series->count,
                                          options->confidence, &how, &interval->ends,
                                          reterr);
    } else if (series->unit == MODEL_UNIT_ASSIGNMENTS) {
        question.groups[0].levels = &levels;
    }
    double estimate = 0.0;
    return stats_resample_interval(
        &question, &how, analysis_stats_method(options->interval), options->confidence,
        &estimate, &interval->ends, reterr);
}

static bool enough(const struct model_analysis *options,
                   const struct analysis_used_runs *used,
                   const struct analysis_series *series)
{
    if (options->interval == MODEL_INTERVAL_ANYTIME) {
        return used->coin_count >= 1;
    }
    if (options->interval == MODEL_INTERVAL_SIGNFLIP) {
        return used->block_count >= stats_signflip_fewest(options->confidence);
    }
    /* Values without spread have a variance of 0: two of them would be certain. */
    if (options->interval == MODEL_INTERVAL_T &&
        stats_is_constant(series->logs, series->count)) {
        return series->count >= stats_signflip_fewest(options->confidence);
    }
    if (analysis_options_over_blocks(options)) {
        return used->block_count >= 2;
    }
    return series->count >= 2;
}

/* Neither end bounded is no interval; with too few blocks that is certain. */
static enum duet_code anytime(const struct model_analysis *options,
                              const struct analysis_used_runs *used,
                              struct analysis_log_interval *interval,
                              struct duet_error *reterr)
{
    struct analysis_anytime look = {0};
    enum duet_code code =
        analysis_anytime_look(used, options->confidence, &look, reterr);
    if (code != DUET_OK) {
        return code;
    }
    interval->center = look.center;
    if (look.conflict) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "no single ratio fits the blocks: it changed during the measurement, or most "
            "blocks are exactly alike, as those of a coarse clock; measure again, with "
            "longer iterations where they are");
    }
    bool bounded = isfinite(look.ends.low) || isfinite(look.ends.high);
    if (bounded) {
        struct stats_interval ends = analysis_anytime_interval(&look);
        interval->ends = ends;
        interval->center = fmax(ends.low, fmin(look.center, ends.high));
    }
    return DUET_OK;
}

enum duet_code analysis_paired_interval(const struct model_analysis *options,
                                        const struct analysis_used_runs *used,
                                        struct analysis_log_interval *ret_interval,
                                        struct duet_error *ret_missing,
                                        struct duet_error *reterr)
{
    struct analysis_series series = analysis_paired_series(options, used);
    struct analysis_log_interval interval = {
        .ends = {(double)NAN, (double)NAN},
        .center = (double)NAN,
        .unit = analysis_options_over_blocks(options) && series.unit == MODEL_UNIT_RUNS
                    ? MODEL_UNIT_BLOCKS
                    : series.unit};
    if (options->interval == MODEL_INTERVAL_ANYTIME && used->coin == MODEL_COIN_RUN) {
        interval.unit = MODEL_UNIT_COINS;
    }
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    if (series.unit == MODEL_UNIT_ASSIGNMENTS && !used->assignments_known) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the positions of the sides are unknown for these runs, so they cannot "
            "be resampled by assignment; use --resample blocks");
    }
    if (!enough(options, used, &series)) {
        *ret_interval = interval;
        return DUET_OK;
    }
    if (options->interval == MODEL_INTERVAL_T) {
        code = stats_t_interval(series.logs, series.count, options->confidence,
                                &interval.ends, &error);
    } else if (options->interval == MODEL_INTERVAL_SIGNFLIP) {
        code = stats_signflip_interval(
            series.logs, series.count, options->confidence, options->seed,
            analysis_stream(ANALYSIS_USE_FLIPS), &interval.ends, &error);
    } else if (options->interval == MODEL_INTERVAL_ANYTIME) {
        code = anytime(options, used, &interval, &error);
    } else {
        code = bootstrap(options, &series, &interval, &error);
    }
    code = analysis_interval_missing(code, &error, ret_missing, reterr);
    if (code == DUET_OK) {
        *ret_interval = interval;
    }
    return code;
}
