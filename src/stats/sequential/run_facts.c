#include "stats/sequential/run_facts.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The loss that doubles the variance: about a tenth of what was subtracted is left as
 * an error, beside the 1 % that pairs differ by which lost nothing. */
static const double lost_unit = 0.1;
/* Whole numbers, whose sums are exact in any order: of a pair that lost nothing. */
static const double weight_whole = 1048576.0;

static uint32_t weight_of(double first, double second)
{
    double square = first * first + second * second;
    double weight = round(weight_whole / (1.0 + square / (lost_unit * lost_unit)));
    return weight > 1.0 ? (uint32_t)weight : 1;
}

/* weights: NULL where all are alike. */
static double spread_of(const double *log_ratios, const uint32_t *weights, size_t count,
                        double location)
{
    struct stats_sum distances = {0};
    struct stats_sum sum = {0};
    struct stats_sum squares = {0};
    if (count < 2) {
        return (double)NAN;
    }
    for (size_t i = 0; i < count; i++) {
        double weight = weights != NULL ? (double)weights[i] : 1.0;
        stats_sum_add(&distances, weight * fabs(log_ratios[i] - location));
        stats_sum_add(&sum, weight);
        stats_sum_add(&squares, weight * weight);
    }
    double whole = stats_sum_value(&sum);
    double as_many = whole * whole / stats_sum_value(&squares);
    return stats_sum_value(&distances) / whole / sqrt(as_many);
}

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
        weights[i] = weight_of(pairs->lost[0][i], pairs->lost[1][i]);
    }
    enum duet_code code = stats_weighted_median(
        pairs->log_ratios, weights, pairs->count, &facts->log_ratio, reterr);
    facts->spread =
        spread_of(pairs->log_ratios, weights, pairs->count, facts->log_ratio);
    free(weights);
    return code;
}

enum duet_code stats_run_facts_find(const struct stats_run_pairs *pairs,
                                    enum stats_location location, double *scratch,
                                    struct stats_run_facts *ret_facts,
                                    struct duet_error *reterr)
{
    struct stats_run_facts facts = {0};
    bool lost = pairs->lost[0] != NULL && pairs->lost[1] != NULL;
    enum duet_code code = DUET_OK;
    if (lost && location == STATS_LOCATION_MEDIAN) {
        code = weighted_median(pairs, &facts, reterr);
    } else {
        /* The location reorders its values. */
        memcpy(scratch, pairs->log_ratios, pairs->count * sizeof *scratch);
        code = stats_location_estimate(location, scratch, pairs->count,
                                       &facts.log_ratio, reterr);
        facts.spread =
            spread_of(pairs->log_ratios, NULL, pairs->count, facts.log_ratio);
    }
    if (code == DUET_OK) {
        *ret_facts = facts;
    }
    return code;
}
