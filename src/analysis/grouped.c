#include "analysis/grouped.h"

#include "analysis/few.h"
#include "analysis/paired_interval.h"
#include "analysis/plan/detectable.h"
#include "analysis/random_uses.h"
#include "analysis/runs/pool.h"

#include <math.h>

static const double trimmed_fraction = 0.2;

static enum duet_code pool_side(const struct analysis_used_runs *used,
                                enum model_side which, struct analysis_pool *pool,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < used->count && code == DUET_OK; r++) {
        const struct analysis_values *kept = &used->runs[r]->kept[which];
        code = analysis_pool_add(pool, kept->values, kept->count, reterr);
    }
    return code == DUET_OK && pool->count == 0
               ? error_set(reterr, DUET_E_TOO_FEW, "the %s side has no run",
                           model_side_name(which))
               : code;
}

static struct stats_statistic statistic_of(const struct model_statistic *statistic)
{
    switch (statistic->kind) {
    case MODEL_STATISTIC_GEOMEAN:
        return (struct stats_statistic){STATS_STATISTIC_GEOMEAN, 0.0};
    case MODEL_STATISTIC_MEDIAN:
        return (struct stats_statistic){STATS_STATISTIC_MEDIAN, 0.0};
    case MODEL_STATISTIC_QUANTILE:
        return (struct stats_statistic){STATS_STATISTIC_QUANTILE,
                                        statistic->probability};
    case MODEL_STATISTIC_TRIMMED:
        return (struct stats_statistic){STATS_STATISTIC_TRIMMED, trimmed_fraction};
    case MODEL_STATISTIC_CV:
        return (struct stats_statistic){STATS_STATISTIC_CV, 0.0};
    case MODEL_STATISTIC_NONE:
    case MODEL_STATISTIC_MEAN:
    case MODEL_STATISTICS:
        break;
    }
    return (struct stats_statistic){STATS_STATISTIC_MEAN, 0.0};
}

static bool is_a_mean(const struct model_analysis *options)
{
    enum model_statistic_kind kind = options->statistic.kind;
    return kind == MODEL_STATISTIC_NONE || kind == MODEL_STATISTIC_MEAN ||
           kind == MODEL_STATISTIC_GEOMEAN;
}

enum analysis_keep analysis_grouped_keep(const struct model_analysis *options)
{
    bool mean = options->statistic.kind == MODEL_STATISTIC_NONE ||
                options->statistic.kind == MODEL_STATISTIC_MEAN;
    return mean && options->interval != MODEL_INTERVAL_BLOCK ? ANALYSIS_KEEP_GROUPS
                                                             : ANALYSIS_KEEP_TIMES;
}

/* Each run as one value, its mean. */
static enum duet_code take_runs_as_values(const struct model_analysis *options,
                                          struct analysis_pool *side,
                                          struct duet_error *reterr)
{
    bool geometric = options->statistic.kind == MODEL_STATISTIC_GEOMEAN;
    enum duet_code code = DUET_OK;
    const double *next = side->values;
    for (size_t r = 0; r < side->runs && code == DUET_OK; r++) {
        double mean = 0.0;
        code = geometric ? stats_mean_geometric(next, side->run_sizes[r], &mean, reterr)
                         : stats_mean(next, side->run_sizes[r], &mean, reterr);
        next += side->run_sizes[r];
        side->values[r] = mean; /* never beyond what was read */
        side->run_sizes[r] = 1;
    }
    side->count = side->runs;
    return code;
}

/* Two sides ready to be asked about. */
struct groups {
    struct analysis_pool sides[MODEL_SIDES];
    const size_t *sizes[MODEL_SIDES][2];
    struct stats_levels levels[MODEL_SIDES];
    bool has_levels[MODEL_SIDES];
    enum model_unit unit;
    double block_length;
};

