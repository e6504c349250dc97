#include "stats/sequential/run_facts.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The loss that doubles the variance: about a tenth of what was subtracted is left as
 * an error, beside the 1 % that pairs differ by which lost nothing. */
static const double lost_unit = 0.1;
/* Whole numbers, whose sums are exact in any order: of a pair that lost nothing. */
static const double weight_whole = 1048576.0;

uint32_t stats_pair_weight(double lost_of_one, double lost_of_other)
{
    double square = lost_of_one * lost_of_one + lost_of_other * lost_of_other;
    double weight = round(weight_whole / (1.0 + square / (lost_unit * lost_unit)));
    return weight > 1.0 ? (uint32_t)weight : 1;
}

double stats_spread_value(const struct stats_spread *spread)
{
    double whole = stats_sum_value(&spread->sum);
    double as_many = whole * whole / stats_sum_value(&spread->squares);
    return stats_sum_value(&spread->distances) / whole / sqrt(as_many);
}

/* weights: NULL where all are alike. */
static double spread_of(const double *log_ratios, const uint32_t *weights, size_t count,
                        double location)
{
    struct stats_spread spread = {.sum = {.total = 0.0}};
    for (size_t i = 0; i < count; i++) {
        stats_spread_add(&spread, fabs(log_ratios[i] - location),
                         weights != NULL ? (double)weights[i] : 1.0);
    }
    return count < 2 ? (double)NAN : stats_spread_value(&spread);
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
        weights[i] = stats_pair_weight(pairs->lost[0][i], pairs->lost[1][i]);
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
