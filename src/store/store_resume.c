/* Experiments that were interrupted: which, and how far. */
#include "store/store_resume.h"

#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "going on with an experiment";

/* ---- Which ---- */

/* What was imported has no words of a command. */
#define IMPORTED "SELECT experiment_id FROM side WHERE side = 1 AND argv IS NULL"

/* The first that nobody measures; where somebody measures all of them, the first. */
static int64_t first_idle(struct store *store, const int64_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!store_experiment_is_locked(store, ids[i])) {
            return ids[i];
        }
    }
    return ids[0];
}

static enum duet_code newest(struct store *store, int64_t *ret_id,
                             struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    enum duet_code code = remote_need(
        store,
        "SELECT id FROM duet.experiment WHERE state <> 'done' AND merged_utc_ms IS NULL",
        NULL, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT id FROM experiment WHERE state <> 'done' AND merged_utc_ms IS NULL AND suite_run_id IS NULL AND region_of IS NULL AND id NOT IN (SELECT experiment_id FROM companion) AND id NOT IN (SELECT experiment_id FROM watch) AND id NOT IN (SELECT "
        "experiment_id FROM dataset) AND id NOT IN (" IMPORTED ") ORDER BY id DESC");
    code = store_fetch_ints(&query, &ids, &count, reterr);
    if (code == DUET_OK && count == 0) {
        code = error_set(
            reterr, DUET_E_NOT_FOUND,
            "store '%s' has no experiment that was interrupted: there is nothing to resume",
            store->path);
    }
    if (code == DUET_OK) {
        *ret_id = first_idle(store, ids, count);
    }
    free(ids);
    return code;
}

/* Whether anything else is responsible for going on with it. */
static enum duet_code check_kind(struct store *store, int64_t experiment,
                                 struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(
        store, doing,
        "SELECT 'another store, from which it was merged: resume it there' FROM experiment WHERE id = ?1 AND merged_utc_ms IS NOT NULL UNION ALL "
        "SELECT 'a suite: duet suite --resume' FROM experiment WHERE id = ?1 AND suite_run_id IS NOT NULL UNION ALL "
        "SELECT 'a watch: duet watch --resume' FROM watch WHERE experiment_id = ?1 UNION ALL "
        "SELECT 'experiment ' || region_of || ', of which it is a region: duet run --resume=' || region_of FROM experiment WHERE id = ?1 AND region_of IS NOT NULL UNION ALL "
        "SELECT 'experiment ' || e.id || ', whose control it is: ' || CASE e.state WHEN 'done' THEN 'that is complete, measure both anew' ELSE 'duet run --resume=' || e.id END "
        "FROM companion AS c JOIN experiment AS e ON e.id = c.of_experiment_id WHERE c.experiment_id = ?1 AND c.role = 'control' UNION ALL "
        "SELECT 'a data set, which was not measured here' FROM dataset WHERE experiment_id = ?1 UNION ALL "
        "SELECT 'another program, whose times were not imported to the end: remove it (duet rm ' || ?1 || '), and import them anew' WHERE ?1 IN (" IMPORTED
        ")");
    store_bind_int(&query, experiment);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        code = error_set(reterr, DUET_E_USAGE, "experiment %lld belongs to %s",
                         (long long)experiment,
                         (const char *)sqlite3_column_text(query.statement, 0));
    }
    store_query_end(&query);
    return code;
}

/* With its lock: another process may have gone on with it, and ended it, since it was
 * found. What a server sent once stays as it is. */
static enum duet_code read_again(struct store *store, struct store_experiment *found,
                                 struct duet_error *reterr)
{
    int64_t id = found->id;
    bool current = true;
    enum duet_code code = remote_is_current(store, id, &current, reterr);
    if (code == DUET_OK && !current) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "another process has just measured experiment %lld: look at it (duet show %lld), and try again",
            (long long)id, (long long)id);
    }
    if (code == DUET_OK) {
        store_experiment_release(found);
        code = store_experiment_load(store, id, found, reterr);
    }
    if (code == DUET_OK && found->state == STORE_DONE) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "experiment %lld is complete: there is nothing to resume (duet show %lld)",
            (long long)id, (long long)id);
    }
    return code;
}

enum duet_code store_unfinished_find(struct store *store, const char *which,
                                     struct store_experiment *ret_experiment,
                                     struct duet_error *reterr)
{
    char number[32];
    int64_t id = 0;
    struct store_experiment found = {0};
    enum duet_code code = DUET_OK;
    if (which == NULL) {
        code = newest(store, &id, reterr);
        (void)snprintf(number, sizeof number, "%lld", (long long)id);
        which = number;
    }
    if (code == DUET_OK) {
        code = store_experiment_find(store, which, &found, reterr);
    }
    if (code == DUET_OK) {
        code = check_kind(store, found.id, reterr);
    }
    if (code == DUET_OK && !store_experiment_lock(store, found.id)) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "another process is measuring experiment %lld: wait until it ends",
            (long long)found.id);
    } else if (code == DUET_OK) {
        id = found.id;
        code = read_again(store, &found, reterr);
        if (code != DUET_OK) {
            store_experiment_unlock(store, id);
        }
    }
    if (code != DUET_OK) {
        store_experiment_release(&found);
        return code;
    }
    *ret_experiment = found;
    return DUET_OK;
}

/* ---- How far ---- */

enum duet_code store_experiment_elapsed(struct store *store, int64_t experiment,
                                        uint64_t *ret_elapsed_ns,
                                        struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(
        store, doing,
        "SELECT ifnull(sum(took), 0) FROM (SELECT max(ended_ns) - min(started_ns) AS took FROM run AS r "
        "WHERE experiment_id = ?1 GROUP BY (SELECT max(s.idx) FROM resumption AS s WHERE s.experiment_id = "
        "(SELECT ifnull(region_of, id) FROM experiment WHERE id = ?1) AND s.idx <= r.idx))");
    store_bind_int(&query, experiment);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK) {
        *ret_elapsed_ns = store_column_count(query.statement, 0);
    }
    store_query_end(&query);
    return code;
}
