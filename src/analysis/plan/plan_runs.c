#include "analysis/plan/plan_runs.h"

#include "analysis/runs/log_ratios.h"

#include <math.h>

enum { FEWEST_RUNS = 4, FEWEST_BLOCKS = 8, RUNS_OF_BLOCK = 2 };
/* A run of the future may be so much longer than one of the pilot. */
enum { LONGER_AT_MOST = 10 };

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
                                 const struct model_analysis *options, double power,
                                 const double *effects, size_t count,
                                 struct model_planning *ret_planning,
                                 struct duet_error *reterr)
{
    size_t runs = pilot->values.run_count;
    if (runs < FEWEST_RUNS) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a plan needs a pilot of at least %d runs, got %zu",
                         FEWEST_RUNS, runs);
    }
    struct model_planning planning = {
        .runs = runs, .confidence = options->confidence, .power = power};
    struct analysis_log_ratios ratios = {0};
    struct stats_components components = {0};
    costs_of(pilot, &planning);
    bool single = pilot->iterations == runs;
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < runs && code == DUET_OK; r++) {
        code = analysis_log_ratios_add(&ratios, options->winsorize,
                                       &pilot->values.runs[r], reterr);
    }
    if (code == DUET_OK) {
        code = analysis_log_ratios_components(&ratios, &components, reterr);
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
    analysis_log_ratios_release(&ratios);
    if (code == DUET_OK) {
        *ret_planning = planning;
    }
    return code;
}

struct model_amount analysis_planning_next(const struct model_planning *planning,
                                           bool asked)
{
    size_t at = asked ? 0 : 1;
    while (at + 1 < planning->planned_count && !isfinite(planning->planned[at].runs)) {
        at++;
    }
    return (struct model_amount){.effect = planning->planned[at].effect,
                                 .runs = planning->planned[at].runs,
                                 .decided_ns = (double)NAN,
                                 .iterations = planning->iterations};
}
