/* Sorting many floating-point numbers by the digits of their bits. */
#ifndef DUET_STATS_RADIX_H
#define DUET_STATS_RADIX_H

#include "base/error.h"

#include <stddef.h>

/* Ascending order in place. -0.0 comes before 0.0; the two compare equal. O(count):
 * above a million values one pass that divides them into stretches of at most so many,
 * and for each of those three passes, and three more over values that agree in their
 * first six decimal digits or so. Memory: 16 bytes a value, at most 17 MiB.
 * Errors: DUET_E_DOMAIN (a value is not finite: says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_radix_sort(double *values, size_t count,
                                              struct duet_error *reterr);

#endif
