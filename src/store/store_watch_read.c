/* Watches, read back. */
#include "store/store_watch.h"

#include "store/store_private.h"

#include <stdlib.h>

static const char doing[] = "reading a watch";

#define WATCH_COLUMNS                                                                 \
    "SELECT w.name, w.folder, w.cpus, w.provision, w.release, w.rule, w.statistic,"   \
    " m.name, w.pattern, s.command, json_extract(e.plan, '$.shell'), s.prepare,"      \
    " s.conclude, m.unit, e.message, w.id, w.experiment_id, w.attempts, w.retry_ns,"  \
    " w.every_ns, w.per_hour, w.batch_size, w.error, w.confidence, w.replicates,"     \
    " w.intervals_max, m.direction = 'higher', json_extract(e.plan, '$.timeout_ns')," \
    " json_extract(e.plan, '$.ignore_failure'), e.seed, e.state, e.started_utc_ms,"   \
    " w.start_utc_ns, w.next_batch, ifnull(w.open_batch, -1), w.stopped, w.result,"   \
    " w.result_points, w.stop_points, w.stop_low, w.stop_high,"                       \
    " e.merged_utc_ms IS NOT NULL"                                                    \
    " FROM watch AS w JOIN experiment AS e ON e.id = w.experiment_id"                 \
    " JOIN metric AS m ON m.id = w.metric_id"                                         \
    " LEFT JOIN side AS s ON s.experiment_id = e.id AND s.side = 1 "

enum {
    COLUMN_ID = STORE_WATCH_TEXTS,
    COLUMN_EXPERIMENT,
    COLUMN_ATTEMPTS,
    COLUMN_RETRY,
    COLUMN_EVERY,
    COLUMN_PER_HOUR,
    COLUMN_BATCH,
    COLUMN_ERROR,
    COLUMN_CONFIDENCE,
    COLUMN_REPLICATES,
    COLUMN_INTERVALS,
    COLUMN_HIGHER,
    COLUMN_TIMEOUT,
    COLUMN_IGNORE,
    COLUMN_SEED,
    COLUMN_STATE,
    COLUMN_STARTED,
    COLUMN_START,
    COLUMN_NEXT,
    COLUMN_OPEN,
    COLUMN_STOPPED,
    COLUMN_RESULT,
    COLUMN_RESULT_POINTS,
    COLUMN_STOP_POINTS,
    COLUMN_STOP_LOW,
    COLUMN_STOP_HIGH,
    COLUMN_MERGED
};

void store_watch_release(struct store_watch *watch)
{
    if (watch != NULL) {
        for (size_t i = 0; i < STORE_WATCH_TEXTS; i++) {
            free(watch->texts[i]);
        }
        *watch = (struct store_watch){.open_batch = -1};
    }
}

/* In the order of the columns. NULL stays NULL. */
static enum duet_code read_texts(const struct store *store, sqlite3_stmt *statement,
                                 struct store_watch *watch, struct duet_error *reterr)
{
    const char **const fields[STORE_WATCH_TEXTS] = {
        &watch->watch.name,      &watch->watch.folder,  &watch->watch.cpus,
        &watch->watch.provision, &watch->watch.release, &watch->watch.rule,
        &watch->watch.statistic, &watch->watch.metric,  &watch->watch.pattern,
        &watch->command,         &watch->shell,         &watch->prepare,
        &watch->conclude,        &watch->watch.unit,    &watch->message};
    for (int i = 0; i < STORE_WATCH_TEXTS; i++) {
        if (sqlite3_column_type(statement, i) == SQLITE_NULL) {
            continue;
        }
        watch->texts[i] = store_column_string(statement, i);
        if (watch->texts[i] == NULL) {
            return store_out_of_memory(store, doing, reterr);
        }
        *fields[i] = watch->texts[i];
    }
    return DUET_OK;
}

