/* The course of a comparison, run by run and look by look, for pictures of it. */
#ifndef DUET_ANALYSIS_COURSE_H
#define DUET_ANALYSIS_COURSE_H

#include "analysis/runs/used_runs.h"
#include "model/trace.h"

/* Fills in runs (but for what only their iterations tell: first, taken_ratio), looks
 * and threshold of *trace, which has none. Looks are of pairs; confidence: of their
 * e-values' threshold, 2 / (1 - confidence). Errors: DUET_E_DOMAIN (confidence),
 * DUET_E_NOMEM; what is allocated by then is the trace's. */
BASE_MUST_USE enum duet_code analysis_course(const struct analysis_used_runs *used,
                                             bool paired, double confidence,
                                             struct model_trace *trace,
                                             struct duet_error *reterr);

#endif
