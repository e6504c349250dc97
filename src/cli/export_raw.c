#include "cli/export_raw.h"

#include "base/file.h"
#include "cli/document.h"
#include "report/ci/ci_names.h"
#include "report/json/json_writer.h"
#include "report/quote.h"
#include "session/comparison/stored_runs.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 16 };

struct raw {
    struct file_output file;
    struct text text; /* not written yet */
    struct json_writer json;
    struct stored_runs runs;
    const struct answer *answer;
    const char *name; /* of the benchmark, once in the file */
    bool cpu_time;
};

/* One iteration of a side. */
struct raw_item {
    const struct model_run *run;
    enum model_side side;
    const struct model_iteration *iteration;
    double time_ns;
    uint64_t number; /* of this side of the benchmark, from 0 */
};

struct raw_format {
    void (*begin)(struct raw *raw, const struct answer *first);
    void (*item)(struct raw *raw, const struct raw_item *item);
    void (*run_end)(struct raw *raw);
    void (*end)(struct raw *raw);
    void (*name)(struct text *text, const char *name); /* what becomes of a name */
    bool all;                                          /* warm-up and fillers, too */
};

/* ---- CSV ---- */

static void csv_begin(struct raw *raw, const struct answer *first)
{
    (void)first;
    text_append(&raw->text,
                "benchmark,schedule,run,block,side,iteration,time_ns,warmup,filler,cpu,"
                "cpu_time_ns,user_ns,system_ns,taken_ns,voluntary_switches,"
                "involuntary_switches,minor_faults,major_faults,exit_status\r\n");
}

static void csv_item(struct raw *raw, const struct raw_item *item)
{
    const struct model_iteration *one = item->iteration;
    struct text *text = &raw->text;
    quote_append_csv(text, raw->name);
    text_append_format(text, ",%s,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",%.17g,%d,%d",
                       model_schedule_name(raw->answer->experiment.schedule),
                       item->run->index, item->run->block, model_side_name(item->side),
                       one->index, item->time_ns,
                       !raw->runs.imported && one->index < raw->answer->drop,
                       (one->flags & MODEL_ITERATION_FILLER) != 0);
    if (raw->runs.imported) {
        text_append(text, ",,,,,,,,,,\r\n");
        return;
    }
    text_append_format(text, ",%" PRIu32, one->cpu);
    if ((one->flags & MODEL_ITERATION_NO_USAGE) != 0) {
        text_append(text, ",,,");
    } else {
        text_append_format(text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, one->cpu_ns,
                           one->user_ns, one->system_ns);
    }
    text_append(text, ",");
    if ((one->flags & MODEL_ITERATION_TAKEN_KNOWN) != 0) {
        text_append_format(text, "%" PRIu64, one->taken_ns);
    }
    if ((one->flags & MODEL_ITERATION_NO_USAGE) != 0) {
        text_append(text, ",,,,");
    } else {
        text_append_format(text, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                           one->voluntary_switches, one->involuntary_switches,
                           one->minor_faults, one->major_faults);
    }
    text_append_format(text, ",%" PRId32 "\r\n", one->exit_status);
}

/* ---- Google Benchmark ---- */

static void gbench_begin(struct raw *raw, const struct answer *first)
{
    json_writer_object(&raw->json, NULL);
    json_writer_value(&raw->json, "context", document_context(first));
    json_writer_array(&raw->json, "benchmarks");
}

static void gbench_item(struct raw *raw, const struct raw_item *item)
{
    struct json_fields fields = json_fields_begin();
    struct text name = {0};
    bool usage =
        !raw->runs.imported && (item->iteration->flags & MODEL_ITERATION_NO_USAGE) == 0;
    text_append_format(&name, "%s/%s", raw->name, model_side_name(item->side));
    json_fields_string(&fields, "name", text_string(&name));
    json_fields_string(&fields, "run_name", text_string(&name));
    json_fields_string(&fields, "run_type", "iteration");
    json_fields_uint(&fields, "repetition_index", item->number);
    json_fields_int(&fields, "threads", 1);
    json_fields_int(&fields, "iterations", 1);
    json_fields_real(&fields, "real_time", item->time_ns);
    /* compare.py asks for it. */
    json_fields_real(&fields, "cpu_time",
                     usage ? (double)item->iteration->cpu_ns : item->time_ns);
    json_fields_string(&fields, "time_unit", "ns");
    text_release(&name);
    json_writer_value(&raw->json, NULL, json_fields_end(&fields));
}

static void gbench_end(struct raw *raw)
{
    json_writer_end(&raw->json);
    json_writer_end(&raw->json);
}

/* ---- Go ---- */

static void go_begin(struct raw *raw, const struct answer *first)
{
    (void)first;
    text_append(&raw->text, "Unit ns/op assume=nothing\n");
}

/* Bytes of the blank that Go sees at `at`, as unicode.IsSpace(); 0: none. */
static size_t go_blank(const char *at)
{
    static const char *const wide[] = {
        "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",  "\u2003", "\u2004",
        "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",  "\u200a", "\u2028",
        "\u2029", "\u202f", "\u205f", "\u3000", "\xc2\x85"};
    if ((unsigned char)*at <= ' ') {
        return 1;
    }
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        if (strncmp(at, wide[i], strlen(wide[i])) == 0) {
            return strlen(wide[i]);
        }
    }
    return 0;
}

