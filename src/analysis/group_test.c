#include "analysis/group_test.h"

#include "analysis/digest.h"
#include "analysis/random_uses.h"
#include "base/alloc.h"
#include "stats/cliff.h"
#include "stats/overlap.h"
#include "stats/ranksum.h"
#include "stats/twolevel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double p_value_limit = 0.05;
static const double delta_limit = 0.33;
static const double test_confidence = 0.95;
enum { OVERLAP_REPLICATES = 1000 };

/* ---- Rank-sum ---- */

/* All values of a side, one after the other; free() them. */
static enum duet_code pool(const struct model_values *values, enum model_side side,
                           double **ret_pooled, size_t *ret_count,
                           struct duet_error *reterr)
{
    size_t count = 0;
    for (size_t r = 0; r < values->run_count; r++) {
        count += values->runs[r].counts[side];
    }
    double *pooled = alloc_array(count, sizeof *pooled);
    if (pooled == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    size_t at = 0;
    for (size_t r = 0; r < values->run_count; r++) {
        const struct model_run_values *run = &values->runs[r];
        if (run->counts[side] > 0) {
            memcpy(pooled + at, run->values[side], run->counts[side] * sizeof *pooled);
            at += run->counts[side];
        }
    }
    *ret_pooled = pooled;
    *ret_count = count;
    return DUET_OK;
}

static enum duet_code ranksum(const struct model_values *values,
                              struct model_test_result *result,
                              struct duet_error *reterr)
{
    double *pooled[MODEL_SIDES] = {NULL, NULL};
    size_t counts[MODEL_SIDES] = {0, 0};
    struct stats_dominance dominance;
    struct stats_ranksum test = {0};
    struct stats_cliff cliff = {0};
    enum duet_code code =
        pool(values, MODEL_OLD, &pooled[MODEL_OLD], &counts[MODEL_OLD], reterr);
    if (code == DUET_OK) {
        code = pool(values, MODEL_NEW, &pooled[MODEL_NEW], &counts[MODEL_NEW], reterr);
    }
    if (code == DUET_OK) {
        code = stats_dominance_count(pooled[MODEL_NEW], counts[MODEL_NEW],
                                     pooled[MODEL_OLD], counts[MODEL_OLD], &dominance,
                                     reterr);
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
        result->change =
            test.p_value <= p_value_limit && fabs(cliff.delta) >= delta_limit;
    }
    free(pooled[MODEL_OLD]);
    free(pooled[MODEL_NEW]);
    return code;
}

/* ---- Overlap ---- */

/* One side's values as the standard method resamples them. */
struct group {
    struct analysis_digest *digests;
    struct stats_run *runs;
    size_t count;
};

static void group_release(struct group *group)
{
    for (size_t r = 0; r < group->count; r++) {
        analysis_digest_release(&group->digests[r]);
    }
    free(group->digests);
    free(group->runs);
}

static enum duet_code group_init(struct group *group, const struct model_values *values,
                                 enum model_side side, struct duet_error *reterr)
{
    const struct analysis_digest_needs needs = {.paired = false,
                                                .standard = true,
                                                .location = STATS_LOCATION_MEAN,
                                                .winsorize = ANALYSIS_WINSORIZE_OFF};
    group->digests = alloc_array(values->run_count, sizeof *group->digests);
    group->runs = alloc_array(values->run_count, sizeof *group->runs);
    if (group->digests == NULL || group->runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         values->run_count);
    }
    for (size_t r = 0; r < values->run_count; r++) {
        struct model_run_values alone = values->runs[r];
        alone.counts[1 - side] = 0;
        if (alone.counts[side] == 0) {
            continue;
        }
        struct analysis_digest *digest = &group->digests[group->count];
        enum duet_code code = analysis_digest_init(&needs, &alone, digest, reterr);
        if (code != DUET_OK) {
            return code;
        }
        group->runs[group->count++] =
            (struct stats_run){digest->plain[side].values, digest->plain[side].count};
    }
    return DUET_OK;
}

/* The mean's interval: that of its difference to a side that is always 0. */
static enum duet_code mean_interval(const struct model_values *values,
                                    enum model_side side, uint64_t seed,
                                    struct stats_interval *ret_interval,
                                    struct duet_error *reterr)
{
    static const double zero = 0.0;
    const struct stats_run nothing = {&zero, 1};
    const struct stats_runs from = {&nothing, 1};
    const struct stats_resampling how = {
        .seed = seed,
        .stream = analysis_stream(ANALYSIS_USE_OVERLAP) + ((uint64_t)side << 40U),
        .replicates = OVERLAP_REPLICATES,
    };
    struct group group = {0};
    double *replicates = alloc_array(how.replicates, sizeof *replicates);
    enum duet_code code = DUET_OK;
    if (replicates == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for %zu replicates",
                         how.replicates);
    }
    if (code == DUET_OK) {
        code = group_init(&group, values, side, reterr);
    }
    struct stats_runs to = {group.runs, group.count};
    if (code == DUET_OK && group.count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "the %s side has no value",
                         model_side_name(side));
    }
    if (code == DUET_OK) {
        code = stats_twolevel_difference(&from, &to, STATS_LOCATION_MEAN, &how,
                                         replicates, reterr);
    }
    if (code == DUET_OK) {
        code = stats_interval_percentile(replicates, how.replicates, test_confidence,
                                         ret_interval, reterr);
    }
    group_release(&group);
    free(replicates);
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
                                   const struct analysis_options *options,
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
    enum duet_code code = test == MODEL_TEST_RANKSUM
                              ? ranksum(values, &result, reterr)
                              : overlap(values, options->seed, &result, reterr);
    if (code == DUET_OK) {
        *ret_result = result;
    }
    return code;
}
