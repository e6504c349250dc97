/* Benchmarks that choose their own number of iterations. */
#ifndef DUET_SESSION_COMPARISON_SELF_CALIBRATING_H
#define DUET_SESSION_COMPARISON_SELF_CALIBRATING_H

#include "model/plan.h"
#include "session/listener.h"

/* Warns when a side's command is one that measures for a fixed time, however fast the
 * code is (go test -bench, pytest-benchmark, cargo bench, JMH, Google Benchmark): its
 * duration says nothing about the code. Says what to do instead. */
void self_calibrating_warn(const struct model_plan *plan,
                           const struct listener *listener);

/* The same for the words of one command; NULL: it is none that is known. */
const char *self_calibrating_advice(const char *const *words);

#endif
