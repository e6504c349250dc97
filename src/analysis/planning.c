#include "analysis/planning.h"

#include "analysis/digest.h"
#include "base/alloc.h"
#include "stats/allocation.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_RUNS = 4, FEWEST_BLOCKS = 8, RUNS_OF_BLOCK = 2 };
/* A run of the future may be so much longer than one of the pilot. */
enum { LONGER_AT_MOST = 10 };

/* The pilot's log ratios, run after run. */
struct ratios {
    double *logs;
    size_t *counts;
    size_t runs;
};

static void ratios_release(struct ratios *ratios)
{
    free(ratios->logs);
    free(ratios->counts);
}

/* Appends one run's; returns their mean. */
static enum duet_code append_run(const struct analysis_options *options,
                                 const struct model_run_values *run, double *logs,
                                 double *ret_mean, struct duet_error *reterr)
{
    struct model_run_values copy = {0};
    enum duet_code code = analysis_values_check(run, true, reterr);
    if (code == DUET_OK) {
        code = analysis_run_copy(run, &copy, reterr);
    }
    if (code == DUET_OK) {
        (void)analysis_winsorize_run(&copy, options->winsorize);
        for (size_t i = 0; i < copy.counts[MODEL_OLD]; i++) {
            logs[i] = log(copy.values[MODEL_NEW][i]) - log(copy.values[MODEL_OLD][i]);
        }
        code = stats_mean(logs, copy.counts[MODEL_OLD], ret_mean, reterr);
    }
    model_run_values_release(&copy);
    return code;
}

/* Takes half the difference between the assignments, which blocks cancel, off each. */
static void cancel_positions(const struct model_values *values, const double *means,
                             struct ratios *ratios)
{
    double sums[2] = {0.0, 0.0};
    size_t counts[2] = {0, 0};
    for (size_t r = 0; r < values->run_count; r++) {
        sums[values->runs[r].old_position] += means[r];
        counts[values->runs[r].old_position]++;
    }
    if (counts[0] == 0 || counts[1] == 0) {
        return;
    }
    double half = (sums[0] / (double)counts[0] - sums[1] / (double)counts[1]) / 2.0;
    double *logs = ratios->logs;
    for (size_t r = 0; r < values->run_count; r++) {
        double off = values->runs[r].old_position == 0 ? half : -half;
        for (size_t i = 0; i < ratios->counts[r]; i++) {
            *logs++ -= off;
        }
    }
}

static enum duet_code ratios_init(const struct model_pilot *pilot,
                                  const struct analysis_options *options,
                                  struct ratios *ratios, struct duet_error *reterr)
{
    const struct model_values *values = &pilot->values;
    double *means = alloc_array(values->run_count, sizeof *means);
    ratios->runs = values->run_count;
    ratios->logs = alloc_array((size_t)pilot->iterations, sizeof *ratios->logs);
    ratios->counts = alloc_array(values->run_count, sizeof *ratios->counts);
    enum duet_code code = DUET_OK;
    if (means == NULL || ratios->logs == NULL || ratios->counts == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for the pilot's ratios");
    }
    size_t at = 0;
    for (size_t r = 0; r < values->run_count && code == DUET_OK; r++) {
        ratios->counts[r] = values->runs[r].counts[MODEL_OLD];
        code =
            append_run(options, &values->runs[r], ratios->logs + at, &means[r], reterr);
        at += ratios->counts[r];
    }
    if (code == DUET_OK) {
        cancel_positions(values, means, ratios);
    }
    free(means);
    return code;
}

/* Of runs of one iteration nothing is known within: all is between. */
static enum duet_code components_of(const struct ratios *ratios, bool single,
                                    struct stats_components *ret_components,
                                    struct duet_error *reterr)
{
    if (!single) {
        return stats_components_estimate(ratios->logs, ratios->counts, ratios->runs,
                                         ret_components, reterr);
    }
    double sd = 0.0;
    enum duet_code code = stats_sd_sample(ratios->logs, ratios->runs, &sd, reterr);
    *ret_components =
        (struct stats_components){.between = sd * sd, .runs = ratios->runs};
    return code;
}

