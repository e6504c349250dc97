#include "cli/document.h"

#include "base/alloc.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every iteration of one side, of one run or of all. */
struct iteration_list {
    struct model_iteration *items;
    size_t count;
    size_t capacity;
};

static enum duet_code list_add(void *context, const struct model_iteration *iteration,
                               struct duet_error *reterr)
{
    struct iteration_list *list = context;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        struct model_iteration *items =
            alloc_resize(list->items, capacity, sizeof *items);
        if (items == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "out of memory");
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *iteration;
    return DUET_OK;
}

/* The times of one side over all runs, for results[]. */
struct time_list {
    double *times_ns;
    int *exit_codes;
    size_t count;
};

/* What is analysed of them: the first `drop` iterations of a run are warm-up. */
static enum duet_code times_add(struct time_list *times,
                                const struct iteration_list *list, bool cpu_time,
                                uint64_t drop, struct duet_error *reterr)
{
    double *values =
        alloc_resize(times->times_ns, times->count + list->count, sizeof *values);
    times->times_ns = values != NULL ? values : times->times_ns;
    int *codes =
        alloc_resize(times->exit_codes, times->count + list->count, sizeof *codes);
    times->exit_codes = codes != NULL ? codes : times->exit_codes;
    if (values == NULL || codes == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct model_iteration *item = &list->items[i];
        if (item->index >= drop && (item->flags & MODEL_ITERATION_FILLER) == 0) {
            times->times_ns[times->count] =
                (double)(cpu_time ? item->cpu_ns : item->end_ns - item->start_ns);
            times->exit_codes[times->count++] = item->exit_status;
        }
    }
    return DUET_OK;
}

/* An imported run has values and nothing else: as iterations, they begin at 0. In
 * results[] they keep their digits behind the nanosecond. */
static enum duet_code add_imported(struct store_run_reader *reader,
                                   struct iteration_list lists[MODEL_SIDES],
                                   struct time_list times[MODEL_SIDES],
                                   struct duet_error *reterr)
{
    struct model_run_values values = {0};
    enum duet_code code = store_runs_values(reader, "time", 0, &values, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        size_t before = times[side].count;
        for (size_t i = 0; i < values.counts[side] && code == DUET_OK; i++) {
            struct model_iteration iteration = {
                .index = i,
                .end_ns = (uint64_t)llround(fmin(values.values[side][i], 9e18)),
                .flags = MODEL_ITERATION_NO_USAGE};
            code = list_add(&lists[side], &iteration, reterr);
        }
        if (code == DUET_OK && values.counts[side] > 0) {
            code = times_add(&times[side], &lists[side], false, 0, reterr);
        }
        if (code == DUET_OK && values.counts[side] > 0) {
            memcpy(times[side].times_ns + before, values.values[side],
                   values.counts[side] * sizeof *values.values[side]);
        }
    }
    model_run_values_release(&values);
    return code;
}

static enum duet_code add_run(struct store_run_reader *reader,
                              const struct model_run *run, bool cpu_time, uint64_t drop,
                              json_t *experiment, struct time_list times[MODEL_SIDES],
                              struct duet_error *reterr)
{
    struct iteration_list lists[MODEL_SIDES] = {{0}, {0}};
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = store_runs_visit(reader, (enum model_side)side, list_add, &lists[side],
                                reterr);
        if (code == DUET_OK && lists[side].count > 0) {
            code = times_add(&times[side], &lists[side], cpu_time, drop, reterr);
        }
    }
    if (code == DUET_OK && lists[MODEL_OLD].count + lists[MODEL_NEW].count == 0) {
        code = add_imported(reader, lists, times, reterr);
    }
    struct report_json_run shown = {
        .run = run,
        .iterations = {lists[MODEL_OLD].items, lists[MODEL_NEW].items},
        .counts = {lists[MODEL_OLD].count, lists[MODEL_NEW].count}};
    if (code == DUET_OK && report_json_experiment_add(experiment, &shown) != 0) {
        code = error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    free(lists[MODEL_OLD].items);
    free(lists[MODEL_NEW].items);
    return code;
}

