/* What is left out of a run before it is analysed: warm-up, and values an order of
 * magnitude away. */
#ifndef DUET_ANALYSIS_CLEANING_H
#define DUET_ANALYSIS_CLEANING_H

#include "base/error.h"
#include "model/experiment.h"
#include "stats/clean.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is left out. */
struct analysis_cleaning {
    enum stats_warmup warmup;
    uint64_t warmup_count; /* with STATS_WARMUP_COUNT */
    bool drop_magnitude;   /* values of at least ten times their side's median */
};

/* Changes `values` in place: what is kept moves to the front of each side, and counts
 * are lowered. Paired: both sides lose the same iterations, the longer warm-up of the
 * two and every pair of which either side is dropped. *ret_dropped: values that were
 * dropped for their magnitude, both sides together. Errors: DUET_E_TOO_FEW,
 * DUET_E_DOMAIN (no steady state; says run and side), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_clean(const struct analysis_cleaning *cleaning,
                                            bool paired,
                                            struct model_run_values *values,
                                            uint64_t *ret_dropped,
                                            struct duet_error *reterr);

#endif
