/* Watches on their way into the store: settings, where they stand, answers. */
#include "store/store_watch.h"

#include "store/store_private.h"

static const char doing[] = "keeping a watch";

static enum duet_code insert_metric(struct store *store,
                                    const struct model_watch *watch,
                                    struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO metric(name, unit, direction) VALUES(?, ?, ?) ON CONFLICT(name) DO NOTHING");
    store_bind_string(&query, watch->metric);
    store_bind_string(&query, watch->unit);
    store_bind_string(&query, watch->higher_is_better ? "higher" : "lower");
    return store_run_once(&query, reterr);
}

static void bind_settings(struct store_query *query, const struct model_watch *watch)
{
    store_bind_string(query, watch->name);
    store_bind_string(query, watch->folder);
    store_bind_string(query, watch->cpus);
    store_bind_string(query, watch->provision);
    store_bind_string(query, watch->release);
    store_bind_count(query, watch->attempts);
    store_bind_count(query, watch->retry_ns);
    store_bind_count(query, watch->every_ns);
    store_bind_real(query, watch->per_hour);
    store_bind_count(query, watch->batch_size);
    store_bind_string(query, watch->rule);
    store_bind_string(query, watch->statistic);
    store_bind_real(query, watch->error);
    store_bind_real(query, watch->confidence);
    store_bind_count(query, watch->replicates);
    store_bind_string(query, watch->metric);
    store_bind_string(query, watch->pattern);
    store_bind_known(query,
                     watch->intervals_max > 0 ? (int64_t)watch->intervals_max : -1);
}

/* Two processes that begin the same one at the same time. */
static enum duet_code check_name(struct store *store, const char *name,
                                 struct duet_error *reterr)
{
    bool row = false;
    int64_t id = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT w.id FROM watch AS w JOIN experiment AS e ON e.id = w.experiment_id WHERE w.name = ? "
        "AND e.state <> 'done' AND e.merged_utc_ms IS NULL");
    store_bind_string(&query, name);
    enum duet_code code = store_fetch_int(&query, &row, &id, reterr);
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
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO watch(name, folder, cpus, provision, release, attempts, retry_ns, every_ns, per_hour, "
        "batch_size, rule, statistic, error, confidence, replicates, metric_id, pattern, intervals_max, "
        "start_utc_ns, next_batch, stopped, experiment_id) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, (SELECT id FROM metric WHERE name = ?), ?, ?, ?, 0, 0, id FROM experiment WHERE id = ?");
    bind_settings(&query, watch);
    store_bind_int(&query, start_utc_ns);
    store_bind_int(&query, experiment);
    return store_run_found(&query, "experiment", experiment, reterr);
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
    code = store_end(store, code, doing, reterr);
    if (code == DUET_OK) {
        *ret_watch = id;
    }
    return code;
}

enum duet_code store_watch_move(struct store *store, int64_t watch, uint64_t next_batch,
                                int64_t open_batch, struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing, "UPDATE watch SET next_batch = ?, open_batch = ? WHERE id = ?");
    store_bind_count(&query, next_batch);
    store_bind_known(&query, open_batch);
    store_bind_int(&query, watch);
    return store_run_found(&query, "watch", watch, reterr);
}

enum duet_code store_watch_stop(struct store *store, int64_t watch,
                                const struct model_watch_status *status,
                                struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "UPDATE watch SET stopped = 1, result = ?, result_points = ?, stop_points = ?, stop_low = ?, "
        "stop_high = ? WHERE id = ?");
    store_bind_real(&query, status->result);
    store_bind_count(&query, status->result_points);
    store_bind_count(&query, status->stop_points);
    store_bind_real(&query, status->stop_low);
    store_bind_real(&query, status->stop_high);
    store_bind_int(&query, watch);
    return store_run_found(&query, "watch", watch, reterr);
}

static enum duet_code set_intervals(struct store *store, int64_t watch,
                                    uint64_t intervals_max, struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "UPDATE watch SET intervals_max = ? WHERE id = ?");
    store_bind_known(&query, intervals_max > 0 ? (int64_t)intervals_max : -1);
    store_bind_int(&query, watch);
    return store_run_found(&query, "watch", watch, reterr);
}

enum duet_code store_watch_resume(struct store *store, const struct store_watch *watch,
                                  uint64_t intervals_max, struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = set_intervals(store, watch->id, intervals_max, reterr);
    }
    if (code == DUET_OK) {
        struct store_query query = store_ask(
            store, doing,
            "UPDATE experiment SET state = ?, message = NULL, ended_utc_ms = NULL WHERE id = ?");
        store_bind_string(&query, store_state_name(STORE_RUNNING));
        store_bind_int(&query, watch->experiment);
        code = store_run_once(&query, reterr);
    }
    return store_end(store, code, doing, reterr);
}
