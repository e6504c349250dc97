/* Benchmarks that choose their own number of iterations. */
#ifndef DUET_SESSION_COMPARISON_SELF_CALIBRATING_H
#define DUET_SESSION_COMPARISON_SELF_CALIBRATING_H

#include "model/plan.h"
#include "session/listener.h"

/* What to do instead, where a command's words are those of one that measures for a
 * fixed time, however fast the code is (go test -bench, pytest-benchmark, Criterion,
 * Google Benchmark, timeit): its duration says nothing about the code. Looks into what
 * a shell executes (sh -c). NULL: it is none that is known. */
const char *self_calibrating_advice(const char *const *words);

/* Warns, before anything is measured, of the first side that is one. */
void self_calibrating_warn(const struct model_plan *plan,
                           const struct listener *listener);

#endif
