/* A plan as JSON, made by SQLite's own JSON functions: they quote and escape. */
#include "store/store_private.h"

#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

static const char doing[] = "saving a plan";

static enum duet_code out_of_memory(const struct store *store,
                                    struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM, "store '%s': no memory left while %s",
                     store->path, doing);
}

/* The first column of the statement's only row. */
static enum duet_code fetch_json(struct store *store, const struct store_binder *binder,
                                 char **ret_json, struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code = store_step(store, binder, doing, &row, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *json = store_column_string(binder->statement, 0);
    if (json == NULL) {
        return out_of_memory(store, reterr);
    }
    *ret_json = json;
    return DUET_OK;
}

enum duet_code store_argv_json(struct store *store, const char *const *argv,
                               char **ret_json, struct duet_error *reterr)
{
    if (argv == NULL) {
        *ret_json = NULL;
        return DUET_OK;
    }
    /* json_array() takes at most 127 arguments; a list of VALUES has no such limit. */
    struct text sql = {0};
    text_append(&sql, "SELECT json_group_array(column1) FROM (VALUES");
    for (size_t i = 0; argv[i] != NULL; i++) {
        text_append(&sql, i == 0 ? "(?)" : ",(?)");
    }
    text_append(&sql, argv[0] == NULL ? "(0)) WHERE 0" : ")");
    if (text_failed(&sql)) {
        text_release(&sql);
        return out_of_memory(store, reterr);
    }
    sqlite3_stmt *statement = NULL;
    enum duet_code code =
        store_prepare(store, text_string(&sql), doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        for (size_t i = 0; argv[i] != NULL; i++) {
            store_bind_string(&binder, argv[i]);
        }
        code = fetch_json(store, &binder, ret_json, reterr);
    }
    sqlite3_finalize(statement);
    text_release(&sql);
    return code;
}

static enum duet_code workload_json(struct store *store,
                                    const struct model_workload *workload,
                                    char **ret_json, struct duet_error *reterr)
{
    char *argv = NULL;
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_argv_json(store, workload->argv, &argv, reterr);
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "SELECT json_object('name', ?, 'command', ?, 'argv', json(?), 'setup', ?, 'prepare', ?, 'conclude', "
            "?, 'cleanup', ?)",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, workload->name);
        store_bind_string(&binder, workload->command);
        store_bind_string(&binder, argv);
        store_bind_string(&binder, workload->setup);
        store_bind_string(&binder, workload->prepare);
        store_bind_string(&binder, workload->conclude);
        store_bind_string(&binder, workload->cleanup);
        code = fetch_json(store, &binder, ret_json, reterr);
    }
    sqlite3_finalize(statement);
    free(argv);
    return code;
}

static void append_cpus(struct text *text, const struct model_cpu_set *set)
{
    text_append_char(text, '[');
    for (size_t i = 0; i < set->count; i++) {
        text_append_format(text, i == 0 ? "%u" : ",%u", set->cpus[i]);
    }
    text_append_char(text, ']');
}

const char *store_fill_name(unsigned fill)
{
    switch ((enum model_fill)fill) {
    case MODEL_FILL_OFF:
        return "off";
    case MODEL_FILL_ON:
        return "on";
    case MODEL_FILL_KILL:
        return "kill";
    }
    return "unknown";
}

const char *store_stream_name(unsigned kind)
{
    switch ((enum model_stream_kind)kind) {
    case MODEL_STREAM_NULL:
        return "null";
    case MODEL_STREAM_INHERIT:
        return "inherit";
    case MODEL_STREAM_PIPE:
        return "pipe";
    case MODEL_STREAM_FILE:
        return "file";
    }
    return "unknown";
}

static void bind_stream(struct store_binder *binder, const struct model_stream *stream)
{
    store_bind_string(binder, stream->kind == MODEL_STREAM_FILE ? stream->path : NULL);
    store_bind_string(binder, store_stream_name(stream->kind));
}

