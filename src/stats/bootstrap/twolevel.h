/* The standard method: two sides that were measured one at a time, each resampled by
 * itself on two levels, runs and the iterations within them. */
#ifndef DUET_STATS_TWOLEVEL_H
#define DUET_STATS_TWOLEVEL_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/rank/order.h"

#include <stddef.h>

/* One side's observations, run by run; borrowed. */
struct stats_run {
    const double *values;
    size_t count;
};
struct stats_runs {
    const struct stats_run *runs;
    size_t count;
};

/* Replicates of estimate(to) - estimate(from), where a side's estimate is the mean over
 * its runs of each run's location: as many runs as there are, drawn with replacement,
 * and in each drawn run as many iterations as it has, drawn again each time.
 * ret_replicates: how->replicates differences, in the values' unit. For the trimmed
 * mean and the median the values of each run must be in ascending order.
 * Streams: how->stream + 2b and the next, for replicate b. O(observations *
 * replicates). Errors: DUET_E_TOO_FEW (no run, or
 * one without values), DUET_E_DOMAIN, DUET_E_NOMEM. Source: Bulej 2020 s.4.1 and its
 * reference [3] (Bulej et al. 2016). */
BASE_MUST_USE enum duet_code
stats_twolevel_difference(const struct stats_runs *from, const struct stats_runs *to,
                          enum stats_location location,
                          const struct stats_resampling *how, double *ret_replicates,
                          struct duet_error *reterr);

#endif
