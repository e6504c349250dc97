#include "analysis/remarks/dependence.h"

#include "analysis/paired_interval.h"
#include "base/alloc.h"
#include "stats/series.h"

#include <math.h>
#include <stdlib.h>

static const double significance = 0.01;

struct dependence {
    double correlation;
    bool significant;
};

static enum duet_code look_at(const double *values, size_t count,
                              struct dependence *ret_dependence,
                              struct duet_error *reterr)
{
    struct duet_error error = {0};
    double correlation = 0.0;
    double p_value = 1.0;
    enum duet_code code =
        stats_lag1_test(values, count, &correlation, &p_value, &error);
    if (code == DUET_E_TOO_FEW || code == DUET_E_DOMAIN) {
        return DUET_OK; /* too short or constant: nothing is seen */
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    *ret_dependence = (struct dependence){correlation, p_value < significance};
    return DUET_OK;
}

/* The values of one side that are resampled as independent: its only run's iterations,
 * or the means of its runs. */
static enum duet_code look_at_side(const struct model_analysis *options,
                                   const struct analysis_used_runs *used,
                                   enum model_side side,
                                   struct dependence *ret_dependence,
                                   struct duet_error *reterr)
{
    const struct analysis_run_summary *only = NULL;
    size_t count = 0;
    double *means = alloc_array(used->count, sizeof *means);
    if (means == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", used->count);
    }
    for (size_t r = 0; r < used->count; r++) {
        if (used->runs[r]->times[side].count > 0) {
            only = used->runs[r];
            means[count++] = used->runs[r]->log_mean[side];
        }
    }
    enum duet_code code = DUET_OK;
    if (count == 1 && options->iterations_alone) {
        code = look_at(only->kept[side].values, only->kept[side].count, ret_dependence,
                       reterr);
    } else {
        code = look_at(means, count, ret_dependence, reterr);
    }
    free(means);
    return code;
}

static void warn_of_pairs(const struct analysis_series *series, double correlation,
                          struct model_comparison *comparison)
{
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "consecutive %s depend on each other (lag-1 autocorrelation of the log ratios %.2f), "
        "but the interval assumes independence and is too narrow; "
        "use --interval block with 100 or more",
        series->unit == MODEL_UNIT_BLOCKS ? "blocks" : "runs", correlation);
}

enum duet_code analysis_dependence_warn(const struct model_analysis *options,
                                        const struct analysis_used_runs *used,
                                        bool paired,
                                        struct model_comparison *comparison,
                                        struct duet_error *reterr)
{
    struct dependence found[MODEL_SIDES] = {{0.0, false}, {0.0, false}};
    enum duet_code code = DUET_OK;
    if (options->interval == MODEL_INTERVAL_BLOCK) {
        return DUET_OK;
    }
    if (paired) {
        struct analysis_series series = analysis_paired_series(options, used);
        if (series.unit == MODEL_UNIT_ASSIGNMENTS) {
            series =
                (struct analysis_series){used->run_logs, used->count, MODEL_UNIT_RUNS};
        }
        code = look_at(series.logs, series.count, &found[0], reterr);
        if (code == DUET_OK && found[0].significant) {
            warn_of_pairs(&series, found[0].correlation, comparison);
        }
        return code;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = look_at_side(options, used, (enum model_side)side, &found[side], reterr);
    }
    bool old_depends = found[MODEL_OLD].significant;
    bool new_depends = found[MODEL_NEW].significant;
    if (code == DUET_OK && (old_depends || new_depends)) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "consecutive %s depend on each other (lag-1 autocorrelation of old %.2f, of new %.2f), "
            "but the interval assumes independence and is too narrow; "
            "use --interval block with 100 or more",
            options->iterations_alone ? "values" : "runs", found[MODEL_OLD].correlation,
            found[MODEL_NEW].correlation);
    }
    return code;
}
