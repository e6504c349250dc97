#include "session/comparison/recorded.h"

#include "analysis/runs/cleaning.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/version.h"
#include "session/comparison/analysis_setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recorded_release(struct recorded *recorded)
{
    model_values_release(&recorded->values);
    free(recorded->usage);
    for (size_t i = 0; i < MODEL_SIDES; i++) {
        store_experiment_release(&recorded->origins[i]);
    }
    *recorded = (struct recorded){0};
}

/* ---- From files ---- */

struct recorded recorded_from_foreign(struct formats_foreign *foreign, size_t index,
                                      const char *name,
                                      const enum model_schedule *schedule)
{
    struct formats_found *found = &foreign->found[index];
    struct recorded recorded = {.values = found->data.values,
                                .schedule = found->data.values.paired
                                                ? MODEL_SCHEDULE_DUET
                                                : MODEL_SCHEDULE_SEQUENTIAL,
                                .mode = MODEL_MODE_HARNESS,
                                .has_runs = found->data.has_runs,
                                .together = foreign->several ? foreign->count : 0};
    found->data.values = (struct model_values){.runs = NULL};
    recorded.schedule = schedule != NULL ? *schedule : recorded.schedule;
    (void)snprintf(recorded.metric, sizeof recorded.metric, "time");
    for (int side = 0; side < MODEL_SIDES; side++) {
        memcpy(recorded.side_names[side], foreign->names[side],
               sizeof recorded.side_names[side]);
        text_copy(recorded.benchmarks[side], sizeof recorded.benchmarks[side],
                  found->names[side]);
    }
    text_copy(recorded.name, sizeof recorded.name,
              foreign->several ? found->names[MODEL_OLD] : name);
    return recorded;
}

/* ---- From the store ---- */

static enum duet_code reserve(struct recorded *recorded, size_t *capacity,
                              struct duet_error *reterr)
{
    struct model_values *values = &recorded->values;
    if (values->run_count < *capacity) {
        return DUET_OK;
    }
    size_t wanted = *capacity == 0 ? 16 : 2 * *capacity;
    struct model_run_values *runs = alloc_resize(values->runs, wanted, sizeof *runs);
    values->runs = runs != NULL ? runs : values->runs;
    struct answer_usage *usage =
        alloc_resize(recorded->usage, MODEL_SIDES * wanted, sizeof *usage);
    recorded->usage = usage != NULL ? usage : recorded->usage;
    if (runs == NULL || usage == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", wanted);
    }
    *capacity = wanted;
    return DUET_OK;
}

/* Keeps only side `from` of a run, as `to`. */
static void keep_side(struct answer_run *whole, enum model_side from,
                      enum model_side to)
{
    struct model_run_values *run = &whole->values;
    struct answer_usage usage = whole->usage[from];
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
    whole->usage[1 - to] = (struct answer_usage){0};
    whole->usage[to] = usage;
}

struct loading {
    struct store *store;
    struct recorded *recorded;
    size_t capacity;
    uint64_t drop;     /* of the experiment that is read */
    bool sides_chosen; /* two experiments: side `from` of this one becomes `to` */
    enum model_side from;
    enum model_side to;
};

