/* What happens while measuring: takes a copy of the observations on their way to the
 * store, tells how far it is, and decides whether to go on. */
#ifndef DUET_SESSION_COMPARISON_LIVE_H
#define DUET_SESSION_COMPARISON_LIVE_H

#include "analysis/conclude.h"
#include "measure/measure.h"
#include "session/comparison/stopping.h"
#include "session/listener.h"

#include <stdbool.h>
#include <stddef.h>

struct live;

/* Where the benchmark stands among those of a suite, for the time left of it all. */
struct live_ordinal {
    size_t index; /* from 1 */
    size_t count;
    double before_ns; /* that the ones before it took */
    double after_ns;  /* that the ones after it will take, as far as known */
    size_t unknown;   /* of them, those that are assumed to take as long as this one */
    size_t found[MODEL_VERDICTS]; /* verdicts of the ones before it */
};

/* `next`: the sink that observations go to. listener: borrowed. Without anything to
 * show or to decide nothing is kept, and live_sink() is `next`. `ordinal`: NULL when it
 * is measured alone; copied. */
BASE_MUST_USE enum duet_code
live_new(const struct model_plan *plan, const struct model_analysis *options,
         const struct stopping *stopping, const struct model_sink *next,
         const struct listener *listener, const struct live_ordinal *ordinal,
         struct live **ret_live, struct duet_error *reterr);
struct model_sink live_sink(struct live *live);

/* What the functions of struct measure_hooks in session/comparison/ongoing pass on. */

/* Shows how far it is. Between runs: false when the stopping rule is satisfied. */
bool live_progress(struct live *live, const struct measure_progress *progress);
/* With plan->adapt_run_time: how long the runs of the next block should be, in ns
 * (analysis/plan/run_length.h), behind their warm-up. */
uint64_t live_run_time(const struct live *live);
/* With plan->choose_schedule: of the next block or batch. */
enum model_schedule live_next_schedule(const struct live *live);
/* With plan->min_runs_held: the least number of runs, with those that only chose the
 * schedule. */
uint64_t live_least_runs(const struct live *live);
/* With MODEL_COIN_RUN, before a block or batch: whether the next run has a coin of its
 * own. Once the schedule is chosen, those that analysis_coin_alone() says, counted
 * among the runs of that schedule. */
bool live_coin_alone(struct live *live);

/* The schedule whose runs count: the plan's, or the one that was chosen. */
enum model_schedule live_schedule(const struct live *live);
/* Whether that is settled. */
bool live_is_settled(const struct live *live);
/* analysis_suspicion() of the runs so far; 1: nothing is known. */
double live_suspicion(const struct live *live);
void live_set_ordinal(struct live *live, const struct live_ordinal *ordinal);
/* Between the runs that were and those that come there is a pause, which is no part of
 * what a run costs. */
void live_pause(struct live *live);
/* Tells that nothing is shown any more, for now. */
void live_hide(struct live *live);
/* The same, and frees. */
void live_free(struct live *live);

#endif
