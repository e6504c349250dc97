/* What an experiment with a program against itself says about this machine. */
#ifndef DUET_ANALYSIS_AGAINST_ITSELF_H
#define DUET_ANALYSIS_AGAINST_ITSELF_H

#include "analysis/options.h"
#include "model/pilot.h"
#include "model/planning.h"
#include "model/self_comparison.h"

/* pilot: borrowed; window_runs: even, at least 16; budget_ns: of --until decided.
 *
 * False alarms: every window_runs consecutive runs are analysed as an experiment of
 * their own, with `options`. Smallest change: analysis/plan/detectable.h, over the
 * blocks of a window. What a change takes: the blocks' spread over the whole pilot, by
 * stats_allocation_plan(); for --until decided 100 experiments of blocks drawn from the
 * pilot's, centred, with a random sign, and moved by the change.
 *
 * Errors: DUET_E_TOO_FEW (fewer runs than a window), and those of the analysis. */
BASE_MUST_USE enum duet_code
analysis_self_comparison(const struct model_pilot *pilot,
                         const struct model_analysis *options, uint64_t window_runs,
                         double budget_ns, struct model_self_comparison *ret_self,
                         struct duet_error *reterr);

/* For 1 %, or more where that takes too many runs; stopped once decided where that is
 * sooner nine times of ten. */
struct model_amount analysis_self_next(const struct model_self_comparison *self);

#endif
