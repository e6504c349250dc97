/* What it was like while an experiment was measured, as far as its values show it. */
#ifndef DUET_ANALYSIS_CONDITIONS_H
#define DUET_ANALYSIS_CONDITIONS_H

#include "analysis/runs/used_runs.h"
#include "model/comparison.h"

/* Fills comparison->conditions (involuntary_per_s and taken_ratio, which the values do
 * not show, are unknown), and warns of what matters: times that drift where the sides
 * do not run together, a ratio that drifts, CPUs that differ. A drift compares the
 * first third of the runs (blocks) with the last, of at least ANALYSIS_DRIFT_MIN each;
 * it and the CPUs' difference matter when Welch's t test finds them at 1 % and they are
 * large. Autocorrelations: mean over runs that have one, else of the runs' means.
 * Errors: DUET_E_NOMEM. */
enum { ANALYSIS_DRIFT_MIN = 4 };
BASE_MUST_USE enum duet_code analysis_conditions(const struct analysis_used_runs *used,
                                                 bool paired,
                                                 struct model_comparison *comparison,
                                                 struct duet_error *reterr);

#endif
