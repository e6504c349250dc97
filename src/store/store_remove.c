#include "store/store_remove.h"

#include "base/alloc.h"
#include "store/postgresql/remote.h"
#include "store/store_private.h"
#include "store/store_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "removing experiments";

/* ---- Who is at it ---- */

/* The first of `count` ids that a process measures; 0: none. */
static int64_t measured_one(struct store *store, const int64_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (store_experiment_is_locked(store, ids[i])) {
            return ids[i];
        }
    }
    return 0;
}

/* Whether a process measures the experiment or another one of its suite: the suite
 * would not find at its end what it has measured. */
static enum duet_code find_measured(struct store *store, int64_t experiment,
                                    int64_t *ret_measured, struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT ?1 UNION SELECT o.id FROM experiment AS e JOIN experiment AS o ON "
        "o.suite_run_id = e.suite_run_id AND o.state = 'running' WHERE e.id = ?1");
    store_bind_int(&query, experiment);
    enum duet_code code = store_fetch_ints(&query, &ids, &count, reterr);
    if (code == DUET_OK) {
        *ret_measured = measured_one(store, ids, count);
    }
    free(ids);
    return code;
}

/* Whether a process measures its suite, also where none of its benchmarks is under way.
 */
static enum duet_code is_of_measured(struct store *store, int64_t experiment,
                                     bool *ret_measured, struct duet_error *reterr)
{
    bool row = false;
    int64_t suite = 0;
    struct store_query query =
        store_ask(store, doing,
                  "SELECT suite_run_id FROM experiment WHERE id = ? AND suite_run_id "
                  "IS NOT NULL");
    store_bind_int(&query, experiment);
    enum duet_code code = store_fetch_int(&query, &row, &suite, reterr);
    if (code == DUET_OK) {
        *ret_measured = row && store_suite_is_locked(store, suite);
    }
    return code;
}

/* The process that works on the experiment as a watch; 0: none. */
static enum duet_code find_watcher(struct store *store, int64_t experiment,
                                   int64_t *ret_pid, struct duet_error *reterr)
{
    bool row = false;
    int64_t watch = 0;
    struct store_query query =
        store_ask(store, doing, "SELECT id FROM watch WHERE experiment_id = ?");
    store_bind_int(&query, experiment);
    enum duet_code code = store_fetch_int(&query, &row, &watch, reterr);
    if (code == DUET_OK) {
        *ret_pid = row ? store_watch_holder(store, watch) : 0;
    }
    return code;
}

/* Inside the transaction: whoever begins later waits for it, and finds nothing. */
static enum duet_code check_idle(struct store *store, int64_t experiment,
                                 struct duet_error *reterr)
{
    int64_t pid = 0;
    int64_t measured = 0;
    bool of_measured = false;
    enum duet_code code = find_watcher(store, experiment, &pid, reterr);
    if (code == DUET_OK && pid != 0) {
        char name[STORE_WATCH_HOLDER_BYTES];
        store_watch_holder_name(pid, name);
        return error_set(reterr, DUET_E_USAGE,
                         "watch %lld is running (%s): end that process first",
                         (long long)experiment, name);
    }
    if (code == DUET_OK) {
        code = find_measured(store, experiment, &measured, reterr);
    }
    if (code == DUET_OK) {
        code = is_of_measured(store, experiment, &of_measured, reterr);
    }
    if (code == DUET_OK && measured == experiment) {
        code = error_set(reterr, DUET_E_USAGE,
                         "experiment %lld is being measured: wait until it ends",
                         (long long)experiment);
    } else if (code == DUET_OK && (measured != 0 || of_measured)) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "experiment %lld belongs to a suite that is being measured: wait until it ends",
            (long long)experiment);
    }
    return code;
}

/* ---- Removing ---- */

static enum duet_code run_for(struct store *store, const char *sql, int64_t experiment,
                              struct duet_error *reterr)
{
    struct store_query query = store_ask(store, doing, sql);
    store_bind_int(&query, experiment);
    return store_run_once(&query, reterr);
}

static enum duet_code remove_one(struct store *store, int64_t experiment,
                                 struct duet_error *reterr)
{
    static const char *const before[] = {
        /* Judged with one fewer from now on. */
        "DELETE FROM comparison WHERE baseline_id IS NULL AND experiment_id IN (SELECT o.id FROM "
        "experiment AS e JOIN experiment AS o ON o.family_id = e.family_id WHERE e.id = ?)",
        /* One in state `running` is under way, or was killed and can be resumed. */
        "DELETE FROM suite_run WHERE state <> 'running' AND id = (SELECT suite_run_id FROM experiment "
        "WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM experiment WHERE suite_run_id = suite_run.id AND id "
        "<> ?1)"};
    enum duet_code code = check_idle(store, experiment, reterr);
    for (size_t i = 0; i < sizeof before / sizeof before[0] && code == DUET_OK; i++) {
        code = run_for(store, before[i], experiment, reterr);
    }
    if (code == DUET_OK) {
        struct store_query query =
            store_ask(store, doing, "DELETE FROM experiment WHERE id = ?");
        store_bind_int(&query, experiment);
        code = store_run_found(&query, "experiment", experiment, reterr);
    }
    return code;
}

