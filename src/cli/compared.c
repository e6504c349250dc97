#include "cli/compared.h"

#include "analysis/group_test.h"
#include "base/alloc.h"
#include "cli/version.h"
#include "cli/warmup_rule.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compared_release(struct compared *compared)
{
    model_values_release(&compared->values);
    *compared = (struct compared){0};
}

/* ---- From files ---- */

enum duet_code compared_from_files(const struct foreign_options *options,
                                   char *const *paths, size_t count,
                                   struct compared *ret_compared,
                                   struct duet_error *reterr)
{
    struct formats_request request = options->request;
    struct formats_foreign foreign = {0};
    request.paths[MODEL_OLD] = paths[0];
    request.paths[MODEL_NEW] = count > 1 ? paths[1] : NULL;
    enum duet_code code = formats_foreign_read(&request, &foreign, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct compared compared = {
        .values = foreign.data.values,
        .schedule = foreign_options_schedule(options, foreign.data.values.paired),
        .mode = MODEL_MODE_HARNESS,
        .has_runs = foreign.data.has_runs,
        .skipped = foreign.skipped};
    memcpy(compared.benchmarks, foreign.benchmarks, sizeof compared.benchmarks);
    (void)snprintf(compared.metric, sizeof compared.metric, "time");
    for (int side = 0; side < MODEL_SIDES; side++) {
        memcpy(compared.side_names[side], foreign.names[side],
               sizeof compared.side_names[side]);
    }
    (void)snprintf(compared.name, sizeof compared.name, "%s", paths[count - 1]);
    *ret_compared = compared;
    return DUET_OK;
}

/* ---- From the store ---- */

static enum duet_code reserve(struct model_values *values, size_t *capacity,
                              struct duet_error *reterr)
{
    if (values->run_count < *capacity) {
        return DUET_OK;
    }
    size_t wanted = *capacity == 0 ? 16 : 2 * *capacity;
    struct model_run_values *runs = alloc_resize(values->runs, wanted, sizeof *runs);
    if (runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", wanted);
    }
    values->runs = runs;
    *capacity = wanted;
    return DUET_OK;
}

/* Keeps only side `from` of a run, as `to`. */
static void keep_side(struct model_run_values *run, enum model_side from,
                      enum model_side to)
{
    double *values = run->values[from];
    size_t count = run->counts[from];
    free(run->values[1 - from]);
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(run->idle[side]); /* only pairs ask for it */
        run->idle[side] = NULL;
    }
    run->values[to] = values;
    run->counts[to] = count;
    run->values[1 - to] = NULL;
    run->counts[1 - to] = 0;
}

struct loading {
    struct store *store;
    struct compared *compared;
    size_t capacity;
    bool sides_chosen; /* two experiments: side `from` of this one becomes `to` */
    enum model_side from;
    enum model_side to;
};

static enum duet_code load_runs(struct loading *loading,
                                const struct store_experiment *experiment,
                                struct duet_error *reterr)
{
    struct model_values *values = &loading->compared->values;
    struct store_run_reader *reader = NULL;
    uint64_t drop = experiment->mode == MODEL_MODE_HARNESS ? experiment->warmup : 0;
    enum duet_code code =
        store_runs_open(loading->store, experiment->id, &reader, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = reserve(values, &loading->capacity, reterr);
        }
        if (code == DUET_OK && more) {
            struct model_run_values *loaded = &values->runs[values->run_count];
            code = store_runs_values(reader, loading->compared->metric, drop, loaded,
                                     reterr);
            if (code == DUET_OK) {
                if (loading->sides_chosen) {
                    keep_side(loaded, loading->from, loading->to);
                    loaded->run = values->run_count;
                }
                values->run_count++;
            }
        }
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
    return code;
}

static void describe_one(const struct store_experiment *experiment,
                         struct compared *compared)
{
    (void)snprintf(compared->name, sizeof compared->name, "%s", experiment->name);
    for (int side = 0; side < MODEL_SIDES; side++) {
        (void)snprintf(compared->side_names[side], sizeof compared->side_names[side],
                       "%s", experiment->names[side]);
    }
    compared->schedule = experiment->schedule;
    compared->mode = experiment->mode;
    compared->values.paired = model_schedule_is_paired(experiment->schedule);
    compared->has_runs = compared->values.paired || !answer_is_sample(experiment);
}

