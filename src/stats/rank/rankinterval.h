/* The bootstrap interval of a quantile of independent values, without a bootstrap. */
#ifndef DUET_STATS_RANKINTERVAL_H
#define DUET_STATS_RANKINTERVAL_H

#include "base/error.h"

#include <stddef.h>

/* The ranks, from 0, of the sorted values that are the ends of the percentile-bootstrap
 * interval of the `probability` quantile of `count` independent values, with infinitely
 * many replicates: a resample's k-th value from below is at most the sample's j-th one
 * with probability I_{j/count}(k, count - k + 1). Between order statistics (type 7
 * quantiles) k = 1 + probability * (count - 1) is taken as it is. O(log count). Errors:
 * DUET_E_TOO_FEW (count 0), DUET_E_DOMAIN (probability outside [0, 1], level outside
 * (0, 1)). Source: Efron 1979, "Bootstrap Methods: Another Look at the Jackknife", s.3.
 */
BASE_MUST_USE enum duet_code stats_rank_interval(size_t count, double probability,
                                                 double level, size_t *ret_low,
                                                 size_t *ret_high,
                                                 struct duet_error *reterr);

#endif