/* Whether it is one that stands by itself: no region, and there. */
static enum duet_code is_whole(struct store *store, int64_t experiment, bool *ret_whole,
                               struct duet_error *reterr)
{
    int64_t id = 0;
    struct store_query query = store_ask(
        store, doing, "SELECT id FROM experiment WHERE id = ? AND region_of IS NULL");
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, ret_whole, &id, reterr);
}

/* On a server: each of them, and the others of its suite, which decide what becomes of
 * that. */
static enum duet_code need_suites(struct store *store, const int64_t *experiments,
                                  size_t count, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "%lld", (long long)experiments[i]);
        code = remote_need(
            store,
            "SELECT $1::bigint UNION SELECT o.id FROM duet.experiment AS e JOIN duet.experiment AS o ON "
            "o.suite_run_id = e.suite_run_id WHERE e.id = $1::bigint",
            id, reterr);
    }
    return code;
}

static bool is_among(const int64_t *ids, size_t count, int64_t id)
{
    size_t at = 0;
    while (at < count && ids[at] != id) {
        at++;
    }
    return at < count;
}

/* Adds those that were measured for `experiment`. */
static enum duet_code add_companions(struct store *store, int64_t experiment,
                                     struct store_rows *all, struct duet_error *reterr)
{
    int64_t *found = NULL;
    size_t count = 0;
    size_t capacity = all->count;
    struct store_query query = store_ask(
        store, doing,
        "SELECT experiment_id FROM companion WHERE of_experiment_id = ? ORDER BY 1");
    store_bind_int(&query, experiment);
    enum duet_code code = store_fetch_ints(&query, &found, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        int64_t *longer = all->list;
        if (is_among(longer, all->count, found[i])) {
            continue;
        }
        longer = alloc_grow(longer, all->count, &capacity, sizeof *longer);
        if (longer == NULL) {
            code = store_out_of_memory(store, doing, reterr);
        } else {
            longer[all->count++] = found[i];
            all->list = longer;
        }
    }
    free(found);
    return code;
}

enum duet_code store_remove_complete(struct store *store, const int64_t *experiments,
                                     size_t count, int64_t **ret_list,
                                     size_t *ret_count, struct duet_error *reterr)
{
    struct store_rows all = {.list = alloc_array(count, sizeof *experiments),
                             .count = count};
    enum duet_code code = need_suites(store, experiments, count, reterr);
    if (code == DUET_OK && all.list == NULL) {
        code = store_out_of_memory(store, doing, reterr);
    }
    if (code == DUET_OK && all.list != NULL) {
        memcpy(all.list, experiments, count * sizeof *experiments);
    }
    for (size_t i = 0; i < count && code == DUET_OK && all.list != NULL; i++) {
        code = add_companions(store, experiments[i], &all, reterr);
    }
    if (code != DUET_OK) {
        free(all.list);
        return code;
    }
    *ret_list = all.list;
    *ret_count = all.count;
    return DUET_OK;
}

