/* Experiments that are a region of another one's iterations: measured with it, and like
 * any other in everything else. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdlib.h>

static const char doing[] = "saving a region";

enum duet_code store_region_find(struct store *store, int64_t experiment,
                                 const char *name, int64_t *ret_region,
                                 struct duet_error *reterr)
{
    bool row = false;
    *ret_region = 0;
    struct store_query query = store_ask(
        store, doing, "SELECT id FROM experiment WHERE region_of = ? AND region = ?");
    store_bind_int(&query, experiment);
    store_bind_string(&query, name);
    return store_fetch_int(&query, &row, ret_region, reterr);
}

/* ?1: of what is copied, ?2: the copy. */
static const char *const copies[] = {
    "INSERT INTO revision(experiment_id, side, repository, commit_hash, tree_hash, committed_utc_ms, "
    "subject, changed) SELECT ?2, side, repository, commit_hash, tree_hash, committed_utc_ms, subject, "
    "changed FROM revision WHERE experiment_id = ?1",
    "INSERT INTO side(experiment_id, side, name, command, argv, setup, prepare, conclude, cleanup) SELECT "
    "?2, side, name, command, argv, setup, prepare, conclude, cleanup FROM side WHERE experiment_id = ?1",
    "INSERT INTO environment(id, experiment_id, instance_id, host_name, os, kernel, arch, cpu_model, "
    "hypervisor, clock_source, governor, num_cpus, num_cores, smt, turbo, cpu_quota, memory_bytes) SELECT "
    "duet_new_id('environment'), ?2, instance_id, host_name, os, kernel, arch, cpu_model, hypervisor, clock_source, governor, "
    "num_cpus, num_cores, smt, turbo, cpu_quota, memory_bytes FROM environment WHERE experiment_id = ?1 "
    "ORDER BY id DESC LIMIT 1",
    "INSERT INTO environment_load(environment_id, moment, load_avg_1, load_avg_5, load_avg_15, steal_s, "
    "total_s, throttled_s, throttled_count) SELECT (SELECT max(id) FROM environment WHERE experiment_id = "
    "?2), moment, load_avg_1, load_avg_5, load_avg_15, steal_s, total_s, throttled_s, "
    "throttled_count FROM environment_load WHERE environment_id = (SELECT max(id) FROM environment WHERE "
    "experiment_id = ?1)"};

static enum duet_code copy(struct store *store, const char *sql, int64_t from,
                           int64_t to, struct duet_error *reterr)
{
    struct store_query query = store_ask(store, doing, sql);
    store_bind_int(&query, from);
    store_bind_int(&query, to);
    return store_run_once(&query, reterr);
}

enum duet_code store_region_make(struct store *store, int64_t experiment,
                                 const char *name, int64_t *ret_region,
                                 struct duet_error *reterr)
{
    char uuid[37];
    int64_t region = 0;
    enum duet_code code = store_region_find(store, experiment, name, &region, reterr);
    if (code != DUET_OK || region != 0) {
        *ret_region = region;
        return code;
    }
    code = store_uuid_make(uuid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO experiment(id, uuid, name, schedule, state, started_utc_ms, seed, warmup, plan, analysis, "
        "duet_version, region_of, region, benchmark) SELECT duet_new_id('experiment'), ?1, name || ': ' || ?2, schedule, state, "
        "started_utc_ms, seed, warmup, plan, analysis, duet_version, id, ?2, "
        "benchmark || ': ' || ?2 FROM experiment WHERE id = ?3");
    store_bind_string(&query, uuid);
    store_bind_string(&query, name);
    store_bind_int(&query, experiment);
    code = store_run_once(&query, reterr);
    region = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; i < sizeof copies / sizeof copies[0] && code == DUET_OK; i++) {
        code = copy(store, copies[i], experiment, region, reterr);
    }
    if (code == DUET_OK) {
        *ret_region = region;
    }
    return code;
}

enum duet_code store_regions_follow(struct store *store, int64_t experiment,
                                    struct duet_error *reterr)
{
    static const char *const follow[] = {
        "UPDATE experiment AS r SET (state, message, ended_utc_ms, schedule) = (SELECT state, message, "
        "ended_utc_ms, schedule FROM experiment WHERE id = ?1) WHERE region_of = ?1",
        "INSERT OR REPLACE INTO environment_load(environment_id, moment, load_avg_1, load_avg_5, "
        "load_avg_15, steal_s, total_s, throttled_s, throttled_count) SELECT (SELECT max(id) FROM "
        "environment WHERE experiment_id = r.id), l.moment, l.load_avg_1, l.load_avg_5, l.load_avg_15, "
        "l.steal_s, l.total_s, l.throttled_s, l.throttled_count FROM experiment AS r JOIN environment_load "
        "AS l ON l.environment_id = (SELECT max(id) FROM environment WHERE experiment_id = ?1) WHERE "
        "r.region_of = ?1"};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < sizeof follow / sizeof follow[0] && code == DUET_OK; i++) {
        struct store_query query = store_ask(store, doing, follow[i]);
        store_bind_int(&query, experiment);
        code = store_run_once(&query, reterr);
    }
    return code;
}

/* What a server holds of the regions: how many iterations each side has. */
static enum duet_code need_rows(struct store *store, int64_t experiment,
                                struct duet_error *reterr)
{
    int64_t *regions = NULL;
    size_t count = 0;
    if (store->remote == NULL) {
        return DUET_OK;
    }
    enum duet_code code = remote_need_one(store, experiment, reterr);
    if (code == DUET_OK) {
        struct store_query query =
            store_ask(store, doing, "SELECT id FROM experiment WHERE region_of = ?");
        store_bind_int(&query, experiment);
        code = store_fetch_ints(&query, &regions, &count, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = remote_need_rows(store, regions[i], reterr);
    }
    free(regions);
    return code;
}

enum duet_code store_experiment_regions(struct store *store, int64_t experiment,
                                        int64_t **ret_list, size_t *ret_count,
                                        struct duet_error *reterr)
{
    enum duet_code code = need_rows(store, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT e.id FROM experiment AS e JOIN run AS r ON r.experiment_id = e.id JOIN run_side AS s ON "
        "s.run_id = r.id WHERE e.region_of = ? AND s.iterations > 0 GROUP BY e.id HAVING count(DISTINCT "
        "s.side) = 2 ORDER BY e.id");
    store_bind_int(&query, experiment);
    return store_fetch_ints(&query, ret_list, ret_count, reterr);
}

enum duet_code store_region_lopsided(struct store *store, int64_t experiment,
                                     uint64_t index,
                                     struct store_lopsided *ret_lopsided,
                                     bool *ret_found, struct duet_error *reterr)
{
    enum duet_code code = need_rows(store, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT e.region, max(s.side) FROM experiment AS e JOIN run AS r ON r.experiment_id = e.id JOIN "
        "run_side AS s ON s.run_id = r.id WHERE e.region_of = ? AND s.iterations > 0 GROUP BY e.id HAVING "
        "count(DISTINCT s.side) = 1 ORDER BY e.id LIMIT 1 OFFSET ?");
    store_bind_int(&query, experiment);
    store_bind_count(&query, index);
    code = store_step(&query, ret_found, reterr);
    if (code == DUET_OK && *ret_found) {
        store_column_text(query.statement, 0, ret_lopsided->name,
                          sizeof ret_lopsided->name);
        ret_lopsided->side =
            sqlite3_column_int(query.statement, 1) == 0 ? MODEL_OLD : MODEL_NEW;
    }
    store_query_end(&query);
    return code;
}
