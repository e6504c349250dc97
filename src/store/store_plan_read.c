/* A stored plan, read back: the other way round of store_plan.c. */
#include "store/store_resume.h"

#include "store/store_private.h"

#include "base/text.h"
#include "model/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "reading a plan";

/* Reads one value after the other; remembers the first failure. */
struct plan_reader {
    struct store *store;
    sqlite3_stmt *statement; /* json_extract() of the plan */
    int64_t experiment;
    struct store_plan *plan;
    enum duet_code code;
    struct duet_error *error;
};

/* The statement at the row that has the value at `path`; NULL after a failure. */
static sqlite3_stmt *value_at(struct plan_reader *reader, const char *path)
{
    bool row = false;
    if (reader->code == DUET_OK) {
        struct store_query query = store_bind(reader->store, doing, reader->statement);
        store_bind_int(&query, reader->experiment);
        store_bind_string(&query, path);
        reader->code = store_step(&query, &row, reader->error);
    }
    if (reader->code == DUET_OK && !row) {
        reader->code = error_set(reader->error, DUET_E_NOT_FOUND,
                                 "store '%s' has no experiment %lld",
                                 reader->store->path, (long long)reader->experiment);
    }
    return reader->code == DUET_OK ? reader->statement : NULL;
}

static uint64_t count_at(struct plan_reader *reader, const char *path)
{
    sqlite3_stmt *row = value_at(reader, path);
    return row == NULL ? 0 : store_column_count(row, 0);
}

static bool flag_at(struct plan_reader *reader, const char *path)
{
    return count_at(reader, path) != 0;
}

/* Owned by the plan; NULL for null. */
static const char *text_at(struct plan_reader *reader, const char *path)
{
    sqlite3_stmt *row = value_at(reader, path);
    if (row == NULL || sqlite3_column_type(row, 0) == SQLITE_NULL) {
        return NULL;
    }
    char *text = store_column_string(row, 0);
    if (text == NULL) {
        reader->code = error_set(reader->error, DUET_E_NOMEM,
                                 "store '%s': no memory left while %s",
                                 reader->store->path, doing);
        return NULL;
    }
    reader->plan->texts[reader->plan->count++] = text;
    return text;
}

static unsigned enum_at(struct plan_reader *reader, const char *path,
                        store_name_of *name_of, unsigned count)
{
    unsigned value = 0;
    sqlite3_stmt *row = value_at(reader, path);
    if (row != NULL) {
        reader->code = store_column_enum(reader->store, row, 0, name_of, count, &value,
                                         reader->error);
    }
    return value;
}

static enum model_fill fill_at(struct plan_reader *reader, const char *path)
{
    return (enum model_fill)enum_at(reader, path, model_fill_name, MODEL_FILL_KILL + 1);
}

static struct model_stream stream_at(struct plan_reader *reader, const char *kind,
                                     const char *path)
{
    return (struct model_stream){
        .kind = (enum model_stream_kind)enum_at(reader, kind, model_stream_kind_name,
                                                MODEL_STREAM_FILE + 1),
        .path = text_at(reader, path)};
}

static void cpus_at(struct plan_reader *reader, const char *path,
                    struct model_cpu_set *set)
{
    uint64_t count = 0;
    sqlite3_stmt *row = value_at(reader, path);
    /* A list is text of digits, commas and brackets. */
    const char *list = row == NULL ? NULL : (const char *)sqlite3_column_text(row, 0);
    for (const char *at = list; at != NULL && *at != '\0' && count < MODEL_CPUS_MAX;) {
        char *end = NULL;
        unsigned long cpu = strtoul(at, &end, 10);
        if (end == at) {
            at++;
        } else {
            set->cpus[count++] = (unsigned)cpu;
            at = end;
        }
    }
    set->count = count;
}

static void read_side(struct plan_reader *reader, const char *const paths[7],
                      struct model_workload *side)
{
    *side = (struct model_workload){.name = text_at(reader, paths[0]),
                                    .command = text_at(reader, paths[1]),
                                    .setup = text_at(reader, paths[2]),
                                    .prepare = text_at(reader, paths[3]),
                                    .conclude = text_at(reader, paths[4]),
                                    .cleanup = text_at(reader, paths[5]),
                                    .folder = text_at(reader, paths[6])};
}

static void read_amount(struct plan_reader *reader, struct model_plan *plan)
{
    const char *seed = text_at(reader, "$.seed");
    plan->seed = seed == NULL ? 0 : strtoull(seed, NULL, 10);
    plan->iterations = count_at(reader, "$.iterations");
    plan->run_time_ns = count_at(reader, "$.run_time_ns");
    plan->adapt_run_time = flag_at(reader, "$.adapt_run_time");
    plan->warmup = count_at(reader, "$.warmup");
    plan->runs = count_at(reader, "$.runs");
    plan->min_runs = count_at(reader, "$.min_runs");
    plan->min_runs_held = flag_at(reader, "$.min_runs_held");
    plan->max_runs = count_at(reader, "$.max_runs");
    plan->budget_ns = count_at(reader, "$.budget_ns");
    plan->timeout_ns = count_at(reader, "$.timeout_ns");
    plan->until = (enum model_until)enum_at(reader, "$.until", model_until_name,
                                            MODEL_UNTIL_PRECISION + 1);
    sqlite3_stmt *row = value_at(reader, "$.precision");
    plan->precision_ratio = row == NULL ? (double)NAN : store_column_real(row, 0);
}

