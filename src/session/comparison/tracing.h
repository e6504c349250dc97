/* The course of a stored comparison, for pictures and report pages. */
#ifndef DUET_SESSION_COMPARISON_TRACING_H
#define DUET_SESSION_COMPARISON_TRACING_H

#include "model/trace.h"
#include "session/comparison/answer.h"

/* Reads the runs of the answer's experiment again, one at a time, and analyses them as
 * the answer was. Without an experiment (a benchmark that failed) the trace is empty.
 * Memory: MODEL_TRACE_KEPT_MOST iterations of a side, and what the analysis keeps of a
 * run. Release with model_trace_release(). Errors: those of the store and the
 * analysis. */
BASE_MUST_USE enum duet_code tracing_make(struct store *store,
                                          const struct answer *answer,
                                          struct model_trace *ret_trace,
                                          struct duet_error *reterr);

#endif