static enum duet_code load_run(void *context, struct store_run_reader *reader,
                               const struct model_run *described,
                               struct duet_error *reterr)
{
    struct loading *loading = context;
    struct recorded *recorded = loading->recorded;
    struct answer_run run = {.values = {0}};
    enum duet_code code = reserve(recorded, &loading->capacity, reterr);
    if (code == DUET_OK) {
        code = answer_run_read(reader, described, recorded->metric, loading->drop, 0,
                               &run, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    if (loading->sides_chosen && run.values.counts[loading->from] == 0) {
        model_run_values_release(&run.values); /* sequential: a run of the other side */
        return DUET_OK;
    }
    size_t at = recorded->values.run_count++;
    recorded->schedule_seen = !loading->sides_chosen && described->started_ns > 0;
    if (loading->sides_chosen) {
        keep_side(&run, loading->from, loading->to);
        run.values.run = at;
    }
    recorded->values.runs[at] = run.values;
    memcpy(&recorded->usage[MODEL_SIDES * at], run.usage, sizeof run.usage);
    return DUET_OK;
}

static enum duet_code load_runs(struct loading *loading,
                                const struct store_experiment *experiment,
                                struct duet_error *reterr)
{
    loading->drop = answer_drop(experiment);
    return store_runs_each(loading->store, experiment->id, load_run, loading, reterr);
}

static void describe_one(const struct store_experiment *experiment,
                         struct recorded *recorded)
{
    text_copy(recorded->name, sizeof recorded->name, experiment->name);
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_copy(recorded->side_names[side], sizeof recorded->side_names[side],
                  experiment->names[side]);
    }
    recorded->schedule = experiment->schedule;
    recorded->mode = experiment->mode;
    recorded->values.paired = model_schedule_is_paired(experiment->schedule);
    recorded->has_runs = recorded->values.paired || !answer_is_sample(experiment);
}

static void describe_two(const struct store_experiment experiments[MODEL_SIDES],
                         enum model_side side, struct recorded *recorded)
{
    text_copy(recorded->name, sizeof recorded->name, experiments[MODEL_NEW].name);
    for (int i = 0; i < MODEL_SIDES; i++) {
        const struct store_experiment *experiment = &experiments[i];
        (void)snprintf(recorded->side_names[i], sizeof recorded->side_names[i],
                       "%lld: %s", (long long)experiment->id, experiment->names[side]);
    }
    recorded->schedule = MODEL_SCHEDULE_SEQUENTIAL;
    recorded->mode = experiments[MODEL_NEW].mode;
    /* A sample without runs may meet one with them, but not a single measured run. */
    bool any_sample = false;
    bool any_single = false;
    for (int i = 0; i < MODEL_SIDES; i++) {
        bool sample = answer_is_sample(&experiments[i]);
        any_sample = any_sample || sample;
        any_single = any_single || (!sample && experiments[i].runs < 2);
    }
    recorded->has_runs = !any_sample || any_single;
}

static bool
leave_out_differently(const struct store_experiment experiments[MODEL_SIDES])
{
    const struct model_cleaning *a = &experiments[MODEL_OLD].analysis.cleaning;
    const struct model_cleaning *b = &experiments[MODEL_NEW].analysis.cleaning;
    return a->warmup != b->warmup || a->warmup_count != b->warmup_count ||
           a->drop_magnitude != b->drop_magnitude;
}

enum duet_code recorded_from_store(struct store *store, char *const *which,
                                   size_t count, enum model_side side,
                                   struct recorded *ret_recorded,
                                   struct duet_error *reterr)
{
    struct recorded recorded = {.origin_count = count};
    struct store_experiment *experiments = recorded.origins;
    struct loading loading = {
        .store = store, .recorded = &recorded, .sides_chosen = count > 1, .from = side};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = store_experiment_find(store, which[i], &experiments[i], reterr);
        if (code == DUET_OK) {
            code = answer_needs_runs(&experiments[i], reterr);
        }
    }
    if (code == DUET_OK) {
        recorded.uneven = count > 1 && leave_out_differently(experiments);
        if (!recorded.uneven) {
            recorded.cleaning = experiments[0].analysis.cleaning;
        }
    }
    if (code == DUET_OK) {
        const char *metric = answer_metric(experiments[0].schedule);
        text_copy(recorded.metric, sizeof recorded.metric, metric);
        recorded.seed = experiments[0].seed;
        if (count > 1 && strcmp(metric, answer_metric(experiments[1].schedule)) != 0) {
            code = error_set(
                reterr, DUET_E_USAGE,
                "'%s' measured elapsed time and the other CPU time: measure both "
                "with the same --schedule",
                which[strcmp(metric, "time") == 0 ? 0 : 1]);
        }
    }
    if (code == DUET_OK && count == 1) {
        describe_one(&experiments[0], &recorded);
    } else if (code == DUET_OK) {
        describe_two(experiments, side, &recorded);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        loading.to = (enum model_side)i;
        code = load_runs(&loading, &experiments[i], reterr);
    }
    if (code == DUET_OK && recorded.values.run_count == 0) {
        code =
            error_set(reterr, DUET_E_TOO_FEW,
                      "'%s' has no finished run: measure it again, or name another one "
                      "('duet list')",
                      which[0]);
    }
    if (code == DUET_OK) {
        *ret_recorded = recorded;
    } else {
        recorded_release(&recorded);
    }
    return code;
}

