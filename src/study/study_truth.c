#include "study/study_truth.h"

#include <math.h>

enum duet_code study_truth_of(const struct study_series *series,
                              const struct stats_statistic *statistic,
                              double *ret_truth, struct duet_error *reterr)
{
    return analysis_stop_statistic(statistic, series->values + series->test_points,
                                   series->count - series->test_points, ret_truth,
                                   reterr);
}

/* Errors are shares of the truth, which must be positive too. */
static enum duet_code check_values(const struct study_series *series,
                                   struct duet_error *reterr)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!(series->values[i] > 0.0 && isfinite(series->values[i]))) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "%s: measurement %zu is %g; tests and their truth take positive ones",
                series->name, i + 1, series->values[i]);
        }
    }
    return DUET_OK;
}

enum duet_code study_stopping_check(const struct study_stopping_plan *plan,
                                    const struct study_series *series,
                                    size_t series_count, struct duet_error *reterr)
{
    if (plan->statistic_count == 0 || plan->statistic_count > STUDY_STATISTICS_MAX ||
        plan->error_count == 0 || plan->error_count > ANALYSIS_STOP_ERRORS_MAX ||
        plan->every == 0 || plan->replicates == 0) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a study of stop rules needs 1 to %d statistics, 1 to %d errors, replicates, and a step of at least 1",
            STUDY_STATISTICS_MAX, ANALYSIS_STOP_ERRORS_MAX);
    }
    for (size_t i = 0; i < series_count; i++) {
        const struct study_series *one = &series[i];
        if (one->test_points >= one->count ||
            !(one->interval >= 1.0 && one->interval <= (double)one->test_points)) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "%s has %zu measurements, of which the first %zu are test points, %g an interval; "
                "it needs at least an interval of test points, and ground truth behind them",
                one->name, one->count, one->test_points, one->interval);
        }
        enum duet_code code = check_values(one, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}
