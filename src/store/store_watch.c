/* Watches on their way into the store: settings, where they stand, answers. */
#include "store/store_watch.h"

#include "store/store_private.h"

static const char doing[] = "keeping a watch";

static enum duet_code insert_metric(struct store *store,
                                    const struct model_watch *watch,
                                    struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO metric(name, unit, direction) VALUES(?, ?, ?) ON CONFLICT(name) DO NOTHING",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, watch->metric);
        store_bind_string(&binder, watch->unit);
        store_bind_string(&binder, watch->higher_is_better ? "higher" : "lower");
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static void bind_settings(struct store_binder *binder, const struct model_watch *watch)
{
    store_bind_string(binder, watch->name);
    store_bind_string(binder, watch->folder);
    store_bind_string(binder, watch->cpus);
    store_bind_string(binder, watch->provision);
    store_bind_string(binder, watch->release);
    store_bind_count(binder, watch->attempts);
    store_bind_count(binder, watch->retry_ns);
    store_bind_count(binder, watch->every_ns);
    store_bind_real(binder, watch->per_hour);
    store_bind_count(binder, watch->batch_size);
    store_bind_string(binder, watch->rule);
    store_bind_string(binder, watch->statistic);
    store_bind_real(binder, watch->error);
    store_bind_real(binder, watch->confidence);
    store_bind_count(binder, watch->replicates);
    store_bind_string(binder, watch->metric);
    store_bind_string(binder, watch->pattern);
    store_bind_known(binder,
                     watch->intervals_max > 0 ? (int64_t)watch->intervals_max : -1);
}

/* Two processes that begin the same one at the same time. */
static enum duet_code check_name(struct store *store, const char *name,
                                 struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    enum duet_code code = store_prepare(
        store,
        "SELECT w.id FROM watch AS w JOIN experiment AS e ON e.id = w.experiment_id WHERE w.name = ? "
        "AND e.state <> 'done'",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, name);
        code = store_step(store, &binder, doing, &row, reterr);
    }
    sqlite3_finalize(statement);
    if (code == DUET_OK && row) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "store '%s' has an unfinished watch '%s': go on with it (duet watch --resume), "
            "or give this one another --name",
            store->path, name);
    }
    return code;
}

static enum duet_code insert_watch(struct store *store, int64_t experiment,
                                   const struct model_watch *watch,
                                   int64_t start_utc_ns, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO watch(name, folder, cpus, provision, release, attempts, retry_ns, every_ns, per_hour, "
        "batch_size, rule, statistic, error, confidence, replicates, metric_id, pattern, intervals_max, "
        "start_utc_ns, next_batch, stopped, experiment_id) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, (SELECT id FROM metric WHERE name = ?), ?, ?, ?, 0, 0, id FROM experiment WHERE id = ?",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        bind_settings(&binder, watch);
        store_bind_int(&binder, start_utc_ns);
        store_bind_int(&binder, experiment);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)experiment);
    }
    return code;
}

enum duet_code store_watch_begin(struct store *store, int64_t experiment,
                                 const struct model_watch *watch, int64_t start_utc_ns,
                                 int64_t *ret_watch, struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = check_name(store, watch->name, reterr);
    }
    if (code == DUET_OK) {
        code = insert_metric(store, watch, reterr);
    }
    if (code == DUET_OK) {
        code = insert_watch(store, experiment, watch, start_utc_ns, reterr);
    }
    int64_t id = sqlite3_last_insert_rowid(store->db);
    if (code == DUET_OK) {
        code = store_commit(store, doing, reterr);
    }
    store_rollback(store);
    if (code == DUET_OK) {
        *ret_watch = id;
    }
    return code;
}

/* Carries out an UPDATE of one watch, whose id is its last parameter. */
static enum duet_code update_watch(struct store *store, struct store_binder *binder,
                                   int64_t watch, struct duet_error *reterr)
{
    store_bind_int(binder, watch);
    enum duet_code code = store_run(store, binder, doing, reterr);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no watch %lld (deleted meanwhile?)",
                         store->path, (long long)watch);
    }
    return code;
}

enum duet_code store_watch_move(struct store *store, int64_t watch, uint64_t next_batch,
                                int64_t open_batch, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store, "UPDATE watch SET next_batch = ?, open_batch = ? WHERE id = ?", doing,
        &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_count(&binder, next_batch);
        store_bind_known(&binder, open_batch);
        code = update_watch(store, &binder, watch, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_watch_stop(struct store *store, int64_t watch,
                                const struct model_watch_status *status,
                                struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "UPDATE watch SET stopped = 1, result = ?, result_points = ?, stop_points = ?, stop_low = ?, "
        "stop_high = ? WHERE id = ?",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_real(&binder, status->result);
        store_bind_count(&binder, status->result_points);
        store_bind_count(&binder, status->stop_points);
        store_bind_real(&binder, status->stop_low);
        store_bind_real(&binder, status->stop_high);
        code = update_watch(store, &binder, watch, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code set_intervals(struct store *store, int64_t watch,
                                    uint64_t intervals_max, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code =
        store_prepare(store, "UPDATE watch SET intervals_max = ? WHERE id = ?", doing,
                      &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_known(&binder, intervals_max > 0 ? (int64_t)intervals_max : -1);
        code = update_watch(store, &binder, watch, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_watch_resume(struct store *store, const struct store_watch *watch,
                                  uint64_t intervals_max, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = set_intervals(store, watch->id, intervals_max, reterr);
    }
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "UPDATE experiment SET state = ?, message = NULL, ended_utc_ms = NULL WHERE id = ?",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, store_state_name(STORE_RUNNING));
        store_bind_int(&binder, watch->experiment);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    if (code == DUET_OK) {
        code = store_commit(store, doing, reterr);
    }
    store_rollback(store);
    return code;
}
