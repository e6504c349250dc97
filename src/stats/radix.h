/* Sorting many floating-point numbers by the digits of their bits. */
#ifndef DUET_STATS_RADIX_H
#define DUET_STATS_RADIX_H

#include "base/error.h"

#include <stddef.h>

/* Ascending copy of values[0..count) into ret_sorted (no overlap). -0.0 comes before
 * 0.0; the two compare equal. O(count), at most six passes over the data, fewer when
 * the values share their leading digits; one more array of `count`.
 * Errors: DUET_E_DOMAIN (a value is not finite: says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_radix_sort(const double *values, size_t count,
                                              double *ret_sorted,
                                              struct duet_error *reterr);

#endif
