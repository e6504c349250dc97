/* What a run of pairs says about the ratio, and what tells how much it is worth.
 *
 * Where the CPU of a side was taken away during an iteration, by the hypervisor or by
 * another task, that pair's ratio is off by what was lost. How much is known
 * (model_iteration_lost()): the median takes it off, and gives pairs that lost much
 * less weight. docs/decisions/0017-lost-cpu-time.md has the measurements. */
#ifndef DUET_STATS_RUN_FACTS_H
#define DUET_STATS_RUN_FACTS_H

#include "base/error.h"
#include "stats/order.h"

#include <stddef.h>

/* As logarithms. */
struct stats_run_facts {
    double log_ratio; /* location of ln(new / old) */
    double spread;    /* its standard error, up to a factor: mean distance of the log
                         ratios from it over the root of their number; NaN of a single
                         pair */
    double level;     /* mean of ln(sqrt(new * old)) */
};

/* The pairs of a run, in order of time; borrowed. */
struct stats_run_pairs {
    const double *log_ratios; /* ln(new / old) */
    /* Logarithms of the factors by which each side took longer because of what it lost,
     * at least 0; NULL: not known. */
    const double *old_lost;
    const double *new_lost;
    size_t count;
};

/* The facts but for `level`. With the median, a pair's log ratio is less by
 * new_lost - old_lost, and weighs 1 / (1 + (old_lost^2 + new_lost^2) / 0.1^2); the
 * other locations take the ratios as they are. With weights `spread` is the weighted
 * mean distance over the root of the number of pairs that would have the same variance
 * (Kish 1965). Swapped labels change the sign of log_ratio and nothing else, to the
 * last bit. scratch: `count` doubles. Errors: DUET_E_TOO_FEW (no pair), DUET_E_DOMAIN
 * (a ratio that is not finite), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_run_facts_find(const struct stats_run_pairs *pairs,
                                                  enum stats_location location,
                                                  double *scratch,
                                                  struct stats_run_facts *ret_facts,
                                                  struct duet_error *reterr);

#endif
