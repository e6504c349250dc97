/* What is left out of the runs before they are analysed: warm-up, and values an order
 * of magnitude away. */
#ifndef DUET_ANALYSIS_CLEANING_H
#define DUET_ANALYSIS_CLEANING_H

#include "base/error.h"
#include "model/analysis.h"
#include "model/experiment.h"

#include <stdbool.h>
#include <stdint.h>

/* Changes `values` in place: what is kept moves to the front of each side, and counts
 * are lowered. Paired: both sides lose the longer of the two warm-ups. *ret_dropped:
 * values of both sides. Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (no steady state; says
 * run and side), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_drop_warmup(const struct model_cleaning *cleaning,
                                                  bool paired,
                                                  struct model_run_values *values,
                                                  uint64_t *ret_dropped,
                                                  struct duet_error *reterr);

/* Ten times the median of each side over all runs (infinite where it has no value).
 * Errors: DUET_E_NOMEM. Source: Laaber 2019 s.4 (a configuration's values together). */
BASE_MUST_USE enum duet_code
analysis_magnitude_limits(const struct model_run_values *runs, size_t count,
                          double ret_limits[MODEL_SIDES], struct duet_error *reterr);

/* Drops the values that reach their side's limit, in place as above; of pairs both. A
 * side, and a whole run, can be left without any. Returns how many, of both sides. */
uint64_t analysis_drop_magnitude(const double limits[MODEL_SIDES], bool paired,
                                 struct model_run_values *values);

/* A copy of one run. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_run_copy(const struct model_run_values *values,
                                               struct model_run_values *ret_copy,
                                               struct duet_error *reterr);

/* A copy of all runs without what is left out (model_values_release() frees it); runs
 * that lose everything stay, empty. Errors: as analysis_drop_warmup(). */
BASE_MUST_USE enum duet_code analysis_clean_copy(const struct model_cleaning *cleaning,
                                                 const struct model_values *values,
                                                 struct model_values *ret_cleaned,
                                                 struct duet_error *reterr);

#endif
