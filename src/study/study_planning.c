#include "study/study_planning.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 14, HALVES = 2, CANDIDATES_MAX = SIZES * SIZES * SIZES };

/* Looks at a size, and how many times the draws those after the first take. */
enum { ROUNDS = 2, CONFIRMING = 4, DRAWS_MAX = 10000 };

static const size_t sizes[SIZES] = {1,  2,  3,  5,  8,   10,  15,
                                    20, 25, 30, 50, 100, 200, 255};

void study_planning_choose(struct study_planning *planning, bool paired)
{
    if (planning->sampling == STUDY_SAMPLINGS) {
        planning->sampling = paired ? STUDY_SAMPLING_PAIRS : STUDY_SAMPLING_TRIALS;
    }
    if (planning->test == STUDY_TESTS) {
        planning->test = planning->sampling == STUDY_SAMPLING_PAIRS
                             ? STUDY_TEST_RATIO
                             : STUDY_TEST_RANKSUM;
    }
}

struct candidate {
    size_t instances;
    size_t trials;
    size_t iterations;
    double cost;
};

/* ---- Halves ---- */

/* Of each second instance of a configuration, from `parity` on, the first so many
 * iterations of each trial: a set of one configuration, or an empty one. */
static bool take_half(const struct model_dataset *dataset, size_t configuration,
                      size_t parity, size_t iterations, struct model_dataset *ret_half)
{
    const struct model_configuration *of = &dataset->configurations[configuration];
    struct model_extent extent = model_dataset_extent(dataset, configuration);
    struct model_dataset made = {
        .configurations = alloc_array(1, sizeof *made.configurations),
        .instances = alloc_array(of->count, sizeof *made.instances),
        .trials = alloc_array(extent.trials, sizeof *made.trials),
        .values = alloc_array(extent.values, sizeof *made.values),
        .olds = dataset->olds == NULL ? NULL
                                      : alloc_array(extent.values, sizeof *made.olds),
    };
    *ret_half = made;
    if (made.configurations == NULL || made.instances == NULL || made.trials == NULL ||
        made.values == NULL || (dataset->olds != NULL && made.olds == NULL)) {
        return false;
    }
    for (size_t i = parity; i < of->count; i += HALVES) {
        const struct model_instance *from = &dataset->instances[of->first + i];
        made.instances[made.instance_count++] =
            (struct model_instance){.first = made.trial_count, .count = from->count};
        for (size_t t = from->first; t < from->first + from->count; t++) {
            const struct model_trial *trial = &dataset->trials[t];
            size_t count = trial->count < iterations ? trial->count : iterations;
            memcpy(made.values + made.value_count, dataset->values + trial->first,
                   count * sizeof *made.values);
            if (made.olds != NULL) {
                memcpy(made.olds + made.value_count, dataset->olds + trial->first,
                       count * sizeof *made.olds);
            }
            made.trials[made.trial_count++] =
                (struct model_trial){.first = made.value_count, .count = count};
            made.value_count += count;
        }
    }
    made.configuration_count = 1;
    made.configurations[0].count = made.instance_count;
    *ret_half = made;
    return true;
}

/* ---- Trying ---- */

static void make_plan(const struct study_planning *planning,
                      const struct candidate *candidate,
                      struct study_grid_plan *ret_plan)
{
    *ret_plan = (struct study_grid_plan){
        .detector = {.confidence = planning->confidence,
                     .delta_least = planning->delta_least,
                     .corrected = 1,
                     .replicates = planning->replicates,
                     .slowdowns = {0.0, planning->effect},
                     .slowdown_count = 2},
        .cells = {{planning->sampling, candidate->instances, candidate->trials}},
        .cell_count = 1,
        .tests = 1U << (unsigned)planning->test,
        .draws = planning->draws,
        .false_most = planning->false_most,
        .seed = planning->seed,
        .threads = planning->threads,
    };
}

/* What a half sees; both shares are NaN when it has too few instances or trials. */
static enum duet_code try_half(const struct model_dataset *dataset,
                               size_t configuration, size_t parity,
                               const struct study_planning *planning,
                               const struct candidate *candidate, double *ret_found,
                               double *ret_false, struct duet_error *reterr)
{
    struct study_grid_plan *plan = alloc_array(1, sizeof *plan);
    struct model_dataset half = {0};
    struct study_grid_cell cell = {.done = false};
    enum duet_code code = DUET_OK;
    if (planning->go_on != NULL && !planning->go_on(planning->context)) {
        code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    } else if (plan == NULL || !take_half(dataset, configuration, parity,
                                          candidate->iterations, &half)) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to plan");
    } else {
        make_plan(planning, candidate, plan);
        code = study_grid_run(&half, plan, NULL, NULL, &cell, reterr);
    }
    if (code == DUET_OK) {
        bool tested = cell.tests != 0;
        double draws = (double)planning->draws;
        *ret_false =
            tested ? (double)cell.changed[planning->test][0] / draws : (double)NAN;
        uint32_t slower =
            cell.changed[planning->test][1] - cell.faster[planning->test][1];
        *ret_found = tested ? (double)slower / draws : (double)NAN;
    }
    model_dataset_release(&half);
    free(plan);
    return code;
}

