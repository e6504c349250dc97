/* Cliff's delta: how much two samples differ, whatever their distributions. */
#ifndef DUET_STATS_CLIFF_H
#define DUET_STATS_CLIFF_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/rank/dominance.h"

enum stats_magnitude {
    STATS_MAGNITUDE_NEGLIGIBLE, /* |delta| below 0.147 */
    STATS_MAGNITUDE_SMALL,      /* below 0.33 */
    STATS_MAGNITUDE_MEDIUM,     /* below 0.474 */
    STATS_MAGNITUDE_LARGE,
    STATS_MAGNITUDES
};
/* "negligible", "small", "medium", "large". */
const char *stats_magnitude_name(enum stats_magnitude magnitude);

struct stats_cliff {
    double delta; /* P(a > b) - P(a < b), in [-1, 1] */
    /* NaN with fewer than two values of a sample. */
    struct stats_interval interval;
    enum stats_magnitude magnitude;
};

/* Delta of the first sample against the second one, with its interval at `level`: the
 * unbiased variance, Student's t with n + m - 2 degrees of freedom, and the asymmetric
 * form that stays within [-1, 1]. Disjoint samples have no variance to estimate; the
 * interval then comes from a delta that is smaller by 1/pairs, and its outer end is the
 * delta itself. Where the unbiased variance is not positive (a few values only), the
 * least that Cliff gives, (1 - delta^2) / (pairs - 1), takes its place.
 * Errors: DUET_E_DOMAIN (level outside (0, 1)).
 * Sources: Cliff 1996; Feng and Cliff 2004 (interval); Hess and Kromrey 2004
 * (thresholds). R's effsize agrees, but for a defect of some of its releases
 * (docs/method.md). */
BASE_MUST_USE enum duet_code stats_cliff_delta(const struct stats_dominance *dominance,
                                               double level,
                                               struct stats_cliff *ret_cliff,
                                               struct duet_error *reterr);

#endif
