/* The iterations of a trace, thinned out where they are many, and how their times and
 * ratios are distributed. */
#ifndef DUET_ANALYSIS_TRACE_TIMES_H
#define DUET_ANALYSIS_TRACE_TIMES_H

#include "base/error.h"
#include "model/experiment.h"
#include "model/trace.h"

struct analysis_trace_times {
    struct model_trace *trace; /* borrowed; owns what is allocated but for: */
    double *shuffled; /* log ratios of pairs that were none, as many as pairs are kept;
                         free() */
    uint64_t seed;
};

/* Makes room in times->trace, which has none but says whether it is of pairs. Errors:
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_trace_times_init(struct analysis_trace_times *times,
                          struct duet_error *reterr);
/* Adds a run's values, which are borrowed and in arrays. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_trace_times_add(struct analysis_trace_times *times,
                         const struct model_run_values *values,
                         struct duet_error *reterr);
/* After the last run: the ratios, what most times lie between, and the densities.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_trace_times_finish(struct analysis_trace_times *times,
                            struct duet_error *reterr);

#endif
