#include "analysis/runs/log_ratios.h"

#include "analysis/runs/run_summary.h"
#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void analysis_log_ratios_release(struct analysis_log_ratios *ratios)
{
    free(ratios->logs);
    free(ratios->counts);
    free(ratios->old_positions);
    *ratios = (struct analysis_log_ratios){0};
}

static bool grow_runs(struct analysis_log_ratios *ratios)
{
    if (ratios->runs < ratios->runs_capacity) {
        return true;
    }
    size_t capacity = ratios->runs == 0 ? 16 : 2 * ratios->runs;
    size_t *counts = alloc_resize(ratios->counts, capacity, sizeof *counts);
    ratios->counts = counts != NULL ? counts : ratios->counts;
    unsigned *positions =
        alloc_resize(ratios->old_positions, capacity, sizeof *positions);
    ratios->old_positions = positions != NULL ? positions : ratios->old_positions;
    if (counts == NULL || positions == NULL) {
        return false;
    }
    ratios->runs_capacity = capacity;
    return true;
}

static bool grow_logs(struct analysis_log_ratios *ratios, size_t count)
{
    if (ratios->total + count <= ratios->total_capacity) {
        return true;
    }
    size_t capacity = 2 * (ratios->total + count);
    double *logs = alloc_resize(ratios->logs, capacity, sizeof *logs);
    if (logs == NULL) {
        return false;
    }
    ratios->logs = logs;
    ratios->total_capacity = capacity;
    return true;
}

enum duet_code analysis_log_ratios_add(struct analysis_log_ratios *ratios,
                                       enum model_winsorize winsorize,
                                       const struct model_run_values *values,
                                       struct duet_error *reterr)
{
    struct model_run_values copy = {0};
    size_t count = values->counts[MODEL_OLD];
    enum duet_code code = analysis_values_check(values, true, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (!grow_runs(ratios) || !grow_logs(ratios, count)) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu log ratios",
                         ratios->total + count);
    }
    code = analysis_run_copy(values, &copy, reterr);
    if (code == DUET_OK) {
        double *logs = ratios->logs + ratios->total;
        (void)analysis_winsorize_run(&copy, winsorize);
        for (size_t i = 0; i < count; i++) {
            logs[i] = log(copy.values[MODEL_NEW][i]) - log(copy.values[MODEL_OLD][i]);
        }
        ratios->counts[ratios->runs] = count;
        ratios->old_positions[ratios->runs] = values->old_position;
        ratios->runs++;
        ratios->total += count;
    }
    model_run_values_release(&copy);
    return code;
}

/* Half the difference between the means of the runs of the two assignments. */
static double half_difference(const struct analysis_log_ratios *ratios)
{
    double sums[2] = {0.0, 0.0};
    size_t counts[2] = {0, 0};
    const double *logs = ratios->logs;
    for (size_t r = 0; r < ratios->runs; r++) {
        struct stats_sum sum = {0};
        for (size_t i = 0; i < ratios->counts[r]; i++) {
            stats_sum_add(&sum, *logs++);
        }
        sums[ratios->old_positions[r] & 1U] +=
            stats_sum_value(&sum) / (double)ratios->counts[r];
        counts[ratios->old_positions[r] & 1U]++;
    }
    return counts[0] == 0 || counts[1] == 0
               ? 0.0
               : (sums[0] / (double)counts[0] - sums[1] / (double)counts[1]) / 2.0;
}

enum duet_code analysis_log_ratios_components(const struct analysis_log_ratios *ratios,
                                              struct stats_components *ret_components,
                                              struct duet_error *reterr)
{
    double half = ratios->runs > 0 ? half_difference(ratios) : 0.0;
    double *freed = alloc_array(ratios->total, sizeof *freed);
    if (freed == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu log ratios",
                         ratios->total);
    }
    size_t at = 0;
    for (size_t r = 0; r < ratios->runs; r++) {
        double off = ratios->old_positions[r] == 0 ? half : -half;
        for (size_t i = 0; i < ratios->counts[r]; i++, at++) {
            freed[at] = ratios->logs[at] - off;
        }
    }
    enum duet_code code = DUET_OK;
    if (ratios->total == ratios->runs) {
        double sd = 0.0;
        code = stats_sd_sample(freed, ratios->runs, &sd, reterr);
        *ret_components =
            (struct stats_components){.between = sd * sd, .runs = ratios->runs};
    } else {
        code = stats_components_estimate(freed, ratios->counts, ratios->runs,
                                         ret_components, reterr);
    }
    free(freed);
    return code;
}