static const char plan_sql[] =
    "SELECT json_object('name', ?, 'schedule', ?, 'seed', ?, 'choose_schedule', json(?), 'iterations', "
    "?, 'run_time_ns', ?, 'adapt_run_time', json(?), 'warmup', ?, 'runs', ?, 'min_runs', ?, 'max_runs', "
    "?, 'budget_ns', ?, 'timeout_ns', ?, 'until', ?, 'precision', ?, 'layout', ?, 'ignore_failure', "
    "json(?), 'usage', json(?), 'shell', ?, 'fill', json_object('command', ?, 'harness', ?), 'input', "
    "json_object('path', ?, 'kind', ?), 'output', json_object('path', ?, 'kind', ?), 'error_output', "
    "json_object('path', ?, 'kind', ?), 'cpus', json(?), 'sides', json_array(json(?), json(?)))";

static void bind_plan(struct store_binder *binder, const struct model_plan *plan,
                      const char *seed, const char *cpus,
                      char *const sides[MODEL_SIDES])
{
    store_bind_string(binder, plan->name);
    store_bind_string(binder, model_schedule_name(plan->schedule));
    store_bind_string(binder, seed);
    store_bind_string(binder, plan->choose_schedule ? "true" : "false");
    store_bind_count(binder, plan->iterations);
    store_bind_count(binder, plan->run_time_ns);
    store_bind_string(binder, plan->adapt_run_time ? "true" : "false");
    store_bind_count(binder, plan->warmup);
    store_bind_count(binder, plan->runs);
    store_bind_count(binder, plan->min_runs);
    store_bind_count(binder, plan->max_runs);
    store_bind_count(binder, plan->budget_ns);
    store_bind_count(binder, plan->timeout_ns);
    store_bind_string(binder, model_until_name(plan->until));
    store_bind_real(binder, plan->until == MODEL_UNTIL_PRECISION ? plan->precision_ratio
                                                                 : (double)NAN);
    store_bind_string(binder, model_layout_name(plan->layout));
    store_bind_string(binder, plan->ignore_failure ? "true" : "false");
    store_bind_string(binder, plan->usage ? "true" : "false");
    store_bind_string(binder, plan->shell);
    store_bind_string(binder, store_fill_name(plan->fill[0]));
    store_bind_string(binder, store_fill_name(plan->fill[1]));
    bind_stream(binder, &plan->input);
    bind_stream(binder, &plan->output);
    bind_stream(binder, &plan->error_output);
    store_bind_string(binder, cpus);
    store_bind_string(binder, sides[MODEL_OLD]);
    store_bind_string(binder, sides[MODEL_NEW]);
}

enum duet_code store_plan_json(struct store *store, const struct model_plan *plan,
                               char **ret_json, struct duet_error *reterr)
{
    char *sides[MODEL_SIDES] = {NULL, NULL};
    sqlite3_stmt *statement = NULL;
    struct text seed = {0};
    struct text cpus = {0};
    text_append_format(&seed, "%llu", (unsigned long long)plan->seed);
    text_append_char(&cpus, '[');
    append_cpus(&cpus, &plan->cpus[0]);
    text_append_char(&cpus, ',');
    append_cpus(&cpus, &plan->cpus[1]);
    text_append_char(&cpus, ']');
    enum duet_code code = DUET_OK;
    if (text_failed(&seed) || text_failed(&cpus)) {
        code = out_of_memory(store, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = workload_json(store, &plan->sides[side], &sides[side], reterr);
    }
    if (code == DUET_OK) {
        code = store_prepare(store, plan_sql, doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        bind_plan(&binder, plan, text_string(&seed), text_string(&cpus), sides);
        code = fetch_json(store, &binder, ret_json, reterr);
    }
    sqlite3_finalize(statement);
    free(sides[MODEL_OLD]);
    free(sides[MODEL_NEW]);
    text_release(&seed);
    text_release(&cpus);
    return code;
}
