#include "analysis/tail.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tail_probability = 0.9;

/* Mean over the long runs of the log of their 90th percentile; NaN without any. */
static double log_tail_of_runs(const struct analysis_selection *selection,
                               enum model_side side)
{
    struct stats_sum sum = {0};
    size_t runs = 0;
    for (size_t r = 0; r < selection->count; r++) {
        double log_p90 = selection->runs[r]->log_p90[side];
        if (!isnan(log_p90)) {
            stats_sum_add(&sum, log_p90);
            runs++;
        }
    }
    return runs > 0 ? stats_sum_value(&sum) / (double)runs : (double)NAN;
}

static size_t gather_short_runs(const struct analysis_selection *selection,
                                enum model_side side, double *ret_logs)
{
    size_t count = 0;
    for (size_t r = 0; r < selection->count; r++) {
        const struct analysis_values *logs = &selection->runs[r]->logs[side];
        if (logs->count > 0) {
            memcpy(ret_logs + count, logs->values, logs->count * sizeof *logs->values);
            count += logs->count;
        }
    }
    return count;
}

/* Log of the 90th percentile of all observations of short runs; NaN with too few. */
static enum duet_code log_tail_pooled(const struct analysis_selection *selection,
                                      enum model_side side, double *ret_log,
                                      struct duet_error *reterr)
{
    double *logs = alloc_array(selection->count, ANALYSIS_TAIL_MIN * sizeof *logs);
    if (logs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         selection->count);
    }
    enum duet_code code = DUET_OK;
    size_t count = gather_short_runs(selection, side, logs);
    if (count < ANALYSIS_TAIL_POOLED_MIN) {
        *ret_log = (double)NAN;
    } else {
        code = stats_quantile_type7(logs, count, tail_probability, ret_log, reterr);
    }
    free(logs);
    return code;
}

enum duet_code analysis_tail_ratio(const struct analysis_selection *selection,
                                   double *ret_ratio, struct duet_error *reterr)
{
    double old_log = log_tail_of_runs(selection, MODEL_OLD);
    double new_log = log_tail_of_runs(selection, MODEL_NEW);
    enum duet_code code = DUET_OK;
    if (isnan(old_log) && isnan(new_log)) {
        code = log_tail_pooled(selection, MODEL_OLD, &old_log, reterr);
        if (code == DUET_OK) {
            code = log_tail_pooled(selection, MODEL_NEW, &new_log, reterr);
        }
    }
    if (code == DUET_OK) {
        *ret_ratio = exp(new_log - old_log);
    }
    return code;
}