static void describe_two(const struct store_experiment experiments[MODEL_SIDES],
                         enum model_side side, struct compared *compared)
{
    (void)snprintf(compared->name, sizeof compared->name, "%s",
                   experiments[MODEL_NEW].name);
    for (int i = 0; i < MODEL_SIDES; i++) {
        const struct store_experiment *experiment = &experiments[i];
        (void)snprintf(compared->side_names[i], sizeof compared->side_names[i],
                       "%lld: %s", (long long)experiment->id, experiment->names[side]);
    }
    compared->schedule = MODEL_SCHEDULE_SEQUENTIAL;
    compared->mode = experiments[MODEL_NEW].mode;
    /* A sample without runs may meet one with them, but not a single measured run. */
    bool any_sample = false;
    bool any_single = false;
    for (int i = 0; i < MODEL_SIDES; i++) {
        bool sample = answer_is_sample(&experiments[i]);
        any_sample = any_sample || sample;
        any_single = any_single || (!sample && experiments[i].runs < 2);
    }
    compared->has_runs = !any_sample || any_single;
}

enum duet_code compared_from_store(struct store *store, char *const *which,
                                   size_t count, enum model_side side,
                                   struct compared *ret_compared,
                                   struct duet_error *reterr)
{
    struct store_experiment experiments[MODEL_SIDES] = {{0}, {0}};
    struct compared compared = {.has_seed = true};
    struct loading loading = {
        .store = store, .compared = &compared, .sides_chosen = count > 1, .from = side};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = store_experiment_find(store, which[i], &experiments[i], reterr);
        if (code == DUET_OK) {
            code = answer_needs_runs(&experiments[i], reterr);
        }
    }
    if (code == DUET_OK && count > 1 &&
        strcmp(experiments[0].drop_warmup, experiments[1].drop_warmup) != 0) {
        compared.uneven = true;
    } else if (code == DUET_OK) {
        code = warmup_rule_recall(&experiments[0], &compared.planned, reterr);
    }
    if (code == DUET_OK) {
        const char *metric = answer_metric(experiments[0].schedule);
        (void)snprintf(compared.metric, sizeof compared.metric, "%s", metric);
        compared.seed = experiments[0].seed;
        if (count > 1 && strcmp(metric, answer_metric(experiments[1].schedule)) != 0) {
            code = error_set(reterr, DUET_E_USAGE,
                             "'%s' measured elapsed time and the other CPU time: they "
                             "cannot be compared",
                             which[strcmp(metric, "time") == 0 ? 0 : 1]);
        }
    }
    if (code == DUET_OK && count == 1) {
        describe_one(&experiments[0], &compared);
    } else if (code == DUET_OK) {
        describe_two(experiments, side, &compared);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        loading.to = (enum model_side)i;
        code = load_runs(&loading, &experiments[i], reterr);
    }
    if (code == DUET_OK && compared.values.run_count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "'%s' has no finished run", which[0]);
    }
    store_experiment_release(&experiments[0]);
    store_experiment_release(&experiments[1]);
    if (code == DUET_OK) {
        *ret_compared = compared;
    } else {
        compared_release(&compared);
    }
    return code;
}

/* ---- The answer ---- */

