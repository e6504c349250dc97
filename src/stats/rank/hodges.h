/* Hodges and Lehmann's estimates of a location and of a shift. */
#ifndef DUET_STATS_HODGES_H
#define DUET_STATS_HODGES_H

#include "base/error.h"

#include <stddef.h>

/* The median of the means of all pairs of values, each value with itself included.
 * values: sorted by the call. O(count log count) to sort, then at most 64 passes; no
 * memory. Errors: DUET_E_TOO_FEW (no value), DUET_E_DOMAIN (not finite; 2^32 values or
 * more). Source: Hodges and Lehmann 1963. The pairs are not enumerated: how many of
 * their sums lie below a number is counted in one pass over the sorted values, and the
 * number is found by bisection over the floating-point numbers themselves, which ends
 * at the exact order statistic. */
BASE_MUST_USE enum duet_code stats_hodges_lehmann(double *values, size_t count,
                                                  double *ret_location,
                                                  struct duet_error *reterr);

/* The median of all differences to[j] - from[i]. Both sorted by the call. Cost and
 * errors as above. */
BASE_MUST_USE enum duet_code stats_hodges_lehmann_shift(double *from, size_t from_count,
                                                        double *to, size_t to_count,
                                                        double *ret_shift,
                                                        struct duet_error *reterr);

#endif
