/* p values of several tests, adjusted so that each can be held against the level that
 * was meant for all of them. */
#ifndef DUET_STATS_MULTIPLICITY_H
#define DUET_STATS_MULTIPLICITY_H

#include "base/error.h"

#include <stddef.h>

enum stats_multiplicity {
    STATS_MULTIPLICITY_NONE,
    STATS_MULTIPLICITY_BONFERRONI, /* at most one false alarm in 1/level families */
    STATS_MULTIPLICITY_HOLM,       /* the same promise, never weaker */
    STATS_MULTIPLICITY_BH          /* share of false ones among the alarms (FDR) */
};

/* p_values: count of them in [0, 1] (NaN: a test that could not be made; it stays NaN
 * and does not count). ret_adjusted: the same order; may be the same array. Never below
 * the raw value, at most 1. O(count log count). Bonferroni and Holm hold whatever the
 * tests' dependence; Benjamini-Hochberg for independent or positively dependent ones.
 * Errors: DUET_E_DOMAIN (a value outside [0, 1]: says which), DUET_E_NOMEM.
 * Sources: Holm 1979; Benjamini and Hochberg 1995; adjusted values as Wright 1992. */
BASE_MUST_USE enum duet_code stats_multiplicity_adjust(enum stats_multiplicity method,
                                                       const double *p_values,
                                                       size_t count,
                                                       double *ret_adjusted,
                                                       struct duet_error *reterr);

#endif