static void read_manner(struct plan_reader *reader, struct model_plan *plan)
{
    plan->schedule = (enum model_schedule)enum_at(reader, "$.schedule",
                                                  model_schedule_name, MODEL_SCHEDULES);
    plan->choose_schedule = flag_at(reader, "$.choose_schedule");
    plan->layout = (enum model_layout)enum_at(reader, "$.layout", model_layout_name,
                                              MODEL_LAYOUTS);
    plan->ignore_failure = flag_at(reader, "$.ignore_failure");
    plan->usage = flag_at(reader, "$.usage");
    plan->shell = text_at(reader, "$.shell");
    plan->fill[0] = fill_at(reader, "$.fill.command");
    plan->fill[1] = fill_at(reader, "$.fill.harness");
    plan->input = stream_at(reader, "$.input.kind", "$.input.path");
    plan->output = stream_at(reader, "$.output.kind", "$.output.path");
    plan->error_output =
        stream_at(reader, "$.error_output.kind", "$.error_output.path");
    cpus_at(reader, "$.cpus[0]", &plan->cpus[0]);
    cpus_at(reader, "$.cpus[1]", &plan->cpus[1]);
}

static void read_sides(struct plan_reader *reader, struct model_plan *plan)
{
    static const char *const old_paths[7] = {
        "$.sides[0].name",    "$.sides[0].command",  "$.sides[0].setup",
        "$.sides[0].prepare", "$.sides[0].conclude", "$.sides[0].cleanup",
        "$.sides[0].folder"};
    static const char *const new_paths[7] = {
        "$.sides[1].name",    "$.sides[1].command",  "$.sides[1].setup",
        "$.sides[1].prepare", "$.sides[1].conclude", "$.sides[1].cleanup",
        "$.sides[1].folder"};
    read_side(reader, old_paths, &plan->sides[MODEL_OLD]);
    read_side(reader, new_paths, &plan->sides[MODEL_NEW]);
}

static enum duet_code damaged(const struct plan_reader *reader)
{
    return error_set(reader->error, DUET_E_FORMAT,
                     "store '%s': experiment %lld has no plan that can be carried out",
                     reader->store->path, (long long)reader->experiment);
}

void store_plan_release(struct store_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->texts[i]);
    }
    *plan = (struct store_plan){0};
}

enum duet_code store_plan_read(struct store *store, int64_t experiment,
                               struct store_plan *ret_plan, struct duet_error *reterr)
{
    struct store_plan plan = {0};
    struct plan_reader reader = {
        .store = store, .experiment = experiment, .plan = &plan, .error = reterr};
    reader.code = store_prepare(
        store, "SELECT json_extract(plan, ?2) FROM experiment WHERE id = ?1", doing,
        &reader.statement, reterr);
    plan.plan.name = text_at(&reader, "$.name");
    plan.plan.folder = text_at(&reader, "$.folder");
    read_amount(&reader, &plan.plan);
    read_manner(&reader, &plan.plan);
    read_sides(&reader, &plan.plan);
    if (reader.code == DUET_OK &&
        (plan.plan.name == NULL || plan.plan.sides[MODEL_OLD].command == NULL ||
         plan.plan.sides[MODEL_NEW].command == NULL)) {
        reader.code = damaged(&reader);
    }
    sqlite3_finalize(reader.statement);
    if (reader.code != DUET_OK) {
        store_plan_release(&plan);
        return reader.code;
    }
    *ret_plan = plan;
    return DUET_OK;
}

/* What is stored under a key, and what under the same key of the other document. */
static const char difference_sql[] =
    "WITH old AS (SELECT fullkey AS way, atom, type FROM json_tree(?1)), "
    "new AS (SELECT fullkey AS way, atom, type FROM json_tree(?2)), "
    "pair AS (SELECT o.way, o.atom AS was, n.atom AS is_now FROM old AS o LEFT JOIN new AS n "
    "USING (way) WHERE o.atom IS NOT n.atom OR o.type IS NOT n.type "
    "UNION ALL SELECT n.way, NULL, n.atom FROM new AS n LEFT JOIN old AS o USING (way) "
    "WHERE o.way IS NULL) "
    "SELECT substr(way, 3) || ' was ' || CASE WHEN was IS NULL THEN 'nothing' ELSE quote(was) END || "
    "' and is ' || CASE WHEN is_now IS NULL THEN 'nothing' ELSE quote(is_now) END FROM pair ORDER BY instr(way, 'argv') > 0, way LIMIT 1";

static enum duet_code difference(struct store *store, const char *was, const char *now,
                                 char *ret_text, size_t size, struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(store, doing, difference_sql);
    store_bind_string(&query, was);
    store_bind_string(&query, now);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        store_column_text(query.statement, 0, ret_text, size);
    }
    store_query_end(&query);
    return code;
}

enum duet_code store_plan_difference(struct store *store, int64_t experiment,
                                     const struct model_plan *plan, char *ret_text,
                                     size_t size, struct duet_error *reterr)
{
    char *json = NULL;
    struct text analysis = {0};
    struct store_query query = {0};
    bool row = false;
    ret_text[0] = '\0';
    enum duet_code code = store_plan_json(store, plan, &json, reterr);
    if (code == DUET_OK) {
        query = store_ask(store, doing,
                          "SELECT plan, analysis FROM experiment WHERE id = ?");
        store_bind_int(&query, experiment);
        code = store_step(&query, &row, reterr);
    }
    if (code == DUET_OK && row) {
        code = difference(store, (const char *)sqlite3_column_text(query.statement, 0),
                          json, ret_text, size, reterr);
    }
    if (code == DUET_OK && row && ret_text[0] == '\0' && plan->analysis != NULL) {
        model_analysis_write(plan->analysis, &analysis);
        code = text_failed(&analysis)
                   ? store_out_of_memory(store, doing, reterr)
                   : difference(store,
                                (const char *)sqlite3_column_text(query.statement, 1),
                                text_string(&analysis), ret_text, size, reterr);
    }
    store_query_end(&query);
    text_release(&analysis);
    free(json);
    return code;
}
