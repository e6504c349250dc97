#include "analysis/remarks/losses_said.h"

#include <math.h>

double analysis_ratio_as_measured(const struct analysis_used_runs *used)
{
    struct stats_sum sum = {0};
    for (size_t r = 0; r < used->count; r++) {
        stats_sum_add(&sum, used->runs[r]->facts[ANALYSIS_AS_MEASURED].log_ratio);
    }
    return exp(stats_sum_value(&sum) / (double)used->count);
}

/* How far the log ratios as measured lie from those that count, on average over runs,
 * in standard errors; 0 with fewer than two runs. */
static double surely_apart(const struct analysis_used_runs *used)
{
    struct stats_moments moments = {0};
    for (size_t r = 0; r < used->count; r++) {
        double as_measured = used->runs[r]->facts[ANALYSIS_AS_MEASURED].log_ratio;
        stats_moments_add(&moments, as_measured - used->run_logs[r]);
    }
    double error = stats_moments_sd_sample(&moments) / sqrt((double)used->count);
    return error > 0.0 ? fabs(moments.mean) / error : 0.0;
}

void analysis_losses_warn(const struct analysis_used_runs *used, bool of_one_kind,
                          struct model_comparison *comparison)
{
    const double apart = 0.01;
    const double surely = 3.0;
    double log_ratio = log(comparison->ratio);
    double distance = fabs(log(comparison->ratio_as_measured) - log_ratio);
    if (comparison->losses == MODEL_LOSSES_REMOVED && distance > apart &&
        surely_apart(used) > surely) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the measured times differ by %+.1f %%, and by %+.1f %% without the CPU "
            "time that other programs took; stop the other programs for a narrower "
            "interval",
            100.0 * (comparison->ratio_as_measured - 1.0),
            100.0 * (comparison->ratio - 1.0));
    }
    if (comparison->losses == MODEL_LOSSES_BOUNDED) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "other programs used the CPUs; how much they took is unknown, "
            "because the sides wait or have several tasks%s; stop the other programs for a narrower interval",
            of_one_kind ? ": the interval holds for elapsed time and for CPU time"
                        : ", and do so differently: the interval allows for any loss");
    }
}
