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

/* The parts of it, for runs that do not lie in memory (analysis/runs/long_summary): */

/* What is known of the pairs' losses. Zeroed storage is of none. */
struct analysis_known {
    uint64_t pairs;
    uint64_t unknown;  /* of so many it is not known what was taken */
    bool any_taken;    /* anything was */
    bool idle_unknown; /* of some it is not known what they did not execute */
};
void analysis_known_add(struct analysis_known *known, const struct model_idle *old_idle,
                        const struct model_idle *new_idle);
/* Whether what was taken is known of enough pairs. */
bool analysis_known_taken(const struct analysis_known *known,
                          const struct model_run_values *values);

/* Whether a side's times go without what was lost in a reading. */
bool analysis_is_off(enum analysis_reading reading, int side);

/* What was lost of a time, as a logarithm: no more than others had in the whole run,
 * others_ns, where that is not NaN. */
double analysis_cap_by_others(double others_ns, double time_ns, double off);

#endif