/* Blocks in place of runs: half the variance, twice the cost. */
static enum duet_code allocate(const struct stats_components *components,
                               const struct model_planning *planning, double effect,
                               size_t iterations_max, size_t iterations_min,
                               struct stats_allocation *ret_allocation,
                               struct duet_error *reterr)
{
    const struct stats_components of_block = {
        .within = components->within / RUNS_OF_BLOCK / (double)iterations_min,
        .between = components->between / RUNS_OF_BLOCK};
    const struct stats_allocation_wish wish = {
        .effect = log1p(effect),
        .level = planning->confidence,
        .power = planning->power,
        .run_cost = RUNS_OF_BLOCK * planning->run_cost_ns,
        .iteration_cost =
            RUNS_OF_BLOCK * planning->iteration_cost_ns * (double)iterations_min,
        .iterations_max = iterations_max,
        .runs_min = FEWEST_BLOCKS};
    struct duet_error error;
    enum duet_code code =
        stats_allocation_plan(&of_block, &wish, ret_allocation, &error);
    if (code == DUET_E_DOMAIN) { /* more than anybody would wait for */
        *ret_allocation = (struct stats_allocation){0};
        return DUET_OK;
    }
    return code == DUET_OK ? code : error_set(reterr, code, "%s", error.message);
}

static enum duet_code plan_effect(const struct stats_components *components,
                                  double effect, size_t iterations_max,
                                  struct model_planning *planning,
                                  struct duet_error *reterr)
{
    struct stats_allocation best = {0};
    struct stats_allocation same = {0};
    double measured = fmax(1.0, round(planning->iterations_measured));
    enum duet_code code =
        allocate(components, planning, effect, iterations_max, 1, &best, reterr);
    if (code == DUET_OK) {
        code =
            allocate(components, planning, effect, 1, (size_t)measured, &same, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct model_planned planned = {effect, (double)NAN, (double)NAN, (double)NAN,
                                    (double)NAN};
    if (best.runs > 0) {
        planning->iterations = best.iterations;
        planning->bounded = best.bounded;
        planned.runs = RUNS_OF_BLOCK * (double)best.runs;
        planned.ns = best.cost;
    }
    if (same.runs > 0) {
        planned.runs_as_measured = RUNS_OF_BLOCK * (double)same.runs;
        planned.ns_as_measured = same.cost;
    }
    planning->planned[planning->planned_count++] = planned;
    return DUET_OK;
}

static void costs_of(const struct model_pilot *pilot, struct model_planning *planning)
{
    double runs = (double)pilot->values.run_count;
    double iterations = (double)pilot->iterations;
    planning->iterations_measured = iterations / runs;
    planning->iteration_cost_ns = pilot->iterating_ns / iterations;
    planning->run_cost_ns = fmax(0.0, (pilot->wall_ns - pilot->iterating_ns) / runs);
}

enum duet_code analysis_planning(const struct model_pilot *pilot,
                                 const struct analysis_options *options, double power,
                                 const double *effects, size_t count,
                                 struct model_planning *ret_planning,
                                 struct duet_error *reterr)
{
    size_t runs = pilot->values.run_count;
    if (runs < FEWEST_RUNS) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a plan takes a pilot of at least %d runs, here are %zu",
                         FEWEST_RUNS, runs);
    }
    struct model_planning planning = {
        .runs = runs, .confidence = options->confidence, .power = power};
    struct ratios ratios = {0};
    struct stats_components components = {0};
    costs_of(pilot, &planning);
    bool single = pilot->iterations == runs;
    enum duet_code code = ratios_init(pilot, options, &ratios, reterr);
    if (code == DUET_OK) {
        code = components_of(&ratios, single, &components, reterr);
    }
    size_t iterations_max =
        single ? 1
               : (size_t)ceil(planning.iterations_measured) * (size_t)LONGER_AT_MOST;
    planning.within = single ? (double)NAN : sqrt(components.within);
    planning.between = sqrt(components.between);
    planning.between_unseen = components.clamped;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = plan_effect(&components, effects[i], iterations_max, &planning, reterr);
    }
    ratios_release(&ratios);
    if (code == DUET_OK) {
        *ret_planning = planning;
    }
    return code;
}
