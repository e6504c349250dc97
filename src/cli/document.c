#include "cli/document.h"

#include "base/alloc.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The runs of one experiment in the store. An imported run has values and nothing else:
 * as iterations, they begin at 0. */
struct stored_runs {
    struct store *store;
    int64_t experiment;
    struct store_run_reader *reader;
    bool imported;                  /* the current run is */
    struct model_run_values values; /* then */
    size_t at[MODEL_SIDES];         /* the next of them */
};

static enum duet_code restart(void *context, struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    store_runs_close(runs->reader);
    runs->reader = NULL;
    return store_runs_open(runs->store, runs->experiment, &runs->reader, reterr);
}

/* Whether the current run has iterations of its own. */
static enum duet_code look_at(struct stored_runs *runs, struct duet_error *reterr)
{
    bool more = false;
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK && !more; side++) {
        struct model_iteration iteration;
        code = store_runs_begin(runs->reader, (enum model_side)side, reterr);
        if (code == DUET_OK) {
            code = store_runs_iteration(runs->reader, (enum model_side)side, &iteration,
                                        &more, reterr);
        }
    }
    runs->imported = !more;
    return code == DUET_OK && !more
               ? store_runs_values(runs->reader, "time", 0, &runs->values, reterr)
               : code;
}

static enum duet_code next_run(void *context, struct model_run *ret_run, bool *ret_more,
                               struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    model_run_values_release(&runs->values);
    enum duet_code code = store_runs_next(runs->reader, ret_run, ret_more, reterr);
    return code == DUET_OK && *ret_more ? look_at(runs, reterr) : code;
}

static enum duet_code restart_side(void *context, enum model_side side,
                                   struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    runs->at[side] = 0;
    return runs->imported ? DUET_OK : store_runs_begin(runs->reader, side, reterr);
}

static enum duet_code next_iteration(void *context, enum model_side side,
                                     struct model_iteration *ret_iteration,
                                     bool *ret_more, struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    if (!runs->imported) {
        return store_runs_iteration(runs->reader, side, ret_iteration, ret_more,
                                    reterr);
    }
    size_t at = runs->at[side]++;
    *ret_more = at < runs->values.counts[side];
    if (*ret_more) {
        *ret_iteration = (struct model_iteration){
            .index = at,
            .end_ns = (uint64_t)llround(fmin(runs->values.values[side][at], 9e18)),
            .flags = MODEL_ITERATION_NO_USAGE};
    }
    return DUET_OK;
}

static void stored_runs_release(struct stored_runs *runs)
{
    store_runs_close(runs->reader);
    model_run_values_release(&runs->values);
}

/* The times of one side over all runs, for results[]. */
struct time_list {
    double *times_ns;
    int *exit_codes;
    size_t count;
    size_t capacity;
};

static enum duet_code times_add(struct time_list *times, double time_ns, int exit_code,
                                struct duet_error *reterr)
{
    if (times->count == times->capacity) {
        size_t capacity = times->capacity == 0 ? 64 : 2 * times->capacity;
        double *values = alloc_resize(times->times_ns, capacity, sizeof *values);
        times->times_ns = values != NULL ? values : times->times_ns;
        int *codes = alloc_resize(times->exit_codes, capacity, sizeof *codes);
        times->exit_codes = codes != NULL ? codes : times->exit_codes;
        if (values == NULL || codes == NULL) {
            return error_no_memory(reterr);
        }
        times->capacity = capacity;
    }
    times->times_ns[times->count] = time_ns;
    times->exit_codes[times->count++] = exit_code;
    return DUET_OK;
}

/* What is analysed of the current run's side: its first `drop` iterations are warm-up.
 * Imported times keep their digits behind the nanosecond. */
static enum duet_code times_of_run(struct stored_runs *runs,
                                   const struct answer *answer, enum model_side side,
                                   struct time_list *times, struct duet_error *reterr)
{
    bool cpu_time = answer->experiment.schedule == MODEL_SCHEDULE_TIMESLICE;
    enum duet_code code = restart_side(runs, side, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_iteration item;
        code = next_iteration(runs, side, &item, &more, reterr);
        more = more && code == DUET_OK;
        if (more && runs->imported) {
            code = times_add(times, runs->values.values[side][item.index], 0, reterr);
        } else if (more && item.index >= answer->drop &&
                   (item.flags & MODEL_ITERATION_FILLER) == 0) {
            uint64_t took_ns = cpu_time ? item.cpu_ns : item.end_ns - item.start_ns;
            code = times_add(times, (double)took_ns / model_iteration_operations(&item),
                             item.exit_status, reterr);
        }
        more = more && code == DUET_OK;
    }
    return code;
}

static enum duet_code times_of(struct stored_runs *runs, const struct answer *answer,
                               enum model_side side, struct time_list *times,
                               struct duet_error *reterr)
{
    struct model_run run;
    enum duet_code code = restart(runs, reterr);
    bool more = code == DUET_OK;
    while (more) {
        code = next_run(runs, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = times_of_run(runs, answer, side, times, reterr);
        }
        more = more && code == DUET_OK;
    }
    return code;
}

/* hyperfine's readers expect numbers. */
static bool has_results(const struct answer *answer)
{
    return answer->experiment.id != 0 &&
           answer->comparison.verdict != MODEL_VERDICT_FAILED;
}

static void write_results(struct json_writer *writer, struct store *store,
                          const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    for (int side = 0; side < MODEL_SIDES && has_results(answer); side++) {
        struct stored_runs runs = {.store = store, .experiment = stored->id};
        struct time_list times = {0};
        struct duet_error error;
        enum duet_code code =
            times_of(&runs, answer, (enum model_side)side, &times, &error);
        if (json_writer_check(writer, code, &error)) {
            report_json_result(writer, stored->commands[side], stored->names[side],
                               &answer->comparison.sides[side], times.times_ns,
                               times.exit_codes, times.count);
        }
        free(times.times_ns);
        free(times.exit_codes);
        stored_runs_release(&runs);
    }
}

static void write_experiment(struct json_writer *writer, struct store *store,
                             const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    const char *const commands[MODEL_SIDES] = {stored->commands[MODEL_OLD],
                                               stored->commands[MODEL_NEW]};
    struct stored_runs runs = {.store = store, .experiment = stored->id};
    const struct report_json_source source = {&runs, restart, next_run, restart_side,
                                              next_iteration};
    if (stored->id != 0) {
        report_json_experiment(writer, stored->name, stored->schedule, commands,
                               &source);
    }
    stored_runs_release(&runs);
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

void document_write(struct json_writer *writer, struct store *store,
                    const struct answer *answers, const struct answers_overall *overall)
{
    size_t count = overall->count;
    report_json_begin(writer, document_context(first_measured(answers, count)));
    json_writer_array(writer, "results");
    for (size_t i = 0; i < count; i++) {
        write_results(writer, store, &answers[i]);
    }
    json_writer_end(writer);
    json_writer_array(writer, "experiments");
    for (size_t i = 0; i < count; i++) {
        write_experiment(writer, store, &answers[i]);
    }
    json_writer_end(writer);
    json_writer_array(writer, "comparisons");
    for (size_t i = 0; i < count; i++) {
        json_writer_value(writer, NULL, report_json_comparison(&answers[i].comparison));
    }
    json_writer_end(writer);
    json_writer_value(writer, "geometric_mean",
                      overall->has_geomean ? report_json_geomean(&overall->geomean)
                                           : json_null());
    json_writer_end(writer);
}