/* Of the list of store_remove_complete(). */
static enum duet_code remove_all(struct store *store, const int64_t *experiments,
                                 size_t count, struct duet_error *reterr)
{
    static const char unused[] =
        "DELETE FROM family WHERE id NOT IN (SELECT family_id FROM experiment WHERE family_id IS NOT "
        "NULL);DELETE FROM instance WHERE id NOT IN (SELECT instance_id FROM environment);";
    /* On for the deletion's cascade; the setting cannot change inside a transaction. */
    enum duet_code code =
        store_execute(store, "PRAGMA foreign_keys = ON", doing, reterr);
    if (code == DUET_OK) {
        code = store_begin(store, doing, reterr);
    }
    /* Regions first, and what is not there: they go with the experiment that they
     * belong to. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count && code == DUET_OK; i++) {
            bool whole = false;
            code = is_whole(store, experiments[i], &whole, reterr);
            if (code == DUET_OK && whole == (pass == 1)) {
                code = remove_one(store, experiments[i], reterr);
            }
        }
    }
    if (code == DUET_OK) {
        code = store_execute(store, unused, doing, reterr);
    }
    code = store_end(store, code, doing, reterr);
    (void)sqlite3_exec(store->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
    return code;
}

enum duet_code store_remove(struct store *store, const int64_t *experiments,
                            size_t count, struct duet_error *reterr)
{
    int64_t *all = NULL;
    size_t total = 0;
    enum duet_code code =
        store_remove_complete(store, experiments, count, &all, &total, reterr);
    if (code == DUET_OK) {
        code = remove_all(store, all, total, reterr);
    }
    free(all);
    return code;
}

/* ---- What is old ---- */

/* Of those that go together by `main`, the experiment for which the others were
 * measured: none goes when one stays. */
static const char old_ones[] =
    "WITH aged AS (SELECT e.id, coalesce(c.of_experiment_id, e.id) AS main, family_id, coalesce(CASE state WHEN "
    "'running' THEN NULL ELSE ended_utc_ms END, (SELECT max(started_utc_ms) FROM run WHERE experiment_id = e.id), "
    "started_utc_ms) AS ended FROM experiment AS e LEFT JOIN companion AS c ON c.experiment_id = e.id WHERE "
    "region_of IS NULL), kept AS (SELECT main FROM aged WHERE ended >= ?1 OR id IN (SELECT id FROM experiment "
    "WHERE region_of IS NULL ORDER BY started_utc_ms DESC, id DESC LIMIT ?2) OR id IN (SELECT coalesce(region_of, id) "
    "FROM experiment WHERE id IN (SELECT experiment_id FROM baseline))), families "
    "AS (SELECT family_id FROM aged WHERE family_id IS NOT NULL AND main IN (SELECT main FROM kept)), stays AS "
    "(SELECT main FROM kept UNION SELECT main FROM aged WHERE family_id IN (SELECT family_id FROM families)) "
    "SELECT id FROM aged WHERE main NOT IN (SELECT main FROM stays) ORDER BY id";

/* Whether nobody is at it, at what it was measured for, or at what was measured for it.
 * Errors as check_idle(). */
static enum duet_code check_idle_together(struct store *store, int64_t experiment,
                                          struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    struct store_query query = store_ask(
        store, doing,
        "WITH main(id) AS (SELECT coalesce((SELECT of_experiment_id FROM companion WHERE experiment_id = ?1), ?1)) "
        "SELECT id FROM main UNION SELECT experiment_id FROM companion WHERE of_experiment_id = (SELECT id FROM main)");
    store_bind_int(&query, experiment);
    enum duet_code code = store_fetch_ints(&query, &ids, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = check_idle(store, ids[i], reterr);
    }
    free(ids);
    return code;
}

enum duet_code store_remove_find(struct store *store, int64_t before_utc_ms,
                                 uint64_t keep, int64_t **ret_list, size_t *ret_count,
                                 struct duet_error *reterr)
{
    int64_t *list = NULL;
    size_t count = 0;
    enum duet_code code = remote_need_all(store, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(store, doing, old_ones);
    store_bind_int(&query, before_utc_ms);
    store_bind_count(&query, keep);
    code = store_fetch_ints(&query, &list, &count, reterr);
    size_t kept = 0;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct duet_error busy;
        code = check_idle_together(store, list[i], &busy);
        if (code == DUET_OK) {
            list[kept++] = list[i];
        } else if (code == DUET_E_USAGE) {
            code = DUET_OK;
        } else if (reterr != NULL) {
            *reterr = busy;
        }
    }
    if (code != DUET_OK) {
        free(list);
        return code;
    }
    *ret_list = list;
    *ret_count = kept;
    return DUET_OK;
}

/* ---- The file ---- */

enum duet_code store_bytes(struct store *store, uint64_t *ret_bytes,
                           struct duet_error *reterr)
{
    static const char sizing[] = "looking at its size";
    bool row = false;
    int64_t bytes = 0;
    if (store->remote != NULL) {
        return remote_bytes(store, ret_bytes, reterr);
    }
    struct store_query query = store_ask(
        store, sizing,
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    enum duet_code code = store_fetch_int(&query, &row, &bytes, reterr);
    if (code == DUET_OK) {
        *ret_bytes = (uint64_t)bytes;
    }
    return code;
}

enum duet_code store_shrink(struct store *store, bool *ret_busy,
                            struct duet_error *reterr)
{
    static const char shrinking[] =
        "making it smaller (what was to be removed is removed)";
    int64_t *ids = NULL;
    size_t count = 0;
    if (store->remote != NULL) {
        *ret_busy = false; /* the server's autovacuum does it */
        return DUET_OK;
    }
    struct store_query query = store_ask(
        store, shrinking, "SELECT id FROM experiment WHERE state = 'running'");
    enum duet_code code = store_fetch_ints(&query, &ids, &count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool busy = measured_one(store, ids, count) != 0;
    for (size_t i = 0; i < count && code == DUET_OK && !busy; i++) {
        int64_t pid = 0;
        code = find_watcher(store, ids[i], &pid, reterr);
        busy = pid != 0;
    }
    free(ids);
    if (code == DUET_OK && !busy) {
        code = store_execute(store, "VACUUM;PRAGMA wal_checkpoint(TRUNCATE);",
                             shrinking, reterr);
    }
    if (code == DUET_OK) {
        *ret_busy = busy;
    }
    return code;
}
