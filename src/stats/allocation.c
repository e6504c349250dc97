#include "stats/allocation.h"

#include "stats/student.h"

#include <math.h>

/* Far more runs than anybody makes: the search ends there. */
static const size_t runs_largest = 1000000000;

void stats_pilot_add(struct stats_pilot *pilot, const struct stats_moments *run)
{
    double count = (double)run->count;
    stats_moments_add(&pilot->means, run->mean);
    stats_moments_merge(&pilot->all, run);
    pilot->squares_within += run->squares;
    pilot->squared_counts += count * count;
    pilot->runs++;
    pilot->total += (size_t)run->count;
}

enum duet_code stats_pilot_components(const struct stats_pilot *pilot,
                                      struct stats_components *ret_components,
                                      struct duet_error *reterr)
{
    size_t fewest = 2 + pilot->known;
    if (pilot->runs < fewest || pilot->total == pilot->runs) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "a pilot needs at least %zu runs and a run of at least two iterations, got %zu runs with %zu",
            fewest, pilot->runs, pilot->total);
    }
    double total = (double)pilot->total;
    double within = pilot->squares_within / (double)(pilot->total - pilot->runs);
    double mean_square = fmax(0.0, pilot->all.squares - pilot->squares_within) /
                         (double)(pilot->runs - 1 - pilot->known);
    double typical_count =
        (total - pilot->squared_counts / total) / (double)(pilot->runs - 1);
    double between = (mean_square - within) / typical_count;
    *ret_components = (struct stats_components){.within = within,
                                                .between = fmax(between, 0.0),
                                                .clamped = between < 0.0,
                                                .estimate = pilot->means.mean,
                                                .runs = pilot->runs};
    return DUET_OK;
}

enum duet_code stats_components_estimate(const double *values, const size_t *counts,
                                         size_t runs,
                                         struct stats_components *ret_components,
                                         struct duet_error *reterr)
{
    struct stats_pilot pilot = {.runs = 0};
    for (size_t r = 0; r < runs; r++) {
        enum duet_code code = stats_check_finite(values, counts[r], reterr);
        if (code == DUET_OK && counts[r] == 0) {
            code = error_set(reterr, DUET_E_TOO_FEW, "run %zu of the pilot is empty",
                             r + 1);
        }
        if (code != DUET_OK) {
            return code;
        }
        const struct stats_moments run = stats_moments_of(values, counts[r]);
        stats_pilot_add(&pilot, &run);
        values += counts[r];
    }
    return stats_pilot_components(&pilot, ret_components, reterr);
}

static enum duet_code check_wish(const struct stats_components *components,
                                 const struct stats_allocation_wish *wish,
                                 struct duet_error *reterr)
{
    if (!(components->within >= 0.0 && isfinite(components->within) &&
          components->between >= 0.0 && isfinite(components->between))) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "components of variance must be finite and not negative, got %g within and %g between runs",
            components->within, components->between);
    }
    if (!(wish->effect > 0.0 && isfinite(wish->effect))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the smallest effect must be positive, got %g", wish->effect);
    }
    if (!(wish->run_cost >= 0.0 && isfinite(wish->run_cost) &&
          wish->iteration_cost > 0.0 && isfinite(wish->iteration_cost))) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "an iteration must cost something and a run not less than nothing, got %g and %g",
            wish->iteration_cost, wish->run_cost);
    }
    if (wish->iterations_max < 1 || wish->runs_min < 2 ||
        wish->runs_min > runs_largest) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "bounds of at least 1 iteration and 2 runs are needed, got %zu and %zu",
            wish->iterations_max, wish->runs_min);
    }
    return DUET_OK;
}

static size_t cheapest_iterations(const struct stats_components *components,
                                  const struct stats_allocation_wish *wish,
                                  bool *ret_bounded)
{
    *ret_bounded = false;
    if (!(components->within > 0.0) || !(wish->run_cost > 0.0)) {
        return 1;
    }
    double best = (double)INFINITY;
    if (components->between > 0.0) {
        best = ceil(sqrt(wish->run_cost / wish->iteration_cost * components->within /
                         components->between));
    }
    if (best > (double)wish->iterations_max) {
        *ret_bounded = true;
        return wish->iterations_max;
    }
    return best < 1.0 ? 1 : (size_t)best;
}

static enum duet_code detectable(const struct stats_allocation_wish *wish,
                                 double run_variance, size_t runs,
                                 double *ret_detectable, struct duet_error *reterr)
{
    return stats_t_detectable(sqrt(run_variance / (double)runs), (double)(runs - 1),
                              wish->level, wish->power, ret_detectable, reterr);
}

/* The smallest number of runs, by doubling and halving. */
static enum duet_code fewest_runs(const struct stats_allocation_wish *wish,
                                  double run_variance, size_t *ret_runs,
                                  double *ret_detectable, struct duet_error *reterr)
{
    size_t few = wish->runs_min - 1; /* too few, or not allowed */
    size_t enough = wish->runs_min;
    double shown = 0.0;
    enum duet_code code = detectable(wish, run_variance, enough, &shown, reterr);
    while (code == DUET_OK && shown > wish->effect) {
        if (enough >= runs_largest) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "more than %zu runs would be needed for an effect of %g",
                             runs_largest, wish->effect);
        }
        few = enough;
        enough = enough > runs_largest / 2 ? runs_largest : 2 * enough;
        code = detectable(wish, run_variance, enough, &shown, reterr);
    }
    while (code == DUET_OK && enough - few > 1) {
        size_t middle = few + (enough - few) / 2;
        double at_middle = 0.0;
        code = detectable(wish, run_variance, middle, &at_middle, reterr);
        if (code == DUET_OK && at_middle <= wish->effect) {
            enough = middle;
            shown = at_middle;
        } else {
            few = middle;
        }
    }
    if (code == DUET_OK) {
        *ret_runs = enough;
        *ret_detectable = shown;
    }
    return code;
}

enum duet_code stats_allocation_plan(const struct stats_components *components,
                                     const struct stats_allocation_wish *wish,
                                     struct stats_allocation *ret_allocation,
                                     struct duet_error *reterr)
{
    struct stats_allocation plan = {0};
    enum duet_code code = check_wish(components, wish, reterr);
    if (code != DUET_OK) {
        return code;
    }
    plan.iterations = cheapest_iterations(components, wish, &plan.bounded);
    double run_variance =
        components->between + components->within / (double)plan.iterations;
    code = fewest_runs(wish, run_variance, &plan.runs, &plan.detectable, reterr);
    if (code == DUET_OK) {
        plan.cost = (double)plan.runs *
                    (wish->run_cost + (double)plan.iterations * wish->iteration_cost);
        *ret_allocation = plan;
    }
    return code;
}
