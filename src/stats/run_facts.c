#include "stats/run_facts.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers, whose sums are exact in any order: of a pair that lost nothing. */
static const double weight_whole = 1048576.0;

/* Of both sides, squared. */
static double lost_square(const struct stats_run_pairs *pairs, size_t i)
{
    double first = pairs->lost[0][i];
    double second = pairs->lost[1][i];
    return first * first + second * second;
}

static bool any_lost(const struct stats_run_pairs *pairs)
{
    if (pairs->lost[0] == NULL || pairs->lost[1] == NULL) {
        return false;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        if (lost_square(pairs, i) > 0.0) {
            return true;
        }
    }
    return false;
}

static uint32_t weight_of(double square)
{
    double weight =
        round(weight_whole / (1.0 + square / (STATS_LOST_UNIT * STATS_LOST_UNIT)));
    return weight > 1.0 ? (uint32_t)weight : 1;
}

static double weight_at(const uint32_t *weights, size_t i)
{
    return weights != NULL ? (double)weights[i] : 1.0;
}

static double spread_of(const struct stats_run_pairs *pairs, const uint32_t *weights,
                        double location)
{
    struct stats_sum distances = {0};
    struct stats_sum sum = {0};
    struct stats_sum squares = {0};
    if (pairs->count < 2) {
        return (double)NAN;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        double weight = weight_at(weights, i);
        stats_sum_add(&distances, weight * fabs(pairs->log_ratios[i] - location));
        stats_sum_add(&sum, weight);
        stats_sum_add(&squares, weight * weight);
    }
    double whole = stats_sum_value(&sum);
    double as_many = whole * whole / stats_sum_value(&squares);
    return stats_sum_value(&distances) / whole / sqrt(as_many);
}

static double lost_of(const struct stats_run_pairs *pairs, const uint32_t *weights)
{
    struct stats_sum squares = {0};
    struct stats_sum sum = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        double weight = weight_at(weights, i);
        stats_sum_add(&squares, weight * weight * lost_square(pairs, i));
        stats_sum_add(&sum, weight);
    }
    return sqrt(stats_sum_value(&squares)) / stats_sum_value(&sum);
}

/* Of a run some of whose pairs lost CPU time. */
static enum duet_code weighted_median(const struct stats_run_pairs *pairs,
                                      struct stats_run_facts *facts,
                                      struct duet_error *reterr)
{
    uint32_t *weights = alloc_array(pairs->count, sizeof *weights);
    if (weights == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu weights",
                         pairs->count);
    }
    for (size_t i = 0; i < pairs->count; i++) {
        weights[i] = weight_of(lost_square(pairs, i));
    }
    enum duet_code code = stats_weighted_median(
        pairs->log_ratios, weights, pairs->count, &facts->log_ratio, reterr);
    if (code == DUET_OK) {
        facts->spread = spread_of(pairs, weights, facts->log_ratio);
        facts->lost = lost_of(pairs, weights);
    }
    free(weights);
    return code;
}

enum duet_code stats_run_facts_find(const struct stats_run_pairs *pairs,
                                    enum stats_location location, double *scratch,
                                    struct stats_run_facts *ret_facts,
                                    struct duet_error *reterr)
{
    struct stats_run_facts facts = {.level = (double)NAN};
    bool lost = any_lost(pairs);
    enum duet_code code = DUET_OK;
    if (lost && location == STATS_LOCATION_MEDIAN) {
        code = weighted_median(pairs, &facts, reterr);
    } else {
        /* The location reorders its values. */
        memcpy(scratch, pairs->log_ratios, pairs->count * sizeof *scratch);
        code = stats_location_estimate(location, scratch, pairs->count,
                                       &facts.log_ratio, reterr);
        if (code == DUET_OK) {
            facts.spread = spread_of(pairs, NULL, facts.log_ratio);
            facts.lost = lost ? lost_of(pairs, NULL) : 0.0;
        }
    }
    if (code == DUET_OK) {
        *ret_facts = facts;
    }
    return code;
}
