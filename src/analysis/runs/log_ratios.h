/* The log ratios of pairs, run after run, and where their spread comes from. */
#ifndef DUET_ANALYSIS_LOG_RATIOS_H
#define DUET_ANALYSIS_LOG_RATIOS_H

#include "analysis/options.h"
#include "model/experiment.h"
#include "stats/allocation.h"

struct analysis_log_ratios {
    double *logs;
    size_t *counts; /* of each run */
    unsigned *old_positions;
    size_t runs;
    size_t total; /* log ratios */
    size_t runs_capacity;
    size_t total_capacity;
};

/* Appends a run of pairs; `values` is borrowed and left as it is, what is kept is
 * winsorized. Errors: those of analysis_values_check(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_log_ratios_add(
    struct analysis_log_ratios *ratios, enum model_winsorize winsorize,
    const struct model_run_values *values, struct duet_error *reterr);

/* Components of variance, without half the difference between the two assignments,
 * which blocks cancel. Of runs of one pair each, all is between them. Errors:
 * DUET_E_TOO_FEW (fewer than two runs), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_log_ratios_components(const struct analysis_log_ratios *ratios,
                               struct stats_components *ret_components,
                               struct duet_error *reterr);

void analysis_log_ratios_release(struct analysis_log_ratios *ratios);

#endif
