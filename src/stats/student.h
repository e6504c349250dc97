/* Student's t distribution, and the interval and the power that rest on it. */
#ifndef DUET_STATS_STUDENT_H
#define DUET_STATS_STUDENT_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stddef.h>

/* The two-sided p value of "it is 0", of an estimate with this standard error and
 * degrees > 0 (need not be whole): 2 P(T > t), t = |estimate| / error, the regularized
 * incomplete beta function I_x(degrees/2, 1/2) at x = degrees / (degrees + t^2). An
 * estimate of 0 has 1, another one without any error 0.
 * Relative error below 1e-10 for degrees from 0.5 to 10^6 (tests/oracle), 1e-12 up to
 * 1000.
 * Source: DLMF 8.17.22, its continued fraction by the modified Lentz method (Thompson
 * and Barnett 1986); the gamma quotient for large arguments: DLMF 5.11.8. */
double stats_t_p_value(double estimate, double error, double degrees);

/* The t with P(T <= t) = probability. Relative error below 1e-10.
 * Errors: DUET_E_DOMAIN (probability outside (0, 1), degrees not positive or not
 * finite). */
BASE_MUST_USE enum duet_code stats_t_quantile(double probability, double degrees,
                                              double *ret_quantile,
                                              struct duet_error *reterr);

/* mean +- t * sd / sqrt(count). values: count >= 2, borrowed.
 * Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code stats_t_interval(const double *values, size_t count,
                                              double level,
                                              struct stats_interval *ret_interval,
                                              struct duet_error *reterr);

/* The smallest difference that an interval of this level excludes 0 from with
 * probability `power`, given the standard error of the estimate and its degrees of
 * freedom: (t(1 - (1 - level) / 2) + t(power)) * error.
 * Errors: DUET_E_DOMAIN. Source: the usual approximation of the noncentral t by a
 * shifted one (Snedecor and Cochran 1989 s.6.14); it reaches 0.87 of the 0.9 at 7
 * degrees and comes closer with more. */
BASE_MUST_USE enum duet_code stats_t_detectable(double error, double degrees,
                                                double level, double power,
                                                double *ret_difference,
                                                struct duet_error *reterr);

#endif
