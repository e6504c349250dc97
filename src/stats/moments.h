/* Sums, means and standard deviations that keep their digits for many values and for
 * values that differ only far behind the point. */
#ifndef DUET_STATS_MOMENTS_H
#define DUET_STATS_MOMENTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A compensated sum: its error does not grow with the number of terms. Zeroed storage
 * is the empty sum. Source: Neumaier 1974 (Kahan's sum, also right when a term is
 * larger than the sum so far). */
struct stats_sum {
    double total;
    double compensation;
};
void stats_sum_add(struct stats_sum *sum, double value);
double stats_sum_value(const struct stats_sum *sum);

/* Mean and spread of a stream of values in one pass. Zeroed storage is the empty one.
 * The mean is kept in two parts: of values that agree in 12 digits, one would leave the
 * spread 4. Squares of the deviations must be normal numbers (1e-150 to 1e150).
 * Source: Welford 1962; merging: Chan, Golub and LeVeque 1979. */
struct stats_moments {
    uint64_t count;
    double mean;
    double mean_rest; /* what rounding took from the mean */
    double squares;   /* sum of squared deviations from the mean */
    double min;
    double max;
};
void stats_moments_add(struct stats_moments *moments, double value);
struct stats_moments stats_moments_of(const double *values, size_t count);
/* As if all values of `other` had been added. */
void stats_moments_merge(struct stats_moments *moments,
                         const struct stats_moments *other);
/* Sample standard deviation (n - 1); NaN, that is unknown, for fewer than two values.
 */
double stats_moments_sd_sample(const struct stats_moments *moments);

/* Whether all values are finite; names the first that is not. Errors: DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code stats_check_finite(const double *values, size_t count,
                                                struct duet_error *reterr);

/* Whether `terms` of the values can be added up, whichever they are. Errors:
 * DUET_E_DOMAIN (one is not finite, or too large: says which). */
BASE_MUST_USE enum duet_code stats_check_summable(const double *values, size_t count,
                                                  size_t terms,
                                                  struct duet_error *reterr);

/* The power of two to multiply values with before they are squared or cubed: 1 unless
 * their largest magnitude is beyond 2^300 or below 2^-300, where that would over- or
 * underflow; then the one that brings it near 1. values: finite, borrowed. */
double stats_power_scale(const double *values, size_t count);

/* ret_centred: the values' deviations from their mean, in multiples of that power of
 * two: ready to be multiplied with each other. They keep their digits when the values
 * agree in all but the last ones. Errors: as stats_mean(). */
BASE_MUST_USE enum duet_code stats_centre(const double *values, size_t count,
                                          double *ret_centred,
                                          struct duet_error *reterr);

/* The next ones: values borrowed, any unit and magnitude, result in the same unit.
 * Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (a value is not finite; geometric: or not
 * positive; the result is larger than any double). */
BASE_MUST_USE enum duet_code stats_mean(const double *values, size_t count,
                                        double *ret_mean, struct duet_error *reterr);
/* From logarithms, so that no product over- or underflows. */
BASE_MUST_USE enum duet_code stats_mean_geometric(const double *values, size_t count,
                                                  double *ret_mean,
                                                  struct duet_error *reterr);
/* Sample standard deviation (n - 1), count >= 2. Two passes, the second corrected by
 * the sum of deviations (Chan, Golub and LeVeque 1983, eq. 1.7). */
BASE_MUST_USE enum duet_code stats_sd_sample(const double *values, size_t count,
                                             double *ret_sd, struct duet_error *reterr);

/* Whether all are the same, so that nothing can be said of their variance. count: any;
 * none and one are. values: borrowed, finite. */
bool stats_is_constant(const double *values, size_t count);

#endif
