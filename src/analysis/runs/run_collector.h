/* The runs of an analysis as they come in: summarized at once, or, where what is left
 * out depends on all of them, kept until they are asked for. */
#ifndef DUET_ANALYSIS_RUN_COLLECTOR_H
#define DUET_ANALYSIS_RUN_COLLECTOR_H

#include "analysis/runs/run_summary.h"

struct analysis_run_collector {
    struct analysis_summary_needs needs;
    struct model_cleaning cleaning;
    struct analysis_run_summary *summaries; /* but for drop_magnitude */
    struct model_run_values *cleaned;       /* with it: without warm-up */
    uint64_t *warmup;                       /* with it: values dropped of each */
    size_t count;
    size_t capacity;
};

/* `values` is borrowed, cleaned and winsorized in place; idle times are used up. Of
 * spools: where analysis_takes_spools() says so. Errors: those of
 * analysis_run_summary_init() and analysis_drop_warmup(), of spools DUET_E_IO. */
BASE_MUST_USE enum duet_code
analysis_run_collector_add(struct analysis_run_collector *collector,
                           struct model_run_values *values, struct duet_error *reterr);

/* The summaries of all runs so far. */
struct analysis_run_summaries {
    const struct analysis_run_summary *summaries;
    size_t count;
    struct analysis_run_summary *own; /* NULL: the collector's */
    uint64_t emptied;                 /* values of runs that have lost all of theirs */
};
/* Errors: DUET_E_TOO_FEW (no run), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_run_collector_summaries(const struct analysis_run_collector *collector,
                                 struct analysis_run_summaries *ret_summaries,
                                 struct duet_error *reterr);
void analysis_run_summaries_release(struct analysis_run_summaries *summaries);

void analysis_run_collector_release(struct analysis_run_collector *collector);

#endif
