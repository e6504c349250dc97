#include "analysis/group_test.h"

#include "analysis/random_uses.h"
#include "analysis/runs/pool.h"
#include "analysis/runs/run_summary.h"
#include "stats/bootstrap/resample.h"
#include "stats/overlap.h"
#include "stats/rank/cliff.h"
#include "stats/rank/ranksum.h"

#include <math.h>
#include <stdio.h>

static const double test_confidence = 0.95;
enum { OVERLAP_REPLICATES = 1000 };

/* ---- Rank-sum ---- */

/* All values of a side. */
static enum duet_code pool(const struct model_values *values, enum model_side side,
                           struct analysis_pool *ret_pool, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < values->run_count && code == DUET_OK; r++) {
        const struct model_run_values *run = &values->runs[r];
        code =
            analysis_pool_add(ret_pool, run->values[side], run->counts[side], reterr);
    }
    return code;
}

static enum duet_code ranksum(const struct model_values *values,
                              struct model_test_result *result,
                              struct duet_error *reterr)
{
    struct analysis_pool pools[MODEL_SIDES] = {{0}, {0}};
    struct stats_dominance dominance;
    struct stats_ranksum test = {0};
    struct stats_cliff cliff = {0};
    enum duet_code code = pool(values, MODEL_OLD, &pools[MODEL_OLD], reterr);
    if (code == DUET_OK) {
        code = pool(values, MODEL_NEW, &pools[MODEL_NEW], reterr);
    }
    if (code == DUET_OK) {
        code = stats_dominance_count(pools[MODEL_NEW].values, pools[MODEL_NEW].count,
                                     pools[MODEL_OLD].values, pools[MODEL_OLD].count,
                                     &dominance, reterr);
    }
    if (code == DUET_OK) {
        code = stats_ranksum_test(&dominance, STATS_RANKSUM_AUTO, &test, reterr);
    }
    if (code == DUET_OK) {
        code = stats_cliff_delta(&dominance, test_confidence, &cliff, reterr);
    }
    if (code == DUET_OK) {
        result->p_value = test.p_value;
        result->exact = test.exact;
        result->delta = cliff.delta;
        result->delta_low = cliff.interval.low;
        result->delta_high = cliff.interval.high;
        (void)snprintf(result->magnitude, sizeof result->magnitude, "%s",
                       stats_magnitude_name(cliff.magnitude));
        result->change = test.p_value <= MODEL_RANKSUM_P_MOST &&
                         fabs(cliff.delta) >= MODEL_RANKSUM_DELTA_LEAST;
    }
    analysis_pool_release(&pools[MODEL_OLD]);
    analysis_pool_release(&pools[MODEL_NEW]);
    return code;
}

/* ---- Overlap ---- */

/* One run. Of a long one means of groups of consecutive iterations, as the standard
 * method takes them. */
static enum duet_code group_add(struct analysis_pool *group,
                                const struct model_run_values *values,
                                enum model_side side, struct duet_error *reterr)
{
    const struct analysis_summary_needs needs = {.keep = ANALYSIS_KEEP_GROUPS,
                                                 .location = STATS_LOCATION_MEAN,
                                                 .winsorize = MODEL_WINSORIZE_OFF};
    struct model_run_values alone = *values;
    struct analysis_run_summary summary = {0};
    alone.counts[1 - side] = 0;
    if (alone.counts[side] == 0) {
        return DUET_OK;
    }
    enum duet_code code = analysis_run_summary_init(&needs, &alone, &summary, reterr);
    if (code == DUET_OK) {
        code = analysis_pool_add(group, summary.kept[side].values,
                                 summary.kept[side].count, reterr);
    }
    analysis_run_summary_release(&summary);
    return code;
}

static enum duet_code group_init(struct analysis_pool *group,
                                 const struct model_values *values,
                                 enum model_side side, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < values->run_count && code == DUET_OK; r++) {
        code = group_add(group, &values->runs[r], side, reterr);
    }
    if (code == DUET_OK && group->count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "the %s side has no value",
                         model_side_name(side));
    }
    return code;
}

/* The mean's interval from the hierarchical bootstrap: runs, then iterations within
 * them; of one run, or runs of one value each, the values. */
static enum duet_code mean_interval(const struct model_values *values,
                                    enum model_side side, uint64_t seed,
                                    struct stats_interval *ret_interval,
                                    struct duet_error *reterr)
{
    const struct stats_resampling how = {
        .seed = seed,
        .stream = analysis_stream(ANALYSIS_USE_OVERLAP) + ((uint64_t)side << 40U),
        .replicates = OVERLAP_REPLICATES,
    };
    struct analysis_pool group = {0};
    enum duet_code code = group_init(&group, values, side, reterr);
    const size_t *sizes[] = {&group.runs, group.run_sizes};
    const struct stats_levels levels = {.depth = 2, .sizes = sizes};
    bool flat = group.runs == 1 || group.runs == group.count;
    const struct stats_question question = {.statistic = {STATS_STATISTIC_MEAN, 0.0},
                                            .groups = {{
                                                group.values,
                                                group.count,
                                                flat ? NULL : &levels,
                                            }},
                                            .rooms = {group.values}};
    struct duet_error error = {0};
    double mean = 0.0;
    if (code == DUET_OK) {
        code = stats_resample_interval(&question, &how, STATS_METHOD_PERCENTILE,
                                       test_confidence, &mean, ret_interval, &error);
        if (code == DUET_E_TOO_FEW) { /* a single value says nothing of the others */
            *ret_interval = (struct stats_interval){(double)NAN, (double)NAN};
            code = DUET_OK;
        } else if (code != DUET_OK) {
            code = error_set(reterr, code, "%s", error.message);
        }
    }
    analysis_pool_release(&group);
    return code;
}

static enum duet_code overlap(const struct model_values *values, uint64_t seed,
                              struct model_test_result *result,
                              struct duet_error *reterr)
{
    struct stats_interval means[MODEL_SIDES];
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = mean_interval(values, (enum model_side)side, seed, &means[side], reterr);
        if (code == DUET_OK) {
            result->low_ns[side] = means[side].low;
            result->high_ns[side] = means[side].high;
        }
    }
    if (code == DUET_OK) {
        result->change = !stats_intervals_overlap(&means[MODEL_OLD], &means[MODEL_NEW]);
    }
    return code;
}

enum duet_code analysis_group_test(enum model_test test,
                                   const struct model_values *values,
                                   const struct model_analysis *options,
                                   struct model_test_result *ret_result,
                                   struct duet_error *reterr)
{
    struct model_test_result result = {.test = test};
    if (test == MODEL_TEST_NONE) {
        *ret_result = result;
        return DUET_OK;
    }
    result.p_value = result.delta = result.delta_low = result.delta_high = (double)NAN;
    result.confidence = test_confidence;
    for (int side = 0; side < MODEL_SIDES; side++) {
        result.low_ns[side] = result.high_ns[side] = (double)NAN;
    }
    struct model_values cleaned = {0};
    enum duet_code code =
        analysis_clean_copy(&options->cleaning, values, &cleaned, reterr);
    if (code == DUET_OK) {
        code = test == MODEL_TEST_RANKSUM
                   ? ranksum(&cleaned, &result, reterr)
                   : overlap(&cleaned, options->seed, &result, reterr);
    }
    model_values_release(&cleaned);
    if (code == DUET_OK) {
        *ret_result = result;
    }
    return code;
}