/* Of the values as analysed. Errors: DUET_E_NOMEM. */
static enum duet_code median_of(const struct model_values *values, enum model_side side,
                                double *ret_median, struct duet_error *reterr)
{
    size_t count = 0;
    for (size_t r = 0; r < values->run_count; r++) {
        count += values->runs[r].counts[side];
    }
    double *pooled = alloc_array(count, sizeof *pooled);
    if (pooled == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    size_t at = 0;
    for (size_t r = 0; r < values->run_count; r++) {
        for (size_t i = 0; i < values->runs[r].counts[side]; i++) {
            pooled[at++] = values->runs[r].values[side][i];
        }
    }
    *ret_median = (double)NAN;
    enum duet_code code =
        count == 0 ? DUET_OK
                   : stats_quantile_type7(pooled, count, 0.5, ret_median, reterr);
    free(pooled);
    return code;
}

static enum duet_code analyse(struct compared *compared,
                              const struct analysis_options *options,
                              struct model_comparison *comparison,
                              struct duet_error *reterr)
{
    struct analysis *analysis = NULL;
    enum duet_code code =
        analysis_new(options, compared->values.paired, &analysis, reterr);
    for (size_t r = 0; r < compared->values.run_count && code == DUET_OK; r++) {
        code = analysis_add_run(analysis, &compared->values.runs[r], reterr);
    }
    if (code == DUET_OK) {
        code = analysis_compare(analysis, comparison, reterr);
    }
    analysis_free(analysis);
    return code;
}

enum duet_code compared_answer(struct compared *compared,
                               const struct analysis_options *options,
                               struct model_comparison *ret_comparison,
                               struct duet_error *reterr)
{
    struct analysis_options used = *options;
    struct model_comparison comparison = {.schedule = compared->schedule,
                                          .mode = compared->mode};
    if (compared->uneven && !used.cleaning.warmup_asked) {
        return error_set(reterr, DUET_E_USAGE,
                         "of the two experiments different iterations are left out as "
                         "warm-up: say --drop-warmup, for both");
    }
    if (!used.cleaning.warmup_asked) {
        used.cleaning.warmup = compared->planned.warmup;
        used.cleaning.warmup_count = compared->planned.warmup_count;
    }
    used.iterations_alone = !compared->values.paired && !compared->has_runs;
    (void)snprintf(comparison.name, sizeof comparison.name, "%s", compared->name);
    (void)snprintf(comparison.metric, sizeof comparison.metric, "%s", compared->metric);
    enum duet_code code = analysis_group_test(used.test, &compared->values, &used,
                                              &comparison.test, reterr);
    if (code == DUET_OK) {
        code = analyse(compared, &used, &comparison, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct model_summary *summary = &comparison.sides[side];
        memcpy(comparison.side_names[side], compared->side_names[side],
               sizeof comparison.side_names[side]);
        summary->user_ns = summary->system_ns = (double)NAN;
        code = median_of(&compared->values, (enum model_side)side, &summary->median_ns,
                         reterr);
    }
    const char *old_name = compared->benchmarks[MODEL_OLD];
    const char *new_name = compared->benchmarks[MODEL_NEW];
    if (*old_name != '\0' && *new_name != '\0' && strcmp(old_name, new_name) != 0) {
        model_comparison_warn(&comparison, MODEL_WARNING_DATA,
                              "two different benchmarks are compared: old is '%.70s', "
                              "new is '%.70s'",
                              old_name, new_name);
    }
    if (code == DUET_OK) {
        *ret_comparison = comparison;
    }
    return code;
}

/* ---- Into the store ---- */

enum duet_code compared_save(const struct compared *compared, struct store *store,
                             int64_t *ret_experiment, struct duet_error *reterr)
{
    struct model_plan plan = {.name = compared->name,
                              .schedule = compared->schedule,
                              .seed = compared->seed,
                              .runs = compared->values.run_count};
    for (int side = 0; side < MODEL_SIDES; side++) {
        plan.sides[side] = (struct model_workload){
            .name = compared->side_names[side], .command = compared->side_names[side]};
    }
    int64_t experiment = 0;
    enum duet_code code = store_experiment_begin(store, &plan, NULL, NULL, CLI_VERSION,
                                                 &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error error = {0};
    enum duet_code imported = store_runs_import(store, experiment, &compared->values,
                                                compared->schedule, &error);
    code = store_experiment_end(store, experiment,
                                imported == DUET_OK ? STORE_DONE : STORE_FAILED, NULL,
                                imported == DUET_OK ? NULL : error.message, reterr);
    if (imported != DUET_OK) {
        return error_set(reterr, imported, "%s", error.message);
    }
    if (code == DUET_OK) {
        *ret_experiment = experiment;
    }
    return code;
}
