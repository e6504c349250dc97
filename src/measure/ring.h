/* The runner's side of a shared page: making it, emptying its rings, judging its state.
 */
#ifndef DUET_MEASURE_RING_H
#define DUET_MEASURE_RING_H

#include "measure/runner.h"

/* Sees to it that a page is there that no program has ever claimed. */
BASE_MUST_USE enum duet_code ring_page_fresh(struct runner *runner,
                                             struct duet_error *reterr);

bool ring_is_claimed(const struct runner *runner, unsigned slot);
/* Closed properly, after the last iteration that both sides agreed on. */
bool ring_is_complete(const struct runner *runner, unsigned slot);
/* Has done the last iteration that both sides agreed on, closed or not. */
bool ring_is_done(const struct runner *runner, unsigned slot);
/* Waits for the runner to make room. */
bool ring_is_full(const struct runner *runner, unsigned slot);
/* Waits for the runner or has closed. */
bool ring_is_idle(const struct runner *runner, unsigned slot);
/* One side has come to the begin meeting, and the other not yet. */
bool ring_is_awaited(const struct runner *runner);
/* As the side counts them. */
uint64_t ring_iterations(const struct runner *runner, unsigned slot);

/* Gives the records of `slots` slots to the sink, as those of sides[slot], and makes
 * room. began_ns: of the run. Errors: DUET_E_PROTOCOL (impossible records; more than
 * MODEL_REGIONS_MAX names on both sides together), the sink's. */
BASE_MUST_USE enum duet_code ring_drain(struct runner *runner, unsigned slots,
                                        const enum model_side *sides, uint64_t began_ns,
                                        struct duet_error *reterr);

/* Makes room in `slots` slots; what is in them is wanted by nobody. */
void ring_empty(struct runner *runner, unsigned slots);

#endif