/* ---- The answer ---- */

struct kept_runs {
    const struct recorded *recorded;
    size_t next;
};

/* The analysis changes what it is given: it gets copies. */
static enum duet_code kept_next(void *context, size_t most, struct answer_run *ret_run,
                                bool *ret_more, struct duet_error *reterr)
{
    (void)most; /* they are in memory already */
    struct kept_runs *runs = context;
    const struct recorded *recorded = runs->recorded;
    struct answer_run run = {.values = {0}};
    *ret_more = runs->next < recorded->values.run_count;
    if (!*ret_more) {
        return DUET_OK;
    }
    enum duet_code code =
        analysis_run_copy(&recorded->values.runs[runs->next], &run.values, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (recorded->usage != NULL) {
        memcpy(run.usage, &recorded->usage[MODEL_SIDES * runs->next], sizeof run.usage);
    }
    runs->next++;
    *ret_run = run;
    return DUET_OK;
}

enum duet_code recorded_answer(const struct recorded *recorded,
                               const struct model_analysis *options,
                               struct model_comparison *ret_comparison,
                               struct duet_error *reterr)
{
    struct model_analysis used = *options;
    struct kept_runs runs = {.recorded = recorded};
    if (recorded->uneven && !used.cleaning.warmup_asked) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the two experiments leave out different iterations as warm-up: give "
            "--drop-warmup, for both");
    }
    if (!used.cleaning.warmup_asked) {
        bool magnitude = used.cleaning.drop_magnitude;
        used.cleaning = recorded->cleaning;
        used.cleaning.drop_magnitude = magnitude || recorded->cleaning.drop_magnitude;
    }
    struct answer_source source = {.name = recorded->name,
                                   .side_names = {recorded->side_names[MODEL_OLD],
                                                  recorded->side_names[MODEL_NEW]},
                                   .metric = recorded->metric,
                                   .schedule = recorded->schedule,
                                   .schedule_seen = recorded->schedule_seen,
                                   .mode = recorded->mode,
                                   .paired = recorded->values.paired,
                                   .has_runs =
                                       recorded->values.paired || recorded->has_runs,
                                   .origin_count = recorded->origin_count,
                                   .next = kept_next,
                                   .context = &runs};
    for (size_t i = 0; i < recorded->origin_count; i++) {
        source.origins[i] = &recorded->origins[i];
    }
    enum duet_code code = answer_from(&source, &used, ret_comparison, reterr);
    const char *old_name = recorded->benchmarks[MODEL_OLD];
    const char *new_name = recorded->benchmarks[MODEL_NEW];
    if (code == DUET_OK && *old_name != '\0' && *new_name != '\0' &&
        strcmp(old_name, new_name) != 0) {
        model_comparison_warn(
            ret_comparison, MODEL_WARNING_DATA,
            "two different benchmarks are compared: old is '%.70s', new is '%.70s'; "
            "check the numbers with duet list",
            old_name, new_name);
    }
    return code;
}

/* ---- Into the store ---- */

enum duet_code recorded_save(const struct recorded *recorded, struct store *store,
                             int64_t *ret_experiment, struct duet_error *reterr)
{
    struct model_analysis analysis = analysis_setting_default();
    analysis.seed = recorded->seed;
    analysis.family = recorded->together;
    struct model_plan plan = {.name = recorded->name,
                              .schedule = recorded->schedule,
                              .seed = recorded->seed,
                              .analysis = &analysis,
                              .runs = recorded->values.run_count,
                              .runs_known = recorded->has_runs};
    for (int side = 0; side < MODEL_SIDES; side++) {
        plan.sides[side] = (struct model_workload){
            .name = recorded->side_names[side], .command = recorded->side_names[side]};
    }
    int64_t experiment = 0;
    enum duet_code code = store_experiment_begin(store, &plan, NULL, NULL, BASE_VERSION,
                                                 &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error error = {0};
    enum duet_code imported = store_runs_import(store, experiment, &recorded->values,
                                                recorded->schedule, &error);
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
