/* What a run of pairs says without the CPU time that was taken from it. */
#ifndef DUET_ANALYSIS_RUN_SUMMARY_LOSSES_H
#define DUET_ANALYSIS_RUN_SUMMARY_LOSSES_H

#include "analysis/runs/run_summary.h"

/* Fills `waits`, and the summary's facts of ANALYSIS_WITHOUT_TAKEN, `freed` and
 * `freed_mean` where what was taken is known of both sides: each a single task, and at
 * most one pair in twenty of which it is not known (such a pair stays as it is).
 * Otherwise the facts of what was executed and of the least that a side can have
 * taken, where usage was measured. values: paired, as measured; its idle times are used
 * up, its times stay as they are. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_run_summary_losses(struct analysis_run_summary *summary,
                            const struct analysis_summary_needs *needs,
                            struct model_run_values *values, struct duet_error *reterr);

#endif
