#include "analysis/runs/run_summary.h"

#include "analysis/runs/run_summary_losses.h"
#include "base/alloc.h"
#include "stats/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Means of consecutive iterations, at most ANALYSIS_GROUPS_MAX of them; what is left
 * over joins the last group. Shifted together so that their mean stays that of all
 * iterations. */
static enum duet_code group_init(struct analysis_values *ret_groups,
                                 const double *times, size_t count, double mean,
                                 struct duet_error *reterr)
{
    size_t size = (count + ANALYSIS_GROUPS_MAX - 1) / ANALYSIS_GROUPS_MAX;
    size_t groups = count / size;
    enum duet_code code = analysis_values_init(ret_groups, groups, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_sum of_groups = {0};
    for (size_t g = 0; g < groups; g++) {
        size_t end = g + 1 < groups ? (g + 1) * size : count;
        struct stats_sum sum = {0};
        for (size_t i = g * size; i < end; i++) {
            stats_sum_add(&sum, times[i]);
        }
        ret_groups->values[g] = stats_sum_value(&sum) / (double)(end - g * size);
        stats_sum_add(&of_groups, ret_groups->values[g]);
    }
    double shift = mean - stats_sum_value(&of_groups) / (double)groups;
    for (size_t g = 0; g < groups; g++) {
        ret_groups->values[g] += shift;
    }
    return DUET_OK;
}

/* The times for the standard method. The mean of a resample of groups estimates what
 * the mean of a resample of iterations does (a bootstrap of non-overlapping blocks,
 * Carlstein 1986); order statistics need every iteration. */
static enum duet_code summarize_standard(struct analysis_run_summary *summary,
                                         enum stats_location location,
                                         const double *times, size_t count,
                                         enum model_side side,
                                         struct duet_error *reterr)
{
    struct analysis_values *plain = &summary->plain[side];
    if (location == STATS_LOCATION_MEAN && count > ANALYSIS_GROUPS_MAX) {
        enum duet_code code =
            stats_mean(times, count, &summary->location[side], reterr);
        return code == DUET_OK
                   ? group_init(plain, times, count, summary->location[side], reterr)
                   : code;
    }
    enum duet_code code = analysis_values_init(plain, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    memcpy(plain->values, times, count * sizeof *times);
    if (location != STATS_LOCATION_MEAN) {
        stats_sort(plain->values, count);
    }
    return stats_location_estimate(location, plain->values, count,
                                   &summary->location[side], reterr);
}

static enum duet_code summarize_kept(struct analysis_values *ret_kept,
                                     enum analysis_keep keep, const double *times,
                                     size_t count, struct duet_error *reterr)
{
    if (keep == ANALYSIS_KEEP_GROUPS && count > ANALYSIS_GROUPS_MAX) {
        double mean = 0.0;
        enum duet_code code = stats_mean(times, count, &mean, reterr);
        return code == DUET_OK ? group_init(ret_kept, times, count, mean, reterr)
                               : code;
    }
    enum duet_code code = analysis_values_init(ret_kept, count, reterr);
    if (code == DUET_OK) {
        memcpy(ret_kept->values, times, count * sizeof *times);
    }
    return code;
}

/* Constant values have no autocorrelation. */
static enum duet_code summarize_lag1(const double *values, size_t count,
                                     double *ret_lag1, struct duet_error *reterr)
{
    struct duet_error error = {0};
    double correlations[2] = {1.0, (double)NAN};
    *ret_lag1 = (double)NAN;
    if (count < ANALYSIS_LAG1_MIN) {
        return DUET_OK;
    }
    enum duet_code code = stats_autocorrelation(values, count, 1, correlations, &error);
    if (code == DUET_E_NOMEM) {
        return error_set(reterr, code, "%s", error.message);
    }
    *ret_lag1 = correlations[1];
    return DUET_OK;
}

const double analysis_tail_levels[MODEL_TAILS] = {0.9, 0.99};

/* logs: reordered. */
static enum duet_code summarize_tails(struct analysis_run_summary *summary,
                                      double *logs, size_t count, enum model_side side,
                                      struct duet_error *reterr)
{
    size_t wanted = count >= ANALYSIS_P99_MIN ? MODEL_TAILS : 1;
    double found[MODEL_TAILS];
    if (count < ANALYSIS_P90_MIN) {
        return DUET_OK;
    }
    enum duet_code code =
        stats_quantiles_type7(logs, count, analysis_tail_levels, wanted, found, reterr);
    for (size_t level = 0; level < wanted && code == DUET_OK; level++) {
        summary->log_tail[level][side] = found[level];
    }
    return code;
}

/* Everything about one side by itself. logs: scratch for counts[side] values. */
static enum duet_code summarize_side(struct analysis_run_summary *summary,
                                     const struct analysis_summary_needs *needs,
                                     const struct model_run_values *values,
                                     enum model_side side, double *logs,
                                     struct duet_error *reterr)
{
    const double *times = values->values[side];
    size_t count = values->counts[side];
    summary->log_tail[MODEL_TAIL_P90][side] = (double)NAN;
    summary->log_tail[MODEL_TAIL_P99][side] = (double)NAN;
    summary->lag1[side] = (double)NAN;
    summary->log_mean[side] = (double)NAN;
    summary->location[side] = (double)NAN;
    if (count == 0) {
        return DUET_OK;
    }
    struct stats_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        stats_moments_add(&summary->times[side], times[i]);
        logs[i] = log(times[i]);
        stats_sum_add(&sum, logs[i]);
    }
    summary->log_mean[side] = stats_sum_value(&sum) / (double)count;
    enum duet_code code = DUET_OK;
    bool ordered = needs->paired && needs->location != STATS_LOCATION_MEAN;
    if (ordered || count < ANALYSIS_P99_MIN) {
        code = analysis_values_thin(logs, count, &summary->logs[side], reterr);
    }
    if (code == DUET_OK && needs->standard) {
        code = summarize_standard(summary, needs->location, times, count, side, reterr);
    }
    if (code == DUET_OK && needs->keep != ANALYSIS_KEEP_NONE) {
        code = summarize_kept(&summary->kept[side], needs->keep, times, count, reterr);
    }
    if (code == DUET_OK) {
        code = summarize_lag1(logs, count, &summary->lag1[side], reterr);
    }
    return code == DUET_OK ? summarize_tails(summary, logs, count, side, reterr) : code;
}

/* Differences of logarithms, not logarithms of quotients: with swapped labels they are
 * the same numbers with the other sign. */
static void log_ratios(const struct model_run_values *values, double *ret_logs)
{
    for (size_t i = 0; i < values->counts[MODEL_OLD]; i++) {
        ret_logs[i] =
            log(values->values[MODEL_NEW][i]) - log(values->values[MODEL_OLD][i]);
    }
}

/* Before winsorization, which would take a rare slow iteration for an outlier. */
static void summarize_means(struct analysis_run_summary *summary,
                            const struct model_run_values *values)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct stats_sum sum = {0};
        for (size_t i = 0; i < values->counts[side]; i++) {
            stats_sum_add(&sum, values->values[side][i]);
        }
        summary->mean[ANALYSIS_AS_MEASURED][side] =
            stats_sum_value(&sum) / (double)values->counts[side];
    }
}

