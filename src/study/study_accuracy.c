#include "study/study_accuracy.h"

#include "analysis/conclude.h"
#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/winsor.h"

#include <math.h>
#include <stdlib.h>

/* The paper's intervals, which are not the defaults. */
static struct model_analysis options_of(const struct study_accuracy_plan *plan,
                                        enum model_estimator estimator, bool paired)
{
    struct model_analysis options = model_analysis_default();
    options.confidence = plan->confidence;
    options.replicates = plan->replicates;
    options.seed = plan->seed;
    options.sample_runs = plan->sample_runs;
    options.cleaning = plan->cleaning;
    options.interval = paired ? MODEL_INTERVAL_PERCENTILE : MODEL_INTERVAL_DIFFERENCE;
    options.interval_asked = true;
    options.resample = MODEL_RESAMPLE_RUNS;
    /* The standard method beside it subtracts nothing. */
    options.losses = MODEL_LOST_KEEP;
    options.estimator = estimator;
    return options;
}

static enum duet_code analyse(const struct model_analysis *options,
                              const struct model_values *values,
                              struct model_comparison *ret_comparison,
                              struct duet_error *reterr)
{
    struct analysis *analysis = NULL;
    enum duet_code code = analysis_new(options, values->paired, &analysis, reterr);
    for (size_t i = 0; i < values->run_count && code == DUET_OK; i++) {
        struct model_run_values run = {0};
        code = analysis_run_copy(&values->runs[i], &run, reterr);
        if (code == DUET_OK) {
            code = analysis_add_run(analysis, &run, reterr);
        }
        model_run_values_release(&run);
    }
    if (code == DUET_OK) {
        code = analysis_conclude(analysis, ret_comparison, reterr);
    }
    analysis_free(analysis);
    return code;
}

enum duet_code study_accuracy_of(const struct study_accuracy_plan *plan,
                                 enum model_estimator estimator,
                                 const struct model_values *values,
                                 struct study_accuracy *ret_accuracy,
                                 struct duet_error *reterr)
{
    struct model_analysis options = options_of(plan, estimator, values->paired);
    struct model_comparison comparison = {0};
    enum duet_code code = analyse(&options, values, &comparison, reterr);
    if (code != DUET_OK) {
        return code;
    }
    /* Unpaired: of the difference relative to the mean (analysis/conclude.h). */
    double width = comparison.paired_width;
    if (!isfinite(width)) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "got %zu run; an interval needs two, and the paper's study "
                         "ten",
                         values->run_count);
    }
    const struct model_summary *sides = comparison.sides;
    double observations = (double)(sides[MODEL_OLD].count + sides[MODEL_NEW].count);
    *ret_accuracy = (struct study_accuracy){
        .ratio = comparison.ratio,
        .low = comparison.interval.low,
        .high = comparison.interval.high,
        .width_pct = width * 100,
        .shuffled_pct = values->paired ? comparison.shuffled_width * 100 : (double)NAN,
        .mean_ns = (sides[MODEL_OLD].mean_ns * (double)sides[MODEL_OLD].count +
                    sides[MODEL_NEW].mean_ns * (double)sides[MODEL_NEW].count) /
                   observations,
        .runs = comparison.runs,
        .iterations = (double)comparison.iterations / (double)comparison.runs};
    return DUET_OK;
}

enum duet_code study_analysed_copy(const struct study_accuracy_plan *plan,
                                   const struct model_values *values,
                                   struct model_values *ret_copy,
                                   struct duet_error *reterr)
{
    enum duet_code code =
        analysis_clean_copy(&plan->cleaning, values, ret_copy, reterr);
    for (size_t r = 0; code == DUET_OK && r < ret_copy->run_count; r++) {
        struct model_run_values *run = &ret_copy->runs[r];
        for (int side = 0; side < MODEL_SIDES; side++) {
            (void)stats_winsorize_one(run->values[side], run->counts[side],
                                      STATS_WINSOR_FACTOR);
        }
    }
    return code;
}

static double mean_of(const double *values, size_t count)
{
    return count == 0 ? (double)NAN : stats_moments_of(values, count).mean;
}

static double paired_ratio(const struct model_run_values *run)
{
    struct stats_moments logs = {0};
    for (size_t i = 0; i < run->counts[MODEL_OLD]; i++) {
        stats_moments_add(&logs, log(run->values[MODEL_NEW][i]) -
                                     log(run->values[MODEL_OLD][i]));
    }
    return logs.count == 0 ? (double)NAN : exp(logs.mean);
}

enum duet_code study_run_ratios(const struct model_values *values, double *ret_ratios,
                                struct duet_error *reterr)
{
    if (values->run_count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "there is no run");
    }
    for (size_t r = 0; r < values->run_count; r++) {
        const struct model_run_values *run = &values->runs[r];
        ret_ratios[r] =
            values->paired
                ? paired_ratio(run)
                : mean_of(run->values[MODEL_NEW], run->counts[MODEL_NEW]) /
                      mean_of(run->values[MODEL_OLD], run->counts[MODEL_OLD]);
    }
    return DUET_OK;
}

void study_run_means(const struct model_values *values, double *ret_means)
{
    for (size_t r = 0; r < values->run_count; r++) {
        const struct model_run_values *run = &values->runs[r];
        struct stats_moments all = {0};
        for (int side = 0; side < MODEL_SIDES; side++) {
            for (size_t i = 0; i < run->counts[side]; i++) {
                stats_moments_add(&all, run->values[side][i]);
            }
        }
        ret_means[r] = all.count == 0 ? (double)NAN : all.mean;
    }
}

enum duet_code study_run_spread(const struct model_values *values,
                                struct stats_welch_group *ret_group,
                                struct duet_error *reterr)
{
    struct stats_moments moments = {0};
    double *means = alloc_array(values->run_count, sizeof *means);
    if (means == NULL) {
        return error_no_memory(reterr);
    }
    study_run_means(values, means);
    for (size_t r = 0; r < values->run_count; r++) {
        if (isfinite(means[r])) {
            stats_moments_add(&moments, means[r]);
        }
    }
    free(means);
    double sd = stats_moments_sd_sample(&moments);
    *ret_group = (struct stats_welch_group){
        .mean = moments.mean, .variance = sd * sd, .count = (size_t)moments.count};
    return DUET_OK;
}

double study_twice_off(double ratio)
{
    return ratio / 2 - 1;
}

double study_twice_unfilled(double together_ratio)
{
    return (together_ratio + 1) / together_ratio;
}
