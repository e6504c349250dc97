/* Values in the order in which they were measured: how they hang together, and from
 * where on they are steady. */
#ifndef DUET_STATS_SERIES_H
#define DUET_STATS_SERIES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Autocorrelations at lags 0..lags (lags + 1 of them): c_k / c_0 with
 * c_k = sum over i of (x_i - mean)(x_{i+k} - mean) / count, the estimator whose
 * sequence is positive definite (Brockwell and Davis 1991, s.7.2; statsmodels' and R's
 * default). values: more than `lags`, borrowed. O(count * lags). Errors:
 * DUET_E_TOO_FEW, DUET_E_DOMAIN (not finite; a constant series, which has no
 * autocorrelation), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_autocorrelation(const double *values, size_t count,
                                                   size_t lags,
                                                   double *ret_correlations,
                                                   struct duet_error *reterr);

/* Whether a series' neighbours hang together: its lag-1 autocorrelation (as above) and
 * the one-sided p value against independence. The normal approximation takes the mean
 * and the variance that the autocorrelation has for independent normal values: at 1 %,
 * 0.8 to 1.0 % false alarms from 10 values on. values: at least STATS_LAG1_MIN,
 * borrowed. O(count). Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (not finite, constant),
 * DUET_E_NOMEM. Source: Dufour and Roy 1985. */
enum { STATS_LAG1_MIN = 10 };
BASE_MUST_USE enum duet_code stats_lag1_test(const double *values, size_t count,
                                             double *ret_correlation,
                                             double *ret_p_value,
                                             struct duet_error *reterr);

struct stats_steady_options {
    double penalty;    /* of a change, in multiples of ln(count) */
    double tail_share; /* how much of the series must be steady for it to count */
};

/* Penalty 15, a quarter of the series. */
struct stats_steady_options stats_steady_options_default(void);

/* So many values at least are searched for a steady state. */
enum { STATS_STEADY_VALUES_MIN = 4 };

/* From where on a series is steady. Changes of mean and variance are found by PELT with
 * the normal cost; the last segment, and those directly before it whose means lie
 * within one standard deviation of its own, are the steady state. *ret_steady is false
 * when it is shorter than options->tail_share of the series; *ret_start is then its
 * beginning all the same. values: at least STATS_STEADY_VALUES_MIN, borrowed. O(count)
 * where changes are spread over the series, at worst O(count^2). Errors:
 * DUET_E_TOO_FEW, DUET_E_DOMAIN (not finite, options), DUET_E_NOMEM. Source: Killick,
 * Fearnhead and Eckley 2012 (PELT); Barrett, Bolz-Tereick, Killick, Mount and Tratt
 * 2017 (its use for warm-up, the penalty, equivalent segments, the quarter).
 * Deviations: outliers are not taken out beforehand; equivalence is by the standard
 * deviation alone, without a floor of 1 ms; a segment's variance is never taken for
 * less than a millionth of the series', nor than a twelfth of the square of the
 * clock's step, which is the smallest difference of two values: so a coarse clock's
 * equal values make no segment by chance. */
BASE_MUST_USE enum duet_code
stats_steady_find(const double *values, size_t count,
                  const struct stats_steady_options *options, size_t *ret_start,
                  bool *ret_steady, struct duet_error *reterr);

#endif