static void groups_release(struct groups *groups)
{
    analysis_pool_release(&groups->sides[MODEL_OLD]);
    analysis_pool_release(&groups->sides[MODEL_NEW]);
}

/* Whether the side is one sample, or each of its runs one value. */
static bool is_flat(const struct analysis_pool *side, bool alone)
{
    return side->count == side->runs || (alone && side->runs == 1);
}

static enum duet_code choose_units_of_side(struct groups *groups, size_t which,
                                           const struct model_analysis *options,
                                           struct duet_error *reterr)
{
    struct analysis_pool *side = &groups->sides[which];
    bool blocks = options->interval == MODEL_INTERVAL_BLOCK;
    if (is_flat(side, options->iterations_alone)) {
        return DUET_OK;
    }
    if (blocks && !is_a_mean(options)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--interval block uses the mean of each run of several iterations; for "
            "another statistic use --interval percentile, basic or bca");
    }
    if (blocks || options->interval == MODEL_INTERVAL_STUDENTIZED) {
        return take_runs_as_values(options, side, reterr);
    }
    groups->unit = MODEL_UNIT_LEVELS;
    groups->has_levels[which] = true;
    groups->sizes[which][0] = &side->runs;
    groups->sizes[which][1] = side->run_sizes;
    groups->levels[which] =
        (struct stats_levels){.depth = 2, .sizes = groups->sizes[which]};
    return DUET_OK;
}

static enum duet_code groups_init(struct groups *groups,
                                  const struct model_analysis *options,
                                  const struct analysis_used_runs *used,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = pool_side(used, (enum model_side)side, &groups->sides[side], reterr);
    }
    groups->unit = options->iterations_alone ? MODEL_UNIT_ITERATIONS : MODEL_UNIT_RUNS;
    for (size_t side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = choose_units_of_side(groups, side, options, reterr);
    }
    return code;
}

/* One length for both sides: the longer of theirs. */
static enum duet_code choose_block_length(struct groups *groups,
                                          const struct model_analysis *options,
                                          struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (options->interval != MODEL_INTERVAL_BLOCK) {
        return DUET_OK;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        double length = 0.0;
        code = analysis_block_length(options, groups->sides[side].values,
                                     groups->sides[side].count, &length, reterr);
        groups->block_length = fmax(groups->block_length, length);
    }
    if (code == DUET_OK) {
        groups->unit = analysis_block_unit(options->block_scheme);
    }
    return code;
}

static struct stats_question question_of(const struct groups *groups,
                                         const struct model_analysis *options)
{
    bool blocks = options->interval == MODEL_INTERVAL_BLOCK;
    struct stats_question question = {
        .statistic = statistic_of(&options->statistic),
        .scheme = blocks ? analysis_options_scheme(options) : STATS_SCHEME_UNITS,
        .block_length = groups->block_length,
        .contrast = STATS_CONTRAST_RATIO};
    for (int side = 0; side < MODEL_SIDES; side++) {
        question.groups[side] = (struct stats_group){
            groups->sides[side].values, groups->sides[side].count,
            groups->has_levels[side] ? &groups->levels[side] : NULL};
    }
    return question;
}

static struct stats_resampling resampling_of(const struct model_analysis *options)
{
    return (struct stats_resampling){.seed = options->seed,
                                     .stream = analysis_stream(ANALYSIS_USE_GROUPS),
                                     .replicates = (size_t)options->replicates};
}

/* Of all values of a side; NaN where the statistic does not exist. */
static enum duet_code value_of(const struct analysis_pool *side,
                               const struct stats_statistic *statistic,
                               double *ret_value, struct duet_error *reterr)
{
    struct stats_column column = {0};
    struct duet_error error = {0};
    enum duet_code code = stats_column_init(side->values, side->count, statistic, false,
                                            NULL, &column, &error);
    if (code == DUET_OK) {
        *ret_value = stats_column_of_all(&column);
        stats_column_release(&column);
        return DUET_OK;
    }
    struct duet_error ignored;
    *ret_value = (double)NAN;
    return analysis_interval_missing(code, &error, &ignored, reterr);
}