/* scratch: twice counts[MODEL_OLD] values. */
static enum duet_code summarize_pairs(struct analysis_run_summary *summary,
                                      const struct analysis_summary_needs *needs,
                                      const struct model_run_values *values,
                                      double *scratch, struct duet_error *reterr)
{
    struct stats_run_pairs pairs = {.log_ratios = scratch,
                                    .count = values->counts[MODEL_OLD]};
    log_ratios(values, scratch);
    enum duet_code code =
        summarize_lag1(scratch, pairs.count, &summary->lag1_ratio, reterr);
    return code == DUET_OK
               ? stats_run_facts_find(&pairs, needs->location, scratch + pairs.count,
                                      &summary->facts[ANALYSIS_AS_MEASURED], reterr)
               : code;
}

struct analysis_run_summary
analysis_run_summary_empty(const struct model_run_values *values)
{
    struct analysis_run_summary summary = {.run = values->run,
                                           .block = values->block,
                                           .old_position = values->old_position,
                                           .lag1_ratio = (double)NAN};
    for (int reading = 0; reading < ANALYSIS_READINGS; reading++) {
        summary.facts[reading] = (struct stats_run_facts){(double)NAN, (double)NAN};
        summary.mean[reading][MODEL_OLD] = summary.mean[reading][MODEL_NEW] =
            (double)NAN;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        summary.others_ns[side] = values->others_ns[side];
        summary.window_ns[side] = values->window_ns[side];
        summary.single[side] = values->single[side];
        summary.waits[side] = summary.freed_mean[side] = (double)NAN;
    }
    return summary;
}

enum duet_code analysis_run_summary_init(const struct analysis_summary_needs *needs,
                                         struct model_run_values *values,
                                         struct analysis_run_summary *ret_summary,
                                         struct duet_error *reterr)
{
    enum duet_code code = analysis_values_check(values, needs->paired, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t longest = values->counts[MODEL_OLD] > values->counts[MODEL_NEW]
                         ? values->counts[MODEL_OLD]
                         : values->counts[MODEL_NEW];
    struct analysis_run_summary summary = analysis_run_summary_empty(values);
    if (needs->paired) {
        summarize_means(&summary, values);
    }
    if (needs->paired && needs->losses) { /* which looks at the times as measured */
        code = analysis_run_summary_losses(&summary, needs, values, reterr);
    }
    summary.winsorized = analysis_winsorize_run(values, needs->winsorize);
    /* Where the idle times have been, of which one takes more than two values. */
    bool room = needs->paired && values->idle[MODEL_OLD] != NULL;
    double *made = room ? NULL : alloc_array(longest, 2 * sizeof *made);
    double *scratch = room ? (double *)values->idle[MODEL_OLD] : made;
    if (code == DUET_OK && scratch == NULL) {
        code =
            error_set(reterr, DUET_E_NOMEM, "no memory for %zu observations", longest);
    }
    if (code == DUET_OK) {
        code = summarize_side(&summary, needs, values, MODEL_OLD, scratch, reterr);
    }
    if (code == DUET_OK) {
        code = summarize_side(&summary, needs, values, MODEL_NEW, scratch, reterr);
    }
    if (code == DUET_OK && needs->paired) {
        code = summarize_pairs(&summary, needs, values, scratch, reterr);
    }
    free(made);
    if (code != DUET_OK) {
        analysis_run_summary_release(&summary);
        return code;
    }
    *ret_summary = summary;
    return DUET_OK;
}

void analysis_run_summary_release(struct analysis_run_summary *summary)
{
    if (summary == NULL) {
        return;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(summary->logs[side].values);
        free(summary->freed[side].values);
        free(summary->plain[side].values);
        free(summary->kept[side].values);
        summary->logs[side] = (struct analysis_values){0};
        summary->freed[side] = (struct analysis_values){0};
        summary->plain[side] = (struct analysis_values){0};
        summary->kept[side] = (struct analysis_values){0};
    }
}
