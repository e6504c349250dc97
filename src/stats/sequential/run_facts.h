/* What a run of pairs says about the ratio, and what tells how much it is worth.
 *
 * Where the CPU of a side was taken away during an iteration, by the hypervisor or by
 * another task, the loss is subtracted from its time (model_iteration_lost()); the more
 * it was, the less the pair's ratio is worth. docs/decisions/0017-lost-cpu-time.md has
 * the measurements. */
#ifndef DUET_STATS_RUN_FACTS_H
#define DUET_STATS_RUN_FACTS_H

#include "base/error.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <stddef.h>
#include <stdint.h>

/* As logarithms. */
struct stats_run_facts {
    double log_ratio; /* location of ln(new / old) */
    double spread;    /* its standard error, up to a factor: mean distance of the log
                         ratios from it over the root of their number; NaN of a single
                         pair */
};

/* The pairs of a run, in order of time; borrowed. */
struct stats_run_pairs {
    const double *log_ratios; /* ln(new / old) */
    /* Logarithms of the factors by which each side took longer because of what was then
     * taken off, at least 0; NULL: nothing was. Which is which does not matter. */
    const double *lost[2];
    size_t count;
};

/* With the median a pair of losses a and b has the weight
 * 1 / (1 + (a^2 + b^2) / 0.1^2); otherwise all weigh alike. With weights `spread` is
 * the weighted mean distance over the root of the number of pairs that would have the
 * same variance (Kish 1965). Swapped labels change the sign of log_ratio and nothing
 * else, to the last bit. scratch: `count` doubles. Errors: DUET_E_TOO_FEW (no pair),
 * DUET_E_DOMAIN (without losses: a ratio that is not finite), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_run_facts_find(const struct stats_run_pairs *pairs,
                                                  enum stats_location location,
                                                  double *scratch,
                                                  struct stats_run_facts *ret_facts,
                                                  struct duet_error *reterr);

/* The same piece by piece, for pairs that do not lie in memory: the weight of one, and
 * their spread about a location. Zeroed storage has no pair. */
uint32_t stats_pair_weight(double lost_of_one, double lost_of_other);

struct stats_spread {
    struct stats_sum distances;
    struct stats_sum sum;
    struct stats_sum squares;
};
static inline void stats_spread_add(struct stats_spread *spread, double distance,
                                    double weight)
{
    stats_sum_add(&spread->distances, weight * distance);
    stats_sum_add(&spread->sum, weight);
    stats_sum_add(&spread->squares, weight * weight);
}
/* Of two pairs or more. */
double stats_spread_value(const struct stats_spread *spread);

#endif