static int compare_costs(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->cost < b->cost || b->cost < a->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    /* Of equal costs the fewer instances. */
    return (a->instances > b->instances) - (a->instances < b->instances);
}

static size_t list_candidates(const struct model_dataset *dataset, size_t configuration,
                              const struct study_planning *planning,
                              struct candidate *candidates)
{
    const struct model_configuration *of = &dataset->configurations[configuration];
    size_t most_trials = 0;
    size_t longest = 0;
    size_t count = 0;
    for (size_t i = of->first; i < of->first + of->count; i++) {
        const struct model_instance *instance = &dataset->instances[i];
        most_trials = instance->count > most_trials ? instance->count : most_trials;
        for (size_t t = instance->first; t < instance->first + instance->count; t++) {
            size_t length = dataset->trials[t].count;
            longest = length > longest ? length : longest;
        }
    }
    for (size_t i = 0; i < SIZES && sizes[i] <= of->count; i++) {
        for (size_t t = 0; t < SIZES && sizes[t] <= most_trials; t++) {
            for (size_t n = 0; n < SIZES && sizes[n] <= longest; n++) {
                double trial = planning->trial_cost + (double)sizes[n];
                double cost = (double)sizes[i] *
                              (planning->instance_cost + (double)sizes[t] * trial);
                candidates[count++] =
                    (struct candidate){sizes[i], sizes[t], sizes[n], cost};
            }
        }
    }
    qsort(candidates, count, sizeof *candidates, compare_costs);
    return count;
}

/* *ret_suffices: on the planning half, for the given draws and then for others, more
 * of them: of many sizes that are looked at, some pass once by luck. */
static enum duet_code check(const struct model_dataset *dataset, size_t configuration,
                            const struct study_planning *planning,
                            const struct candidate *candidate, double *ret_found,
                            bool *ret_suffices, struct duet_error *reterr)
{
    struct study_planning look = *planning;
    enum duet_code code = DUET_OK;
    *ret_suffices = true;
    for (int round = 0; round < ROUNDS && *ret_suffices && code == DUET_OK; round++) {
        double falsely = 0;
        code = try_half(dataset, configuration, 0, &look, candidate, ret_found,
                        &falsely, reterr);
        *ret_suffices = code == DUET_OK && *ret_found >= planning->found_least &&
                        falsely <= planning->false_most;
        look.seed++;
        look.draws = CONFIRMING * planning->draws;
    }
    return code;
}

static enum duet_code search(const struct model_dataset *dataset, size_t configuration,
                             const struct study_planning *planning,
                             const struct candidate *candidates, size_t count,
                             struct study_planned *planned, struct duet_error *reterr)
{
    struct study_planning held_out = *planning;
    enum duet_code code = DUET_OK;
    held_out.draws = CONFIRMING * planning->draws;
    for (size_t c = 0; c < count && code == DUET_OK && !planned->found; c++) {
        double found = 0;
        bool suffices = false;
        code = check(dataset, configuration, planning, &candidates[c], &found,
                     &suffices, reterr);
        if (suffices) {
            *planned = (struct study_planned){.found = true,
                                              .instances = candidates[c].instances,
                                              .trials = candidates[c].trials,
                                              .iterations = candidates[c].iterations,
                                              .cost = candidates[c].cost,
                                              .found_share = found};
            code = try_half(dataset, configuration, 1, &held_out, &candidates[c],
                            &planned->held_out_found, &planned->held_out_false, reterr);
        }
    }
    return code;
}

enum duet_code study_planning_run(const struct model_dataset *dataset,
                                  size_t configuration,
                                  const struct study_planning *planning,
                                  struct study_planned *ret_planned,
                                  struct duet_error *reterr)
{
    struct study_planned planned = {.found = false};
    if (!(planning->effect > 0) || !(planning->instance_cost >= 0) ||
        !(planning->trial_cost >= 0) || planning->draws > DRAWS_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a plan needs an effect above 0, costs of 0 or more and at most %d draws",
            DRAWS_MAX);
    }
    if (dataset->configurations[configuration].count < (size_t)2 * HALVES) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "a plan needs 4 instances of '%s', half of them to check it with, got %zu",
            model_dataset_benchmark(dataset, configuration),
            dataset->configurations[configuration].count);
    }
    struct candidate *candidates = alloc_array(CANDIDATES_MAX, sizeof *candidates);
    if (candidates == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to plan");
    }
    size_t count = list_candidates(dataset, configuration, planning, candidates);
    enum duet_code code =
        search(dataset, configuration, planning, candidates, count, &planned, reterr);
    free(candidates);
    if (code == DUET_OK) {
        *ret_planned = planned;
    }
    return code;
}
