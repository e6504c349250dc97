/* The summary of a run that does not lie in memory: the same numbers as
 * analysis_run_summary_init() has of arrays, in a few passes. */
#ifndef DUET_ANALYSIS_LONG_SUMMARY_H
#define DUET_ANALYSIS_LONG_SUMMARY_H

#include "analysis/runs/run_summary.h"

/* Whether runs may be spools. What keeps all times of all runs, and what looks for the
 * steady part of a run, wants them in memory. */
bool analysis_takes_spools(const struct analysis_summary_needs *needs,
                           const struct model_cleaning *cleaning);

/* values: of pairs, checked, in spools; winsorized there. Errors: DUET_E_NOMEM,
 * DUET_E_IO. */
BASE_MUST_USE enum duet_code analysis_long_summary_init(
    const struct analysis_summary_needs *needs, struct model_run_values *values,
    struct analysis_run_summary *ret_summary, struct duet_error *reterr);

#endif
