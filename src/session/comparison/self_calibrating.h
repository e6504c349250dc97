/* Benchmarks that choose their own number of iterations. */
#ifndef DUET_SESSION_COMPARISON_SELF_CALIBRATING_H
#define DUET_SESSION_COMPARISON_SELF_CALIBRATING_H

#include "model/plan.h"
#include "session/listener.h"

/* Warns, before anything is measured, where a command's words are those of one that
 * measures for a fixed time, however fast the code is (go test -bench,
 * pytest-benchmark, cargo bench, Google Benchmark): its duration says nothing about the
 * code. Says what to do instead, for the first such side. */
void self_calibrating_warn(const struct model_plan *plan,
                           const struct listener *listener);

#endif
