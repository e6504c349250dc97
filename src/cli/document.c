#include "cli/document.h"

#include "base/alloc.h"
#include "cli/stored_runs.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

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
 */
static enum duet_code times_of_run(struct stored_runs *runs,
                                   const struct answer *answer, enum model_side side,
                                   struct time_list *times, struct duet_error *reterr)
{
    bool cpu_time = answer->experiment.schedule == MODEL_SCHEDULE_TIMESLICE;
    enum duet_code code = stored_runs_side(runs, side, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_iteration item;
        code = stored_runs_iteration(runs, side, &item, &more, reterr);
        more = more && code == DUET_OK;
        if (more && (runs->imported || (item.index >= answer->drop &&
                                        (item.flags & MODEL_ITERATION_FILLER) == 0))) {
            code = times_add(times, stored_runs_time_ns(runs, side, &item, cpu_time),
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
    enum duet_code code = stored_runs_restart(runs, reterr);
    bool more = code == DUET_OK;
    while (more) {
        code = stored_runs_next(runs, &run, &more, reterr);
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
    const struct report_json_source source = {&runs, stored_runs_restart,
                                              stored_runs_next, stored_runs_side,
                                              stored_runs_iteration};
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