static enum duet_code add_answer(struct store *store, const struct answer *answer,
                                 json_t *experiments, json_t *results,
                                 json_t *comparisons, struct duet_error *reterr)
{
    const struct store_experiment *stored = &answer->experiment;
    const char *const commands[MODEL_SIDES] = {stored->commands[MODEL_OLD],
                                               stored->commands[MODEL_NEW]};
    bool cpu_time = stored->schedule == MODEL_SCHEDULE_TIMESLICE;
    struct time_list times[MODEL_SIDES] = {{0}, {0}};
    struct store_run_reader *reader = NULL;
    json_t *experiment =
        report_json_experiment(stored->name, stored->schedule, commands);
    enum duet_code code = store_runs_open(store, stored->id, &reader, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = add_run(reader, &run, cpu_time, answer->drop, experiment, times,
                           reterr);
        }
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
    bool fine = code == DUET_OK;
    for (int side = 0; side < MODEL_SIDES && fine; side++) {
        /* hyperfine's readers expect numbers. */
        fine = answer->comparison.verdict == MODEL_VERDICT_FAILED ||
               json_array_append_new(
                   results, report_json_result(
                                commands[side], stored->names[side],
                                &answer->comparison.sides[side], times[side].times_ns,
                                times[side].exit_codes, times[side].count)) == 0;
    }
    fine = fine && json_array_append(experiments, experiment) == 0 &&
           json_array_append_new(comparisons,
                                 report_json_comparison(&answer->comparison)) == 0;
    json_decref(experiment);
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(times[side].times_ns);
        free(times[side].exit_codes);
    }
    return fine || code != DUET_OK ? code
                                   : error_set(reterr, DUET_E_NOMEM, "out of memory");
}

json_t *document_context(const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    char date[32];
    struct tm utc;
    time_t seconds = (time_t)(stored->started_utc_ms / 1000);
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    double total = stored->load_after.total_ticks - stored->load_before.total_ticks;
    double steal = stored->load_after.steal_ticks - stored->load_before.steal_ticks;
    struct report_context context = {
        .host = &stored->host,
        .load_before = &stored->load_before,
        .load_after = &stored->load_after,
        .date_utc = date,
        .duet_version = stored->duet_version,
        .seed = stored->seed,
        .steal_pct = total > 0 ? 100 * steal / total : (double)NAN,
    };
    return report_json_context(&context);
}

/* The first that has an experiment: a benchmark that failed may have none. */
static const struct answer *first_measured(const struct answer *answers, size_t count)
{
    size_t at = 0;
    while (at + 1 < count && answers[at].experiment.id == 0) {
        at++;
    }
    return &answers[at];
}

enum duet_code document_make(struct store *store, const struct answer *answers,
                             const struct answers_overall *overall,
                             json_t **ret_document, struct duet_error *reterr)
{
    size_t count = overall->count;
    json_t *experiments = json_array();
    json_t *results = json_array();
    json_t *comparisons = json_array();
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (answers[i].experiment.id != 0) {
            code = add_answer(store, &answers[i], experiments, results, comparisons,
                              reterr);
        } else if (json_array_append_new(
                       comparisons, report_json_comparison(&answers[i].comparison)) !=
                   0) {
            code = error_set(reterr, DUET_E_NOMEM, "out of memory");
        }
    }
    json_t *context = document_context(first_measured(answers, count));
    json_t *document = report_json_document(context, results, experiments, comparisons);
    json_t *geomean =
        overall->has_geomean ? report_json_geomean(&overall->geomean) : json_null();
    if (json_object_set_new(document, "geometric_mean", geomean) != 0 &&
        code == DUET_OK) {
        code = error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    if (code == DUET_OK) {
        *ret_document = document;
    } else {
        json_decref(document);
    }
    return code;
}