/* A name there has no blanks. */
static void go_name(struct text *text, const char *name)
{
    struct text shown = {0};
    ci_name_shown(&shown, name);
    for (const char *at = text_string(&shown); *at != '\0';) {
        size_t blank = go_blank(at);
        text_append_n(text, blank > 0 ? "_" : at, 1);
        at += blank > 0 ? blank : 1;
    }
    text->failed = text->failed || text_failed(&shown);
    text_release(&shown);
}

static void go_item(struct raw *raw, const struct raw_item *item)
{
    text_append_format(&raw->text, "Benchmark%s/side=%s 1 %.17g ns/op\n", raw->name,
                       model_side_name(item->side), item->time_ns);
}

/* As the program that go test starts ends: another run is another process. */
static void go_run_end(struct raw *raw)
{
    text_append(&raw->text, "PASS\n");
}

/* ---- All of them ---- */

static const struct raw_format formats[EXPORT_RAW_KINDS] = {
    [EXPORT_RAW_CSV] = {.begin = csv_begin,
                        .item = csv_item,
                        .name = ci_name_shown,
                        .all = true},
    [EXPORT_RAW_GBENCH] = {.begin = gbench_begin,
                           .item = gbench_item,
                           .end = gbench_end,
                           .name = ci_name_shown},
    [EXPORT_RAW_GO] = {
        .begin = go_begin, .item = go_item, .run_end = go_run_end, .name = go_name}};

static enum duet_code write_piece(void *context, const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    return file_write(context, bytes, length, reterr);
}

/* What lies ready, when it is much or `all`. */
static enum duet_code flush(struct raw *raw, bool all, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (text_failed(&raw->text)) {
        return error_no_memory(reterr);
    }
    if (raw->text.length > (all ? 0 : PIECE_BYTES)) {
        code = file_write(&raw->file, raw->text.bytes, raw->text.length, reterr);
        raw->text.length = 0;
    }
    return code;
}

static enum duet_code write_side(struct raw *raw, const struct raw_format *format,
                                 const struct model_run *run, enum model_side side,
                                 uint64_t *number, struct duet_error *reterr)
{
    enum duet_code code = stored_runs_restart_side(&raw->runs, side, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_iteration one;
        code = stored_runs_iteration(&raw->runs, side, &one, &more, reterr);
        bool counts =
            raw->runs.imported || model_iteration_counts(&one, raw->answer->drop);
        if (code == DUET_OK && more && (counts || format->all)) {
            const struct raw_item item = {
                run, side, &one,
                stored_runs_time_ns(&raw->runs, side, &one, raw->cpu_time), *number};
            format->item(raw, &item);
            ++*number;
            code = flush(raw, false, reterr);
        }
        more = more && code == DUET_OK;
    }
    return code;
}

static enum duet_code write_benchmark(struct raw *raw, const struct raw_format *format,
                                      struct store *store, struct duet_error *reterr)
{
    uint64_t numbers[MODEL_SIDES] = {0, 0};
    raw->runs =
        (struct stored_runs){.store = store, .experiment = raw->answer->experiment.id};
    raw->cpu_time = raw->answer->experiment.schedule == MODEL_SCHEDULE_TIMESLICE;
    enum duet_code code = stored_runs_restart(&raw->runs, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = stored_runs_next(&raw->runs, &run, &more, reterr);
        for (int side = 0; side < MODEL_SIDES && code == DUET_OK && more; side++) {
            code = write_side(raw, format, &run, (enum model_side)side, &numbers[side],
                              reterr);
        }
        if (code == DUET_OK && more && format->run_end != NULL) {
            format->run_end(raw);
        }
        more = more && code == DUET_OK;
    }
    stored_runs_release(&raw->runs);
    return code;
}

static enum duet_code write_all(struct raw *raw, const struct raw_format *format,
                                struct store *store, const struct answer *answers,
                                size_t count, char *const *names,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    format->begin(raw, document_first(answers, count));
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        raw->answer = &answers[i];
        raw->name = names[i];
        if (answers[i].experiment.id != 0 &&
            answers[i].comparison.verdict != MODEL_VERDICT_FAILED) {
            code = write_benchmark(raw, format, store, reterr);
        }
    }
    if (format->end != NULL) {
        format->end(raw);
        enum duet_code json =
            json_writer_finish(&raw->json, code == DUET_OK ? reterr : NULL);
        code = code == DUET_OK ? json : code;
    }
    return code == DUET_OK ? flush(raw, true, reterr) : code;
}

enum duet_code export_raw(enum export_raw_kind kind, const char *path,
                          struct store *store, const struct answer *answers,
                          const struct answers_overall *overall,
                          struct duet_error *reterr)
{
    struct raw raw = {.answer = NULL};
    const struct ci_report named = {.comparisons = overall->comparisons,
                                    .count = overall->count};
    char **names = ci_names_new(&named, formats[kind].name);
    enum duet_code code =
        names == NULL ? error_no_memory(reterr) : file_open(path, &raw.file, reterr);
    if (code == DUET_OK) {
        raw.json = (struct json_writer){.write = write_piece, .context = &raw.file};
        code = write_all(&raw, &formats[kind], store, answers, overall->count, names,
                         reterr);
        code = file_close(&raw.file, code, reterr);
    }
    text_release(&raw.text);
    ci_names_free(names, overall->count);
    return code;
}
