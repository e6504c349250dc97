#include "cli/document.h"

#include "base/day.h"
#include "report/report.h"
#include "session/comparison/stored_runs.h"

/* hyperfine's readers expect numbers. */
static bool has_results(const struct answer *answer)
{
    return answer->experiment.id != 0 &&
           model_comparison_is_measured(&answer->comparison);
}

static void write_results(struct json_writer *writer, struct store *store,
                          const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    for (int side = 0; side < MODEL_SIDES && has_results(answer); side++) {
        struct spool times = {.most = 0};
        struct duet_error error;
        enum duet_code code =
            stored_times_read(store, answer, (enum model_side)side, &times, &error);
        if (json_writer_check(writer, code, &error)) {
            report_json_result(writer, stored->commands[side], stored->names[side],
                               &answer->comparison.sides[side], &times);
        }
        spool_release(&times);
    }
}

static void write_experiment(struct json_writer *writer, struct store *store,
                             const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    const char *const commands[MODEL_SIDES] = {stored->commands[MODEL_OLD],
                                               stored->commands[MODEL_NEW]};
    struct stored_runs runs = {.store = store, .experiment = stored->id};
    const struct report_json_source source = {
        &runs, stored_runs_restart, stored_runs_next, stored_runs_restart_side,
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
    char date[DAY_MOMENT_BYTES];
    day_utc(stored->started_utc_ms, date);
    struct report_context context = {
        .host = &stored->host,
        .load_before = &stored->load_before,
        .load_after = &stored->load_after,
        .date_utc = date,
        .duet_version = stored->duet_version,
        .seed = stored->seed,
        .steal_pct = 100 * model_host_stolen(&stored->load_before, &stored->load_after),
    };
    return report_json_context(&context);
}

const struct answer *document_first(const struct answer *answers, size_t count)
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
    report_json_begin(writer, document_context(document_first(answers, count)));
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
