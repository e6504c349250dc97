/* The shuffled control: how wide would the interval be, had the two sides not been
 * measured at the same time? */
#ifndef DUET_STATS_SHUFFLED_H
#define DUET_STATS_SHUFFLED_H

#include "base/error.h"
#include "stats/bootstrap/twolevel.h"

#include <stddef.h>

/* Median, over `shuffles` shuffles, of the width (high - low, as ratios) of the
 * percentile interval over runs. A shuffle pairs each run of `from` with another run of
 * `to` (a derangement) and the iterations of both in random order; where their counts
 * differ, as many as the shorter has.
 * from, to: logarithms of the times; the same number of runs, at least 2. With the mean
 * as location, the order inside a run does not matter and one value a run, its mean,
 * gives the same answer as all of them.
 * Streams: how->stream + b for replicate b (the same draws for every shuffle, which
 * leaves only the shuffles' own spread), how->stream + replicates + s for shuffle s.
 * O(shuffles * (observations + runs * replicates)).
 * Errors: DUET_E_TOO_FEW (fewer than two runs), DUET_E_DOMAIN, DUET_E_NOMEM.
 * Source: Bulej 2020 s.4.2. Deviation: the paper says "a random shuffle"; the median
 * over many and the derangement are this project's reading. */
BASE_MUST_USE enum duet_code
stats_shuffled_width(const struct stats_runs *from, const struct stats_runs *to,
                     enum stats_location location, size_t shuffles, double level,
                     const struct stats_resampling *how, double *ret_width,
                     struct duet_error *reterr);

#endif
