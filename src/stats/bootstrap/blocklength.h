/* How long the blocks of a block bootstrap should be. */
#ifndef DUET_STATS_BLOCKLENGTH_H
#define DUET_STATS_BLOCKLENGTH_H

#include "base/error.h"

#include <stddef.h>

/* Shorter series leave the rule nothing to look at. */
enum { STATS_BLOCK_LENGTH_VALUES_MIN = 11 };

struct stats_block_lengths {
    double stationary; /* mean length */
    double circular;   /* also for moving blocks; round to use */
    double most; /* what they are cut at; the series is too short for longer ones */
};

/* The lengths that minimize the mean squared error of the variance of the mean; not
 * whole numbers, at most ceil(min(3 sqrt(count), count / 3)). A constant series gets 1.
 * values: a series, at least STATS_BLOCK_LENGTH_VALUES_MIN, borrowed. O(count^1.5).
 * Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (not finite), DUET_E_NOMEM.
 * Source: Politis and White 2004 with the correction of Patton, Politis and White 2009.
 * The bandwidth is chosen from the absolute autocorrelations that the `arch` package
 * takes (each scaled by the two stretches that the next lag would pair), so that both
 * give the same numbers. */
BASE_MUST_USE enum duet_code
stats_block_lengths_estimate(const double *values, size_t count,
                             struct stats_block_lengths *ret_lengths,
                             struct duet_error *reterr);

#endif
