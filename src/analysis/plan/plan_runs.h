/* How to spend the time: iterations of a run against runs, from a pilot. */
#ifndef DUET_ANALYSIS_PLAN_RUNS_H
#define DUET_ANALYSIS_PLAN_RUNS_H

#include "analysis/options.h"
#include "model/pilot.h"
#include "model/planning.h"

/* Log ratios of the pilot's pairs, winsorized as `options` say and corrected
 * for the difference between the two assignments; their components of variance; and
 * from those and the costs the cheapest iterations of a run, and the fewest runs for
 * each of `count` (at most MODEL_PLANNED_MAX) effects > 0, with a t interval over
 * blocks (stats/allocation.h: Kalibera and Jones 2013).
 *
 * pilot: borrowed. Errors: DUET_E_TOO_FEW (fewer than 4 runs), DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code
analysis_planning(const struct model_pilot *pilot, const struct model_analysis *options,
                  double power, const double *effects, size_t count,
                  struct model_planning *ret_planning, struct duet_error *reterr);

/* For the first change that was asked for, or of the usual ones for the second, which
 * is 1 %; where that takes too many runs, for the next. */
struct model_amount analysis_planning_next(const struct model_planning *planning,
                                           bool asked);

#endif
