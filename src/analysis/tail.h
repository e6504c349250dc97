/* Whether the sides differ in their slow iterations: a location does not show it. */
#ifndef DUET_ANALYSIS_TAIL_H
#define DUET_ANALYSIS_TAIL_H

#include "analysis/selection.h"

/* p90 of new / p90 of old. Runs of at least ANALYSIS_TAIL_MIN iterations have their own
 * 90th percentile, and the result compares its geometric mean over such runs, so that
 * no iteration need be kept; where there is none, the 90th percentiles of all
 * observations together, of which each side must have ANALYSIS_TAIL_POOLED_MIN. NaN
 * otherwise. Errors: DUET_E_NOMEM. */
enum { ANALYSIS_TAIL_POOLED_MIN = 50 };
BASE_MUST_USE enum duet_code
analysis_tail_ratio(const struct analysis_selection *selection, double *ret_ratio,
                    struct duet_error *reterr);

#endif
