#include "store/store_baseline.h"

#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdlib.h>

static const char saving[] = "saving a baseline";
static const char reading[] = "reading baselines";

void store_baselines_release(struct store_baseline *baselines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(baselines[i].name);
        free(baselines[i].benchmark);
        free(baselines[i].label);
        free(baselines[i].subject);
    }
    free(baselines);
}

static enum duet_code read_one(const struct store_query *query, void *ret_row,
                               struct duet_error *reterr)
{
    struct store_baseline *baseline = ret_row;
    sqlite3_stmt *statement = query->statement;
    baseline->name = store_column_string(statement, 0);
    baseline->experiment = sqlite3_column_int64(statement, 1);
    baseline->saved_utc_ms = sqlite3_column_int64(statement, 2);
    baseline->benchmark = store_column_string(statement, 3);
    baseline->label = store_column_string(statement, 4);
    store_column_text(statement, 5, baseline->cpu_model, sizeof baseline->cpu_model);
    store_column_text(statement, 6, baseline->commit, sizeof baseline->commit);
    baseline->subject = store_column_string(statement, 7);
    baseline->changed = sqlite3_column_int(statement, 8) != 0;
    return baseline->name != NULL && baseline->benchmark != NULL &&
                   baseline->label != NULL && baseline->subject != NULL
               ? DUET_OK
               : store_out_of_memory(query->store, reading, reterr);
}

/* The experiments of the baseline of this name; NULL: of all. */
static enum duet_code need_named(struct store *store, const char *name,
                                 struct duet_error *reterr)
{
    return name == NULL
               ? remote_need(store, "SELECT experiment_id FROM duet.baseline", NULL,
                             reterr)
               : remote_need(store,
                             "SELECT experiment_id FROM duet.baseline WHERE name = $1",
                             name, reterr);
}

enum duet_code store_baselines_load(struct store *store, const char *name,
                                    struct store_baseline **ret_baselines,
                                    size_t *ret_count, struct duet_error *reterr)
{
    struct store_rows rows = {0};
    enum duet_code code = need_named(store, name, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, reading,
        "SELECT b.name, b.experiment_id, b.saved_utc_ms, ifnull(e.benchmark, e.name), ifnull(s.name, "
        "s.command), (SELECT v.cpu_model FROM environment AS v WHERE v.experiment_id = e.id ORDER BY v.id "
        "DESC LIMIT 1), r.commit_hash, r.subject, r.changed FROM baseline AS b JOIN experiment AS e ON "
        "e.id = b.experiment_id LEFT JOIN side AS s ON s.experiment_id = e.id AND s.side = 1 LEFT JOIN "
        "revision AS r ON r.experiment_id = e.id AND r.side = 1 WHERE ?1 IS NULL OR b.name = ?1 ORDER BY "
        "b.name, b.experiment_id DESC");
    store_bind_string(&query, name);
    code = store_collect(&query, read_one, sizeof **ret_baselines, &rows, reterr);
    if (code != DUET_OK) {
        store_baselines_release(rows.list, rows.count);
        return code;
    }
    *ret_baselines = rows.list;
    *ret_count = rows.count;
    return DUET_OK;
}

/* ---- Saving ---- */

static enum duet_code run_with(struct store *store, const char *sql, const char *name,
                               int64_t experiment, struct duet_error *reterr)
{
    struct store_query query = store_ask(store, saving, sql);
    store_bind_string(&query, name);
    store_bind_int(&query, experiment);
    return store_run_once(&query, reterr);
}

