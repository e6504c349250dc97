/* Densities, and how far means spread, for pictures of studies, which do not see stats.
 */
#ifndef DUET_STUDY_STUDY_DENSITY_H
#define DUET_STUDY_STUDY_DENSITY_H

#include "base/error.h"

#include <stddef.h>

/* As stats_density_of(). */
BASE_MUST_USE enum duet_code study_density_of(double *values, size_t count,
                                              size_t points, double *ret_at,
                                              double *ret_density,
                                              struct duet_error *reterr);

/* A mean less and plus a standard deviation, of numbers that are not negative: nor is
 * `low`. NaN: unknown, as `sd` is. */
struct study_reach {
    double low;
    double high;
};
struct study_reach study_reach_of(double mean, double sd);

#endif
