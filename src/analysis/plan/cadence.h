/* How often, and for how long at a time, a program has to be executed for its
 * performance to be known, from a first series of it. */
#ifndef DUET_ANALYSIS_CADENCE_H
#define DUET_ANALYSIS_CADENCE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { ANALYSIS_CADENCE_POINTS_MIN = 40 };

struct analysis_cadence {
    double block_length; /* Politis-White, circular blocks, in points */
    bool block_cut;      /* a longer one would be better, for which there are too few
                            points: ceil(3 sqrt(points)) at most */
    double correlation;  /* lag 1, of the whole series */
    size_t thinning;     /* keep one point in so many; at least 1 */
    double thinned;      /* lag 1, of what is kept then */
    bool limited;        /* false: no thinning that was tried loses that much */
};

/* An interval should hold the longest block of any series of the kind, so that one more
 * interval brings at least one new block. A series may be thinned as long as its
 * autocorrelation is less than `loss` below that of the whole one (0.1 in the paper);
 * the first thinning that is not ends the search. Of the `thinning` series that begin
 * at the first points, the mean. Tried are thinnings that leave at least half of
 * ANALYSIS_CADENCE_POINTS_MIN points. values: in the order of measuring,
 * ANALYSIS_CADENCE_POINTS_MIN at least, borrowed. Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN
 * (not finite, a constant series), DUET_E_NOMEM. Source: He 2021 s.III-C. */
BASE_MUST_USE enum duet_code analysis_cadence_derive(const double *values, size_t count,
                                                     double loss,
                                                     struct analysis_cadence *ret_found,
                                                     struct duet_error *reterr);

#endif
