/* The log ratios of pairs, run by run, and where their spread comes from. */
#ifndef DUET_ANALYSIS_LOG_RATIOS_H
#define DUET_ANALYSIS_LOG_RATIOS_H

#include "analysis/options.h"
#include "model/experiment.h"
#include "stats/allocation.h"

struct analysis_log_ratios {
    struct analysis_ratios_of_run {
        struct stats_moments moments;
        double mean;
        unsigned old_position;
    } * of_runs;
    size_t runs;
    size_t capacity;
};

/* Appends a run of pairs; `values` is borrowed and left as it is, what is summed up is
 * winsorized. Errors: those of analysis_values_check(), model_run_values_copy(). */
BASE_MUST_USE enum duet_code analysis_log_ratios_add(
    struct analysis_log_ratios *ratios, enum model_winsorize winsorize,
    const struct model_run_values *values, struct duet_error *reterr);

/* Components of variance, without half the difference between the two assignments,
 * which blocks cancel: it has a degree of freedom of its own. Of runs of one pair each,
 * all is between them. Errors: DUET_E_TOO_FEW (fewer than two runs, or three where both
 * assignments occur). */
BASE_MUST_USE enum duet_code
analysis_log_ratios_components(const struct analysis_log_ratios *ratios,
                               struct stats_components *ret_components,
                               struct duet_error *reterr);

void analysis_log_ratios_release(struct analysis_log_ratios *ratios);

#endif
