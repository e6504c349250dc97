#include "analysis/remarks/conditions.h"

#include "base/alloc.h"
#include "stats/series.h"
#include "stats/welch.h"

#include <math.h>
#include <stdlib.h>

static const double significance = 0.01;
/* Below these nobody need do anything. */
static const double least_drift = 0.02;
static const double least_ratio_drift = 0.005;
static const double least_bias = 0.01;

/* How far two groups' means are apart, and whether that is more than chance. */
struct distance {
    double value; /* second less first; NaN: too few values */
    bool significant;
};

static struct stats_welch_group group_of(const double *values, size_t count)
{
    const struct stats_moments moments = stats_moments_of(values, count);
    double sd = stats_moments_sd_sample(&moments);
    return (struct stats_welch_group){moments.mean, sd * sd, count};
}

/* Welch's t test. */
static struct distance distance_of(const double *first, size_t first_count,
                                   const double *second, size_t second_count)
{
    if (first_count < ANALYSIS_DRIFT_MIN || second_count < ANALYSIS_DRIFT_MIN) {
        return (struct distance){(double)NAN, false};
    }
    struct stats_welch_group a = group_of(first, first_count);
    struct stats_welch_group b = group_of(second, second_count);
    return (struct distance){b.mean - a.mean,
                             stats_welch_test_of(&a, &b).p_value < significance};
}

/* The last third against the first. */
static struct distance drift_of(const double *values, size_t count)
{
    size_t third = count / 3;
    return distance_of(values, third, values + count - third, third);
}

/* Mean over the long runs; NaN without any. */
static double mean_of_runs(const struct analysis_used_runs *used, int side)
{
    struct stats_sum sum = {0};
    size_t runs = 0;
    for (size_t r = 0; r < used->count; r++) {
        double lag1 =
            side < MODEL_SIDES ? used->runs[r]->lag1[side] : used->runs[r]->lag1_ratio;
        if (!isnan(lag1)) {
            stats_sum_add(&sum, lag1);
            runs++;
        }
    }
    return runs > 0 ? stats_sum_value(&sum) / (double)runs : (double)NAN;
}

/* Of the runs' means; NaN when they are too few or all the same. */
static double lag1_of(const double *values, size_t count)
{
    double correlations[2] = {1.0, (double)NAN};
    struct duet_error ignored;
    if (count < ANALYSIS_LAG1_MIN ||
        stats_autocorrelation(values, count, 1, correlations, &ignored) != DUET_OK) {
        return (double)NAN;
    }
    return correlations[1];
}

/* The mean log times of the runs in their order; both sides' sums where they ran
 * together. Returns how many. */
static size_t means_of(const struct analysis_used_runs *used, int side,
                       double *ret_means)
{
    size_t count = 0;
    for (size_t r = 0; r < used->count; r++) {
        const double *means = used->runs[r]->log_mean;
        double mean = side < MODEL_SIDES ? means[side]
                                         : (means[MODEL_OLD] + means[MODEL_NEW]) / 2.0;
        if (!isnan(mean)) {
            ret_means[count++] = mean;
        }
    }
    return count;
}

static void warn_of_drift(struct model_comparison *comparison, bool paired,
                          const struct distance *times, const struct distance *ratio)
{
    if (!paired && times->significant && fabs(times->value) > least_drift) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the times drifted by %+.1f %% from the first third of the runs to the last, "
            "which an unpaired schedule cannot tell from a change; use --schedule duet",
            100.0 * expm1(times->value));
    }
    if (ratio->significant && fabs(ratio->value) > least_ratio_drift) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "the ratio itself drifted by %+.2f %% from the first third of the "
            "experiment to the last, so the sides do not differ by a constant "
            "factor (warm-up, filling caches); use --drop-warmup, or measure longer",
            100.0 * expm1(ratio->value));
    }
}

static void warn_of_bias(struct model_comparison *comparison,
                         const struct distance *bias)
{
    if (bias->significant && fabs(bias->value) / 2.0 > least_bias) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the %s of the two CPUs is %.1f %% slower; the sides took turns on it, "
            "so this cancels in the ratio; where there are more CPUs, two that are "
            "alike give narrower intervals (--cpus A,B)",
            bias->value > 0.0 ? "second" : "first",
            100.0 * expm1(fabs(bias->value) / 2.0));
    }
}

/* Runs where old was at position 0 show the ratio times the second CPU's slowness,
 * the others the ratio over it. */
static struct distance bias_of(const struct analysis_used_runs *used)
{
    const double *logs = used->assignment_logs;
    size_t half = used->block_count;
    return used->assignments_known ? distance_of(logs + half, half, logs, half)
                                   : (struct distance){(double)NAN, false};
}

enum duet_code analysis_conditions(const struct analysis_used_runs *used, bool paired,
                                   struct model_comparison *comparison,
                                   struct duet_error *reterr)
{
    struct model_conditions *conditions = &comparison->conditions;
    double *means = alloc_array(used->count, sizeof *means);
    if (means == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", used->count);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        double of_runs = mean_of_runs(used, side);
        size_t count = means_of(used, side, means);
        conditions->lag1_times[side] = isnan(of_runs) ? lag1_of(means, count) : of_runs;
    }
    struct distance times = {(double)NAN, false};
    struct distance ratio = {(double)NAN, false};
    struct distance bias = {(double)NAN, false};
    conditions->lag1_ratios = (double)NAN;
    conditions->involuntary_per_s = conditions->taken_ratio = (double)NAN;
    if (paired) {
        double of_runs = mean_of_runs(used, MODEL_SIDES);
        conditions->lag1_ratios =
            isnan(of_runs) ? lag1_of(used->block_logs, used->block_count) : of_runs;
        times = drift_of(means, means_of(used, MODEL_SIDES, means));
        ratio = drift_of(used->block_logs, used->block_count);
        bias = bias_of(used);
    } else {
        times = drift_of(means, means_of(used, MODEL_OLD, means));
    }
    conditions->drift = expm1(times.value);
    conditions->ratio_drift = expm1(ratio.value);
    conditions->cpu_bias = expm1(bias.value / 2.0);
    warn_of_drift(comparison, paired, &times, &ratio);
    warn_of_bias(comparison, &bias);
    free(means);
    return DUET_OK;
}
