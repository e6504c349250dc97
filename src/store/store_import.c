/* Runs that were measured by something else. */
#include "store/store_private.h"

static const char doing[] = "importing runs";

static const char run_sql[] =
    "INSERT INTO run(id, uuid, experiment_id, environment_id, idx, block, schedule, mode, started_utc_ms, "
    "started_ns, ended_ns, runner_wakeups, slice_ns) VALUES(duet_new_id('run'), ?1, ?2, "
    "(SELECT max(id) FROM environment WHERE experiment_id = ?2), ?3, ?4, ?5, ?6, ?7, 0, 0, 0, NULL)";

static const char side_sql[] =
    "INSERT INTO run_side(run_id, side, position, cpu, pid, exit_status, peak_memory_bytes, iterations, "
    "fillers) VALUES(?, ?, ?, 0, 0, 0, 0, ?, 0)";

/* 1: the metric `time`. */
static const char value_sql[] =
    "INSERT INTO observation(run_id, side, metric_id, idx, value) VALUES(?1, ?2, 1, ?3, ?4)";

struct importer {
    struct store *store;
    int64_t experiment;
    enum model_schedule schedule;
    int64_t now_utc_ms;
    sqlite3_stmt *insert_run;
    sqlite3_stmt *insert_side;
    sqlite3_stmt *insert_value;
};

static enum duet_code insert_side(struct importer *importer, int64_t run_id, int side,
                                  const double *values, size_t count,
                                  struct duet_error *reterr)
{
    struct store_query query =
        store_bind(importer->store, doing, importer->insert_side);
    store_bind_int(&query, run_id);
    store_bind_int(&query, side);
    store_bind_int(&query, side);
    store_bind_count(&query, count);
    enum duet_code code = store_run(&query, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        query = store_bind(importer->store, doing, importer->insert_value);
        store_bind_int(&query, run_id);
        store_bind_int(&query, side);
        store_bind_count(&query, i);
        store_bind_real(&query, values[i]);
        code = store_run(&query, reterr);
    }
    return code;
}

static enum duet_code insert_run(struct importer *importer,
                                 const struct model_run_values *values,
                                 struct duet_error *reterr)
{
    struct store *store = importer->store;
    char uuid[37];
    enum duet_code code = store_uuid_make(uuid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_bind(store, doing, importer->insert_run);
    store_bind_string(&query, uuid);
    store_bind_int(&query, importer->experiment);
    store_bind_count(&query, values->run);
    store_bind_count(&query, values->block);
    store_bind_string(&query, model_schedule_name(importer->schedule));
    store_bind_string(&query, model_mode_name(MODEL_MODE_HARNESS));
    store_bind_int(&query, importer->now_utc_ms);
    code = store_run(&query, reterr);
    int constraint = sqlite3_extended_errcode(store->db);
    if (code != DUET_OK && constraint == SQLITE_CONSTRAINT_NOTNULL) {
        return error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)importer->experiment);
    }
    if (code != DUET_OK && constraint == SQLITE_CONSTRAINT_UNIQUE) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': experiment %lld has a run %llu already",
                         store->path, (long long)importer->experiment,
                         (unsigned long long)values->run + 1);
    }
    int64_t run_id = sqlite3_last_insert_rowid(store->db);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_side(importer, run_id, side, values->values[side],
                           values->counts[side], reterr);
    }
    return code;
}

enum duet_code store_runs_import(struct store *store, int64_t experiment,
                                 const struct model_values *values,
                                 enum model_schedule schedule,
                                 struct duet_error *reterr)
{
    struct importer importer = {.store = store,
                                .experiment = experiment,
                                .schedule = schedule,
                                .now_utc_ms = store_utc_ms()};
    enum duet_code code =
        store_prepare(store, run_sql, doing, &importer.insert_run, reterr);
    if (code == DUET_OK) {
        code = store_prepare(store, side_sql, doing, &importer.insert_side, reterr);
    }
    if (code == DUET_OK) {
        code = store_prepare(store, value_sql, doing, &importer.insert_value, reterr);
    }
    if (code == DUET_OK) {
        code = store_begin(store, doing, reterr);
    }
    for (size_t r = 0; r < values->run_count && code == DUET_OK; r++) {
        code = insert_run(&importer, &values->runs[r], reterr);
    }
    sqlite3_finalize(importer.insert_run);
    sqlite3_finalize(importer.insert_side);
    sqlite3_finalize(importer.insert_value);
    return store_end(store, code, doing, reterr);
}
