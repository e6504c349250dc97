/* A plan as JSON, made by SQLite's own JSON functions: they quote and escape. */
#include "store/store_private.h"

#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

static const char doing[] = "saving a plan";

/* The first column of the only row of a query, which ends. */
static enum duet_code fetch_json(struct store_query *query, char **ret_json,
                                 struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code = store_step(query, &row, reterr);
    char *json = code == DUET_OK ? store_column_string(query->statement, 0) : NULL;
    if (code == DUET_OK && json == NULL) {
        code = store_out_of_memory(query->store, doing, reterr);
    }
    store_query_end(query);
    if (code == DUET_OK) {
        *ret_json = json;
    }
    return code;
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
        return store_out_of_memory(store, doing, reterr);
    }
    struct store_query query = store_ask(store, doing, text_string(&sql));
    for (size_t i = 0; argv[i] != NULL; i++) {
        store_bind_string(&query, argv[i]);
    }
    enum duet_code code = fetch_json(&query, ret_json, reterr);
    text_release(&sql);
    return code;
}

void store_bind_workload(struct store_query *query,
                         const struct model_workload *workload, const char *argv)
{
    store_bind_string(query, workload->name);
    store_bind_string(query, workload->command);
    store_bind_string(query, argv);
    store_bind_string(query, workload->setup);
    store_bind_string(query, workload->prepare);
    store_bind_string(query, workload->conclude);
    store_bind_string(query, workload->cleanup);
}

static enum duet_code workload_json(struct store *store,
                                    const struct model_workload *workload,
                                    char **ret_json, struct duet_error *reterr)
{
    char *argv = NULL;
    enum duet_code code = store_argv_json(store, workload->argv, &argv, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT json_patch(json_object('name', ?, 'command', ?, 'argv', json(?), 'setup', ?, "
        "'prepare', ?, 'conclude', ?, 'cleanup', ?), json_object('folder', ?))");
    store_bind_workload(&query, workload, argv);
    store_bind_string(&query, workload->folder);
    code = fetch_json(&query, ret_json, reterr);
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

static void bind_stream(struct store_query *query, const struct model_stream *stream)
{
    store_bind_string(query, stream->kind == MODEL_STREAM_FILE ? stream->path : NULL);
    store_bind_string(query, model_stream_kind_name(stream->kind));
}

static const char plan_sql[] =
    "SELECT json_patch(json_object('name', ?, 'schedule', ?, 'seed', ?, 'choose_schedule', json(?), 'iterations', "
    "?, 'run_time_ns', ?, 'adapt_run_time', json(?), 'warmup', ?, 'runs', ?, 'min_runs', ?, 'min_runs_held', json(?), 'max_runs', "
    "?, 'budget_ns', ?, 'timeout_ns', ?, 'until', ?, 'precision', ?, 'layout', ?, 'ignore_failure', "
    "json(?), 'usage', json(?), 'shell', ?, 'fill', json_object('command', ?, 'harness', ?), 'input', "
    "json_object('path', ?, 'kind', ?), 'output', json_object('path', ?, 'kind', ?), 'error_output', "
    "json_object('path', ?, 'kind', ?), 'cpus', json(?), 'sides', json_array(json(?), json(?))), json_object('runs_known', json(?), 'folder', ?))";

static void bind_plan(struct store_query *query, const struct model_plan *plan,
                      const char *seed, const char *cpus,
                      char *const sides[MODEL_SIDES])
{
    store_bind_string(query, plan->name);
    store_bind_string(query, model_schedule_name(plan->schedule));
    store_bind_string(query, seed);
    store_bind_string(query, plan->choose_schedule ? "true" : "false");
    store_bind_count(query, plan->iterations);
    store_bind_count(query, plan->run_time_ns);
    store_bind_string(query, plan->adapt_run_time ? "true" : "false");
    store_bind_count(query, plan->warmup);
    store_bind_count(query, plan->runs);
    store_bind_count(query, plan->min_runs);
    store_bind_string(query, plan->min_runs_held ? "true" : "false");
    store_bind_count(query, plan->max_runs);
    store_bind_count(query, plan->budget_ns);
    store_bind_count(query, plan->timeout_ns);
    store_bind_string(query, model_until_name(plan->until));
    store_bind_real(query, plan->until == MODEL_UNTIL_PRECISION ? plan->precision_ratio
                                                                : (double)NAN);
    store_bind_string(query, model_layout_name(plan->layout));
    store_bind_string(query, plan->ignore_failure ? "true" : "false");
    store_bind_string(query, plan->usage ? "true" : "false");
    store_bind_string(query, plan->shell);
    store_bind_string(query, model_fill_name(plan->fill[0]));
    store_bind_string(query, model_fill_name(plan->fill[1]));
    bind_stream(query, &plan->input);
    bind_stream(query, &plan->output);
    bind_stream(query, &plan->error_output);
    store_bind_string(query, cpus);
    store_bind_string(query, sides[MODEL_OLD]);
    store_bind_string(query, sides[MODEL_NEW]);
    store_bind_string(query, plan->runs_known ? "true" : NULL);
    store_bind_string(query, plan->folder);
}

enum duet_code store_plan_json(struct store *store, const struct model_plan *plan,
                               char **ret_json, struct duet_error *reterr)
{
    char *sides[MODEL_SIDES] = {NULL, NULL};
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
        code = store_out_of_memory(store, doing, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = workload_json(store, &plan->sides[side], &sides[side], reterr);
    }
    if (code == DUET_OK) {
        struct store_query query = store_ask(store, doing, plan_sql);
        bind_plan(&query, plan, text_string(&seed), text_string(&cpus), sides);
        code = fetch_json(&query, ret_json, reterr);
    }
    free(sides[MODEL_OLD]);
    free(sides[MODEL_NEW]);
    text_release(&seed);
    text_release(&cpus);
    return code;
}
