/* Sorting many floating-point numbers by the digits of their bits. */
#ifndef DUET_STATS_RADIX_H
#define DUET_STATS_RADIX_H

#include "base/error.h"

#include <stddef.h>

/* Ascending copy of values[0..count) into ret_sorted (no overlap). -0.0 comes before
 * 0.0; the two compare equal. O(count): three passes over the data, and three more over
 * stretches of values that agree in their first six decimal digits or so; 16 bytes of
 * memory a value.
 * Errors: DUET_E_DOMAIN (a value is not finite: says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_radix_sort(const double *values, size_t count,
                                              double *ret_sorted,
                                              struct duet_error *reterr);

#endif
