/* Benchmarks that choose their own number of iterations. */
#ifndef DUET_SESSION_COMPARISON_SELF_CALIBRATING_H
#define DUET_SESSION_COMPARISON_SELF_CALIBRATING_H

#include "model/plan.h"
#include "session/listener.h"

/* Warns where a side's words are those of a benchmark that measures for a fixed time,
 * however fast the code is (go test -bench, pytest-benchmark, Criterion, Google
 * Benchmark, timeit): its duration says nothing about the code. Says what to do
 * instead. A Go test binary that is told to do one pass, as those that take part are,
 * is told that it did not. Looks into what a shell executes (sh -c). mode: of a run; a
 * benchmark that takes part by a helper of its harness has the same words, and is left
 * alone. */
void self_calibrating_warn(const struct model_plan *plan, enum model_mode mode,
                           const struct listener *listener);

#endif