static enum duet_code save_one(struct store *store, const char *name,
                               int64_t experiment, struct duet_error *reterr)
{
    static const char replace[] =
        "DELETE FROM baseline WHERE name = ?1 AND experiment_id IN (SELECT o.id FROM experiment AS e JOIN "
        "experiment AS o ON ifnull(o.benchmark, o.name) = ifnull(e.benchmark, e.name) WHERE e.id = ?2 AND "
        "(SELECT cpu_model FROM environment WHERE experiment_id = o.id ORDER BY id DESC LIMIT 1) IS "
        "(SELECT cpu_model FROM environment WHERE experiment_id = e.id ORDER BY id DESC LIMIT 1))";
    static const char insert[] =
        "INSERT INTO baseline(name, experiment_id, saved_utc_ms) "
        "SELECT ?, id, ? FROM experiment WHERE id = ?";
    enum duet_code code = run_with(store, replace, name, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(store, saving, insert);
    store_bind_string(&query, name);
    store_bind_int(&query, store_utc_ms());
    store_bind_int(&query, experiment);
    return store_run_found(&query, "experiment", experiment, reterr);
}

enum duet_code store_baseline_save(struct store *store, const char *name,
                                   const int64_t *experiments, size_t count,
                                   struct duet_error *reterr)
{
    enum duet_code code = need_named(store, name, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = remote_need_one(store, experiments[i], reterr);
    }
    if (code == DUET_OK) {
        code = store_begin(store, saving, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = save_one(store, name, experiments[i], reterr);
    }
    return store_end(store, code, saving, reterr);
}

enum duet_code store_baseline_remove(struct store *store, const char *name,
                                     size_t *ret_removed, struct duet_error *reterr)
{
    int64_t *ids = NULL;
    enum duet_code code = need_named(store, name, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, saving, "DELETE FROM baseline WHERE name = ? RETURNING experiment_id");
    store_bind_string(&query, name);
    code = store_fetch_ints(&query, &ids, ret_removed, reterr);
    free(ids);
    return code == DUET_OK ? remote_send(store, saving, reterr) : code;
}

enum duet_code store_benchmark_name(struct store *store, int64_t experiment,
                                    char **ret_name, struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code = remote_need_one(store, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, reading, "SELECT ifnull(benchmark, name) FROM experiment WHERE id = ?");
    store_bind_int(&query, experiment);
    code = store_step(&query, &row, reterr);
    char *name =
        code == DUET_OK && row ? store_column_string(query.statement, 0) : NULL;
    if (code == DUET_OK && !row) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)experiment);
    } else if (code == DUET_OK && name == NULL) {
        code = store_out_of_memory(store, reading, reterr);
    }
    store_query_end(&query);
    if (code == DUET_OK) {
        *ret_name = name;
    }
    return code;
}

enum duet_code store_benchmark_newest(struct store *store, const char *benchmark,
                                      const char *baseline, int64_t *ret_experiment,
                                      struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code = need_named(store, baseline, reterr);
    if (code == DUET_OK) {
        code = remote_need(
            store,
            "SELECT id FROM duet.experiment AS e WHERE coalesce(benchmark, name) = $1 AND state = 'done' AND NOT "
            "EXISTS (SELECT 1 FROM duet.comparison WHERE experiment_id = e.id AND verdict = 'identical') ORDER BY "
            "started_utc_ms DESC, id DESC LIMIT 1",
            benchmark, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, reading,
        "SELECT e.id FROM experiment AS e WHERE ifnull(e.benchmark, e.name) = ?1 AND e.state = 'done' AND NOT "
        "EXISTS (SELECT 1 FROM comparison WHERE experiment_id = e.id AND verdict = 'identical') "
        "AND (e.started_utc_ms, e.id) > (SELECT o.started_utc_ms, o.id FROM baseline AS b JOIN experiment AS o ON "
        "o.id = b.experiment_id WHERE b.name = ?2 AND ifnull(o.benchmark, o.name) = ?1 ORDER BY o.started_utc_ms "
        "DESC, o.id DESC LIMIT 1) ORDER BY e.started_utc_ms DESC, e.id DESC LIMIT 1");
    store_bind_string(&query, benchmark);
    store_bind_string(&query, baseline);
    *ret_experiment = 0;
    return store_fetch_int(&query, &row, ret_experiment, reterr);
}
