#include "cli/history/history_export.h"

#include "base/file.h"
#include "cli/history/history_words.h"
#include "cli/json_file.h"
#include "report/quote.h"
#include "json/json_fields.h"

#include <math.h>

/* ---- JSON ---- */

static const char *kind_name(enum analysis_commit_kind kind)
{
    switch (kind) {
    case ANALYSIS_COMMIT_UNKNOWN:
        break;
    case ANALYSIS_COMMIT_USUAL:
        return "usual";
    case ANALYSIS_COMMIT_SPIKE:
        return "spike";
    case ANALYSIS_COMMIT_EDGE:
        return "edge";
    }
    return "unknown";
}

static json_t *commit_object(const struct history_set *set,
                             const struct analysis_history *history, size_t at)
{
    const struct history_commit *commit = &set->commits[at];
    const struct analysis_commit *answer = &history->commits[at];
    char date[DAY_MOMENT_BYTES];
    struct json_fields fields = json_fields_begin();
    history_date(commit->committed_utc_ms, true, date);
    json_fields_string(&fields, "commit", commit->hash);
    json_fields_string(&fields, "date", date);
    json_fields_take(&fields, "subject", json_fields_text(commit->subject));
    json_fields_string(&fields, "kind", kind_name(answer->kind));
    json_fields_uint(&fields, "piece", answer->piece);
    json_fields_real(&fields, "ratio", answer->ratio);
    json_fields_real(&fields, "low", answer->low);
    json_fields_real(&fields, "high", answer->high);
    return json_fields_end(&fields);
}

static json_t *change_object(const struct history_set *set,
                             const struct analysis_change *change)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "before", set->commits[change->before].hash);
    json_fields_string(&fields, "commit", set->commits[change->at].hash);
    json_fields_uint(&fields, "piece", change->piece);
    json_fields_real(&fields, "ratio", change->ratio);
    json_fields_real(&fields, "low", change->low);
    json_fields_real(&fields, "high", change->high);
    json_fields_real(&fields, "change_pct", 100 * (change->ratio - 1));
    json_fields_real(&fields, "p_value", change->p_value);
    json_fields_take(&fields, "measured_beside", json_boolean(change->beside));
    return json_fields_end(&fields);
}

static json_t *vague_object(const struct history_set *set,
                            const struct analysis_link *link)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "old", set->commits[link->from].hash);
    json_fields_string(&fields, "new", set->commits[link->to].hash);
    json_fields_real(&fields, "ratio", link->ratio);
    json_fields_real(&fields, "low", link->low);
    json_fields_real(&fields, "high", link->high);
    return json_fields_end(&fields);
}

static json_t *benchmark_object(const struct history_set *set,
                                const struct history_benchmark *benchmark)
{
    const struct analysis_history *history = &benchmark->answer;
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "name", json_fields_text(benchmark->name));
    json_fields_uint(&fields, "comparisons", benchmark->comparisons);
    json_fields_uint(&fields, "left_out", benchmark->open);
    json_t *list = json_fields_list(&fields, "vague");
    for (size_t i = 0; i < history->vague_count; i++) {
        json_fields_add(&fields, list, vague_object(set, &history->vague[i]));
    }
    list = json_fields_list(&fields, "references");
    for (size_t i = 0; i < history->piece_count; i++) {
        json_fields_add(
            &fields, list,
            json_fields_text(set->commits[history->pieces[i].reference].hash));
    }
    list = json_fields_list(&fields, "commits");
    for (size_t i = set->dropped; i < set->shown; i++) {
        if (history->commits[i].kind != ANALYSIS_COMMIT_UNKNOWN) {
            json_fields_add(&fields, list, commit_object(set, history, i));
        }
    }
    list = json_fields_list(&fields, "changes");
    for (size_t i = 0; i < history->change_count; i++) {
        json_fields_add(&fields, list, change_object(set, &history->changes[i]));
    }
    return json_fields_end(&fields);
}

enum duet_code history_export_json(const char *path, const struct history_set *set,
                                   const struct analysis_history_options *options,
                                   struct duet_error *reterr)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_string(&fields, "order", set->by_branch ? "first_parent" : "time");
    json_fields_real(&fields, "confidence", options->confidence);
    json_fields_real(&fields, "error", options->error);
    json_fields_real(&fields, "least_change_pct", 100 * options->least);
    json_fields_uint(&fields, "cpu_models", set->cpu_models);
    json_fields_uint(&fields, "uncommitted_left_out", set->changed);
    json_fields_uint(&fields, "unanswered_left_out", set->unanswered);
    json_t *benchmarks = json_fields_list(&fields, "benchmarks");
    for (size_t i = 0; i < set->benchmark_count; i++) {
        json_fields_add(&fields, benchmarks,
                        benchmark_object(set, &set->benchmarks[i]));
    }
    return file_write_json(path, json_fields_end(&fields), reterr);
}

/* ---- Otava's CSV ---- */

enum duet_code history_export_csv(const char *path, const struct history_set *set,
                                  struct duet_error *reterr)
{
    const struct analysis_history *history = &set->benchmarks[0].answer;
    struct text text = {0};
    size_t piece = 0;
    if (set->benchmark_count > 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "--export-csv is of one benchmark, since Otava reads no gaps, "
                         "and there are %zu: name one",
                         set->benchmark_count);
    }
    for (size_t i = set->dropped; i < set->shown; i++) {
        piece = history->commits[i].kind != ANALYSIS_COMMIT_UNKNOWN
                    ? history->commits[i].piece
                    : piece;
    }
    text_append(&text, "time,commit,subject,ratio,ratio_low,ratio_high\r\n");
    for (size_t i = set->dropped; i < set->shown; i++) {
        const struct analysis_commit *answer = &history->commits[i];
        char date[DAY_MOMENT_BYTES];
        if (answer->kind == ANALYSIS_COMMIT_UNKNOWN || answer->piece != piece) {
            continue;
        }
        history_date(set->commits[i].committed_utc_ms, true, date);
        text_append_format(&text, "%s,", date);
        quote_append_csv(&text, set->commits[i].hash);
        text_append_char(&text, ',');
        quote_append_csv(&text, set->commits[i].subject);
        text_append_format(&text, ",%.17g,%.17g,%.17g\r\n", answer->ratio, answer->low,
                           answer->high);
    }
    return file_write_text(path, &text, reterr);
}
