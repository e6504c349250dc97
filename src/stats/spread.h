/* How values are distributed, in the numbers that a picture needs. */
#ifndef DUET_STATS_SPREAD_H
#define DUET_STATS_SPREAD_H

#include "base/error.h"

#include <stddef.h>

struct stats_spread {
    double low; /* minimum */
    double quarter_low;
    double median;
    double quarter_high;
    double high; /* maximum */
    size_t count;
};

/* Quantiles of type 7. `values` is reordered. Errors: DUET_E_TOO_FEW (no value). */
BASE_MUST_USE enum duet_code stats_spread_of(double *values, size_t count,
                                             struct stats_spread *ret_spread,
                                             struct duet_error *reterr);

/* A Gaussian kernel density at `points` values that reach from three bandwidths below
 * the least to three above the greatest, ascending. Where none of the values is
 * negative, nor is any of those: what the kernels put below 0 is mirrored there
 * (Silverman 1986, s.2.10). Values that are all alike get a
 * bandwidth of a thousandth of their size. values: count >= 1, finite, reordered;
 * points >= 2. O(count * points). Errors: DUET_E_TOO_FEW. Source: Silverman 1986,
 * s.3.4.2 (bandwidth 0.9 min(sd, IQR / 1.34) n^-1/5). */
BASE_MUST_USE enum duet_code stats_density_of(double *values, size_t count,
                                              size_t points, double *ret_at,
                                              double *ret_density,
                                              struct duet_error *reterr);

/* The density of values that lie between low and high, at `points` places from low to
 * high: what the kernels put beyond an end is mirrored there, so that it integrates to
 * 1. bandwidth_least: such as the step of rounded values. Otherwise as
 * stats_density_of(). Source: Silverman 1986, s.2.10 (reflection). */
BASE_MUST_USE enum duet_code
stats_density_between(double *values, size_t count, double low, double high,
                      double bandwidth_least, size_t points, double *ret_at,
                      double *ret_density, struct duet_error *reterr);

#endif