enum duet_code analysis_grouped_estimate(const struct model_analysis *options,
                                         const struct analysis_used_runs *used,
                                         bool paired,
                                         struct analysis_grouped *ret_grouped,
                                         struct duet_error *ret_missing,
                                         struct duet_error *reterr)
{
    struct groups groups = {0};
    struct stats_interval ends = {(double)NAN, (double)NAN};
    struct duet_error error = {0};
    double values[MODEL_SIDES] = {0};
    double estimate = 0.0;
    enum duet_code code = groups_init(&groups, options, used, reterr);
    struct stats_question question = question_of(&groups, options);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code =
            value_of(&groups.sides[side], &question.statistic, &values[side], reterr);
    }
    bool lacks = !paired && analysis_few_lacks(options, used, ret_missing);
    if (code == DUET_OK && !lacks) {
        code = choose_block_length(&groups, options, &error);
        if (code == DUET_OK) {
            const struct stats_resampling how = resampling_of(options);
            question = question_of(&groups, options);
            question.paired = paired;
            code = stats_resample_interval(
                &question, &how, analysis_stats_method(options->interval),
                options->confidence, &estimate, &ends, &error);
        }
        code = analysis_interval_missing(code, &error, ret_missing, reterr);
    }
    if (code == DUET_OK) {
        double ratio = values[MODEL_NEW] / values[MODEL_OLD];
        *ret_grouped = (struct analysis_grouped){
            .ratio = isfinite(ratio) ? ratio : (double)NAN,
            .interval = {.low = isnan(ends.low) ? ends.low : fmax(ends.low, 0.0),
                         .high = ends.high,
                         .confidence = options->confidence,
                         .method = options->interval,
                         .unit = groups.unit,
                         .block_length = groups.block_length},
            .could_have_seen = analysis_detectable_of_width(ends.high - ends.low,
                                                            options->confidence)};
    }
    groups_release(&groups);
    return code;
}

enum duet_code analysis_grouped_sides(const struct model_analysis *options,
                                      const struct analysis_used_runs *used,
                                      bool paired,
                                      struct model_statistic_result *ret_statistic,
                                      struct duet_error *reterr)
{
    struct groups groups = {0};
    struct model_statistic_result result = {.statistic = options->statistic};
    enum duet_code code = groups_init(&groups, options, used, reterr);
    if (result.statistic.kind == MODEL_STATISTIC_NONE) {
        result.statistic.kind = MODEL_STATISTIC_MEAN;
    }
    struct duet_error error = {0};
    struct duet_error ignored;
    if (code == DUET_OK) {
        code = analysis_interval_missing(choose_block_length(&groups, options, &error),
                                         &error, &ignored, reterr);
    }
    bool intervals = error.code == DUET_OK &&
                     (paired || !analysis_few_lacks(options, used, &ignored));
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct stats_question question = question_of(&groups, options);
        struct stats_interval ends = {(double)NAN, (double)NAN};
        double estimate = 0.0;
        question.groups[0] = question.groups[side];
        question.contrast = STATS_CONTRAST_NONE;
        code = value_of(&groups.sides[side], &question.statistic, &result.values[side],
                        reterr);
        if (code == DUET_OK && intervals) {
            struct stats_resampling how = resampling_of(options);
            how.stream += (uint64_t)(side + 1) << 40U;
            code = stats_resample_interval(
                &question, &how, analysis_stats_method(options->interval),
                options->confidence, &estimate, &ends, &error);
            code = analysis_interval_missing(code, &error, &ignored, reterr);
        }
        result.low[side] = ends.low;
        result.high[side] = ends.high;
    }
    groups_release(&groups);
    if (code == DUET_OK) {
        *ret_statistic = result;
    }
    return code;
}
