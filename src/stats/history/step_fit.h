/* One step in correlated values, by generalised least squares. */
#ifndef DUET_STATS_STEP_FIT_H
#define DUET_STATS_STEP_FIT_H

#include "base/error.h"

#include <stddef.h>

struct stats_step_fit {
    double step; /* the constant behind it less that before it */
    double sd;
};

/* values[i] = a + step [i >= k] + error i, for each k from 1 to count - 1:
 * ret_fits[k]. covariances: of the errors, count * count; it is overwritten.
 * O(count^3). Errors: DUET_E_NOMEM. Source: Aitken 1935, Proc. Roy. Soc. Edinburgh 55.
 */
BASE_MUST_USE enum duet_code stats_step_fit_all(const double *values,
                                                double *covariances, size_t count,
                                                struct stats_step_fit *ret_fits,
                                                struct duet_error *reterr);

#endif
