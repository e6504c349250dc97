#include "analysis/runs/log_ratios.h"

#include "analysis/runs/run_summary.h"
#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/winsor.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 512 };

void analysis_log_ratios_release(struct analysis_log_ratios *ratios)
{
    free(ratios->of_runs);
    *ratios = (struct analysis_log_ratios){0};
}

/* What is put in the place of one value of a side. */
struct replaced {
    bool any;
    uint64_t at;
    double value;
};

static enum duet_code find_replaced(const struct model_run_values *values,
                                    enum model_winsorize winsorize, int side,
                                    struct replaced *replaced,
                                    struct duet_error *reterr)
{
    struct stats_ends ends = {0};
    double block[BLOCK];
    enum duet_code code = DUET_OK;
    size_t count = winsorize == MODEL_WINSORIZE_OFF ? 0 : values->counts[side];
    for (size_t at = 0; at < count && code == DUET_OK; at += BLOCK) {
        code = model_run_values_copy(values, (enum model_side)side, at, block, BLOCK,
                                     reterr);
        for (size_t i = 0; code == DUET_OK && i < BLOCK && at + i < count; i++) {
            stats_ends_add(&ends, block[i]);
        }
    }
    replaced->any = stats_ends_winsorized(&ends, analysis_winsor_rule(winsorize),
                                          &replaced->at, &replaced->value);
    return code;
}

static enum duet_code block_of(const struct model_run_values *values, int side,
                               size_t at, const struct replaced *replaced,
                               double block[BLOCK], struct duet_error *reterr)
{
    enum duet_code code =
        model_run_values_copy(values, (enum model_side)side, at, block, BLOCK, reterr);
    if (replaced->any && replaced->at >= at && replaced->at < at + BLOCK) {
        block[replaced->at - at] = replaced->value;
    }
    return code;
}

static enum duet_code sum_up(const struct model_run_values *values,
                             const struct replaced replaced[MODEL_SIDES],
                             struct analysis_ratios_of_run *run,
                             struct duet_error *reterr)
{
    struct stats_sum sum = {0};
    double blocks[MODEL_SIDES][BLOCK];
    size_t count = values->counts[MODEL_OLD];
    for (size_t at = 0; at < count; at += BLOCK) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            enum duet_code code =
                block_of(values, side, at, &replaced[side], blocks[side], reterr);
            if (code != DUET_OK) {
                return code;
            }
        }
        for (size_t i = 0; i < BLOCK && at + i < count; i++) {
            double ratio = log(blocks[MODEL_NEW][i]) - log(blocks[MODEL_OLD][i]);
            stats_moments_add(&run->moments, ratio);
            stats_sum_add(&sum, ratio);
        }
    }
    run->mean = stats_sum_value(&sum) / (double)count;
    return DUET_OK;
}

enum duet_code analysis_log_ratios_add(struct analysis_log_ratios *ratios,
                                       enum model_winsorize winsorize,
                                       const struct model_run_values *values,
                                       struct duet_error *reterr)
{
    struct replaced replaced[MODEL_SIDES];
    struct analysis_ratios_of_run run = {.old_position = values->old_position};
    enum duet_code code = analysis_values_check(values, true, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = find_replaced(values, winsorize, side, &replaced[side], reterr);
    }
    if (code == DUET_OK) {
        code = sum_up(values, replaced, &run, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct analysis_ratios_of_run *of_runs =
        alloc_grow(ratios->of_runs, ratios->runs, &ratios->capacity, sizeof *of_runs);
    if (of_runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         ratios->runs + 1);
    }
    ratios->of_runs = of_runs;
    of_runs[ratios->runs++] = run;
    return DUET_OK;
}

/* Half the difference between the means of the runs of the two assignments, if there
 * are both. */
static double half_difference(const struct analysis_log_ratios *ratios, bool *ret_both)
{
    double sums[2] = {0.0, 0.0};
    size_t counts[2] = {0, 0};
    for (size_t r = 0; r < ratios->runs; r++) {
        const struct analysis_ratios_of_run *run = &ratios->of_runs[r];
        sums[run->old_position & 1U] += run->mean;
        counts[run->old_position & 1U]++;
    }
    *ret_both = counts[0] > 0 && counts[1] > 0;
    return *ret_both ? (sums[0] / (double)counts[0] - sums[1] / (double)counts[1]) / 2.0
                     : 0.0;
}

enum duet_code analysis_log_ratios_components(const struct analysis_log_ratios *ratios,
                                              struct stats_components *ret_components,
                                              struct duet_error *reterr)
{
    bool both = false;
    double half = half_difference(ratios, &both);
    struct stats_pilot pilot = {.known = both ? 1 : 0};
    for (size_t r = 0; r < ratios->runs; r++) {
        struct stats_moments run = ratios->of_runs[r].moments;
        run.mean -= ratios->of_runs[r].old_position == 0 ? half : -half;
        stats_pilot_add(&pilot, &run);
    }
    if (pilot.total > pilot.runs || pilot.runs < 2 + pilot.known) {
        return stats_pilot_components(&pilot, ret_components, reterr);
    }
    double freedom = (double)(pilot.runs - 1 - pilot.known);
    *ret_components = (struct stats_components){.between = pilot.all.squares / freedom,
                                                .runs = pilot.runs};
    return DUET_OK;
}