static enum duet_code read_watch(struct store *store, sqlite3_stmt *row,
                                 struct store_watch *ret_watch,
                                 struct duet_error *reterr)
{
    char seed[32];
    unsigned state = 0;
    store_column_text(row, COLUMN_SEED, seed, sizeof seed);
    struct store_watch made = {
        .id = sqlite3_column_int64(row, COLUMN_ID),
        .experiment = sqlite3_column_int64(row, COLUMN_EXPERIMENT),
        .watch = {.attempts = store_column_count(row, COLUMN_ATTEMPTS),
                  .retry_ns = store_column_count(row, COLUMN_RETRY),
                  .every_ns = store_column_count(row, COLUMN_EVERY),
                  .per_hour = store_column_real(row, COLUMN_PER_HOUR),
                  .batch_size = store_column_count(row, COLUMN_BATCH),
                  .error = store_column_real(row, COLUMN_ERROR),
                  .confidence = store_column_real(row, COLUMN_CONFIDENCE),
                  .replicates = store_column_count(row, COLUMN_REPLICATES),
                  .higher_is_better = sqlite3_column_int(row, COLUMN_HIGHER) != 0,
                  .intervals_max = store_column_count(row, COLUMN_INTERVALS)},
        .timeout_ns = store_column_count(row, COLUMN_TIMEOUT),
        .ignore_failure = sqlite3_column_int(row, COLUMN_IGNORE) != 0,
        .seed = strtoull(seed, NULL, 10),
        .started_utc_ms = sqlite3_column_int64(row, COLUMN_STARTED),
        .start_utc_ns = sqlite3_column_int64(row, COLUMN_START),
        .next_batch = store_column_count(row, COLUMN_NEXT),
        .open_batch = sqlite3_column_int64(row, COLUMN_OPEN),
        .stopped = sqlite3_column_int(row, COLUMN_STOPPED) != 0,
        .result = store_column_real(row, COLUMN_RESULT),
        .result_points = store_column_count(row, COLUMN_RESULT_POINTS),
        .stop_points = store_column_count(row, COLUMN_STOP_POINTS),
        .stop_low = store_column_real(row, COLUMN_STOP_LOW),
        .stop_high = store_column_real(row, COLUMN_STOP_HIGH),
        .merged = sqlite3_column_int(row, COLUMN_MERGED) != 0};
    enum duet_code code = store_column_enum(store, row, COLUMN_STATE, store_state_name,
                                            STORE_STATES, &state, reterr);
    if (code == DUET_OK) {
        made.state = (enum store_state)state;
        code = read_texts(store, row, &made, reterr);
    }
    if (code != DUET_OK) {
        store_watch_release(&made);
        return code;
    }
    *ret_watch = made;
    return DUET_OK;
}

static enum duet_code read_listed(const struct store_query *query, void *ret_row,
                                  struct duet_error *reterr)
{
    return read_watch(query->store, query->statement, ret_row, reterr);
}

static void release_list(struct store_watch *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        store_watch_release(&list[i]);
    }
    free(list);
}

/* The watches that `sql` names, with the text `which` as its parameter where it has
 * one. */
static enum duet_code collect(struct store *store, const char *sql, const char *which,
                              struct store_watch **ret_list, size_t *ret_count,
                              struct duet_error *reterr)
{
    struct store_rows rows = {0};
    struct store_query query = store_ask(store, doing, sql);
    if (which != NULL) {
        store_bind_string(&query, which);
    }
    enum duet_code code =
        store_collect(&query, read_listed, sizeof **ret_list, &rows, reterr);
    if (code != DUET_OK) {
        release_list(rows.list, rows.count);
        return code;
    }
    *ret_list = rows.list;
    *ret_count = rows.count;
    return DUET_OK;
}

enum duet_code store_watch_list(struct store *store, struct store_watch **ret_list,
                                size_t *ret_count, struct duet_error *reterr)
{
    return collect(store, WATCH_COLUMNS "ORDER BY w.id", NULL, ret_list, ret_count,
                   reterr);
}

/* The one of a list of one; what is wrong with another number of them. */
static enum duet_code take_only(const struct store *store, const char *which,
                                struct store_watch *list, size_t count,
                                struct store_watch *ret_watch,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (count == 1) {
        *ret_watch = list[0];
        free(list);
        return DUET_OK;
    }
    if (count > 1) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "store '%s' has several unfinished watches: name one of them (duet watch --status shows them)",
            store->path);
    } else {
        code = error_set(
            reterr, DUET_E_NOT_FOUND,
            "store '%s' has no %s watch%s%s%s (duet watch --status shows what there is)",
            store->path, which == NULL ? "unfinished" : "such",
            which == NULL ? "" : " '", which == NULL ? "" : which,
            which == NULL ? "" : "'");
    }
    release_list(list, count);
    return code;
}

enum duet_code store_watch_find(struct store *store, const char *which,
                                struct store_watch *ret_watch,
                                struct duet_error *reterr)
{
    static const char unfinished[] = WATCH_COLUMNS
        "WHERE e.state <> 'done' AND e.merged_utc_ms IS NULL ORDER BY w.id LIMIT 2";
    static const char by_number[] = WATCH_COLUMNS
        "WHERE e.id = CAST(?1 AS INTEGER) AND ?1 <> '' AND ?1 NOT GLOB '*[^0-9]*'";
    static const char by_name[] = WATCH_COLUMNS
        "WHERE w.name = ? ORDER BY e.merged_utc_ms IS NOT NULL, w.id DESC LIMIT 1";
    struct store_watch *list = NULL;
    size_t count = 0;
    enum duet_code code = collect(store, which == NULL ? unfinished : by_number, which,
                                  &list, &count, reterr);
    if (code == DUET_OK && count == 0 && which != NULL) {
        free(list);
        list = NULL;
        code = collect(store, by_name, which, &list, &count, reterr);
    }
    return code == DUET_OK ? take_only(store, which, list, count, ret_watch, reterr)
                           : code;
}

enum duet_code store_watch_has(struct store *store, int64_t experiment, bool *ret_has,
                               struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "SELECT id FROM watch WHERE experiment_id = ?");
    int64_t id = 0;
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, ret_has, &id, reterr);
}
