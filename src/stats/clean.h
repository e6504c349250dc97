/* Leaving values out: outliers by an order of magnitude, and warm-up. */
#ifndef DUET_STATS_CLEAN_H
#define DUET_STATS_CLEAN_H

#include "base/error.h"

#include <stddef.h>

/* From how many medians on a value is an order of magnitude away. */
#define STATS_MAGNITUDE 10.0

/* How many values at the beginning are warm-up. */
enum stats_warmup {
    STATS_WARMUP_NONE,
    STATS_WARMUP_HALF,  /* floor(count / 2) */
    STATS_WARMUP_COUNT, /* a number that the caller names */
    STATS_WARMUP_STEADY /* what is before the steady state (series.h) */
};

/* named: for STATS_WARMUP_COUNT. *ret_dropped is less than count. Errors:
 * DUET_E_TOO_FEW (nothing would be left, or too few for a change to be found),
 * DUET_E_DOMAIN (not finite; no steady state), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_warmup_length(const double *values, size_t count,
                                                 enum stats_warmup warmup, size_t named,
                                                 size_t *ret_dropped,
                                                 struct duet_error *reterr);

#endif
