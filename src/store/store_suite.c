/* Suites: which experiments were measured together. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "keeping a suite";

/* Its experiments, on a server. */
static const char of_suite[] =
    "SELECT e.id FROM duet.experiment AS e JOIN duet.suite_run AS s ON s.id = e.suite_run_id WHERE s.name = $1";

enum duet_code store_suite_begin(struct store *store, const char *name,
                                 const char *path, uint64_t seed, uint64_t benchmarks,
                                 const char *version, int64_t *ret_suite,
                                 struct duet_error *reterr)
{
    char uuid[37];
    char seed_text[32];
    (void)snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    enum duet_code code = store_uuid_make(uuid, reterr);
    if (code == DUET_OK) {
        code = store_begin(store, doing, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO suite_run(id, uuid, name, path, state, started_utc_ms, seed, benchmarks, "
        "duet_version) VALUES(duet_new_id('suite_run'), ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_string(&query, uuid);
    store_bind_string(&query, name);
    store_bind_string(&query, path);
    store_bind_string(&query, store_state_name(STORE_RUNNING));
    store_bind_int(&query, store_utc_ms());
    store_bind_string(&query, seed_text);
    store_bind_count(&query, benchmarks);
    store_bind_known_text(&query, version);
    code = store_run_once(&query, reterr);
    int64_t suite = sqlite3_last_insert_rowid(store->db);
    if (code == DUET_OK) {
        /* Before another process can see it, and find that nobody measures it. */
        (void)store_suite_lock(store, suite);
    }
    code = store_end(store, code, doing, reterr);
    if (code == DUET_OK) {
        *ret_suite = suite;
    }
    return code;
}

enum duet_code store_suite_end(struct store *store, int64_t suite,
                               enum store_state state, struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing, "UPDATE suite_run SET state = ?, ended_utc_ms = ? WHERE id = ?");
    store_bind_string(&query, store_state_name(state));
    store_bind_known(&query, state == STORE_RUNNING ? -1 : store_utc_ms());
    store_bind_int(&query, suite);
    return store_run_found(&query, "suite run", suite, reterr);
}

enum duet_code store_suite_find(struct store *store, const char *name, const char *path,
                                struct store_suite *ret_suite, bool *ret_found,
                                struct duet_error *reterr)
{
    bool row = false;
    unsigned state = 0;
    enum duet_code code = remote_need(store, of_suite, name, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT id, seed, state FROM suite_run AS s WHERE name = ? AND path = ? AND NOT EXISTS (SELECT 1 FROM "
        "experiment WHERE suite_run_id = s.id AND merged_utc_ms IS NOT NULL) ORDER BY id DESC LIMIT 1");
    store_bind_string(&query, name);
    store_bind_string(&query, path);
    code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        code = store_column_enum(store, query.statement, 2, store_state_name,
                                 STORE_STATES, &state, reterr);
    }
    if (code == DUET_OK && row) {
        char seed[32];
        store_column_text(query.statement, 1, seed, sizeof seed);
        *ret_suite =
            (struct store_suite){.id = sqlite3_column_int64(query.statement, 0),
                                 .seed = strtoull(seed, NULL, 10),
                                 .state = (enum store_state)state};
    }
    if (code == DUET_OK) {
        *ret_found = row;
    }
    store_query_end(&query);
    return code;
}

enum duet_code store_suite_add(struct store *store, int64_t suite, int64_t experiment,
                               const char *definition, struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "UPDATE experiment SET suite_run_id = ?, definition = ? WHERE id = ?");
    store_bind_int(&query, suite);
    store_bind_string(&query, definition);
    store_bind_int(&query, experiment);
    return store_run_found(&query, "experiment", experiment, reterr);
}

enum duet_code store_suite_done(struct store *store, int64_t suite, const char *name,
                                const char *definition, int64_t *ret_experiment,
                                struct duet_error *reterr)
{
    bool row = false;
    int64_t id = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT id FROM experiment WHERE suite_run_id = ? AND name = ? AND definition = ? AND state = ? "
        "ORDER BY id DESC LIMIT 1");
    store_bind_int(&query, suite);
    store_bind_string(&query, name);
    store_bind_string(&query, definition);
    store_bind_string(&query, store_state_name(STORE_DONE));
    enum duet_code code = store_fetch_int(&query, &row, &id, reterr);
    if (code == DUET_OK) {
        *ret_experiment = id;
    }
    return code;
}

/* An experiment of it that another process is measuring; 0: none. */
static enum duet_code find_measured(struct store *store, int64_t suite,
                                    int64_t *ret_experiment, struct duet_error *reterr)
{
    int64_t *list = NULL;
    size_t count = 0;
    struct store_query query = store_ask(
        store, doing, "SELECT id FROM experiment WHERE suite_run_id = ? AND state = ?");
    store_bind_int(&query, suite);
    store_bind_string(&query, store_state_name(STORE_RUNNING));
    enum duet_code code = store_fetch_ints(&query, &list, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK && *ret_experiment == 0; i++) {
        *ret_experiment = store_experiment_is_locked(store, list[i]) ? list[i] : 0;
    }
    free(list);
    return code;
}

/* By its experiments, too: the message names one, and an older duet locks nothing else.
 */
enum duet_code store_suite_take(struct store *store, int64_t suite, bool *ret_taken,
                                int64_t *ret_experiment, struct duet_error *reterr)
{
    int64_t measured = 0;
    enum duet_code code = find_measured(store, suite, &measured, reterr);
    if (code == DUET_OK) {
        *ret_taken = measured == 0 && store_suite_lock(store, suite);
        *ret_experiment = measured;
    }
    return code;
}

enum duet_code store_suite_experiments(struct store *store, const char *suite, bool all,
                                       int64_t **ret_list, size_t *ret_count,
                                       struct duet_error *reterr)
{
    int64_t *list = NULL;
    size_t count = 0;
    enum duet_code code = remote_need(store, of_suite, suite, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        all ? "SELECT id FROM experiment WHERE suite_run_id IN (SELECT id FROM suite_run WHERE name = ?) ORDER BY "
              "id"
            : "SELECT id FROM experiment WHERE suite_run_id = (SELECT id FROM suite_run WHERE name = ? "
              "ORDER BY started_utc_ms DESC, id DESC LIMIT 1) ORDER BY id");
    store_bind_string(&query, suite);
    code = store_fetch_ints(&query, &list, &count, reterr);
    if (code == DUET_OK && count == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiments of a suite '%s'", store->path,
                         suite);
    }
    if (code == DUET_OK) {
        *ret_list = list;
        *ret_count = count;
    }
    return code;
}

static void bind_ended(struct store_query *query, int64_t experiment)
{
    store_bind_int(query, experiment);
    store_bind_string(query, store_state_name(STORE_DONE));
    store_bind_string(query, store_state_name(STORE_FAILED));
}

/* Of a suite that was interrupted or killed. */
static enum duet_code count_left(struct store *store, int64_t experiment,
                                 size_t *ret_left, struct duet_error *reterr)
{
    bool row = false;
    int64_t left = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT s.benchmarks - (SELECT count(DISTINCT o.name) FROM experiment AS o WHERE o.suite_run_id = s.id "
        "AND o.state IN (?2, ?3)) FROM suite_run AS s JOIN experiment AS e ON e.suite_run_id = s.id WHERE e.id = "
        "?1");
    bind_ended(&query, experiment);
    enum duet_code code = store_fetch_int(&query, &row, &left, reterr);
    *ret_left = left > 0 ? (size_t)left : 0;
    return code;
}

enum duet_code store_suite_of(struct store *store, int64_t experiment,
                              int64_t **ret_list, size_t *ret_count, size_t *ret_left,
                              struct duet_error *reterr)
{
    char id[32];
    (void)snprintf(id, sizeof id, "%lld", (long long)experiment);
    enum duet_code code = remote_need(
        store,
        "SELECT o.id FROM duet.experiment AS e JOIN duet.experiment AS o ON o.suite_run_id = "
        "e.suite_run_id WHERE e.id = $1::bigint",
        id, reterr);
    if (code == DUET_OK) {
        code = count_left(store, experiment, ret_left, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT max(o.id) FROM experiment AS e JOIN experiment AS o ON o.suite_run_id = e.suite_run_id WHERE "
        "e.id = ?1 AND o.state IN (?2, ?3) GROUP BY o.name ORDER BY 1");
    bind_ended(&query, experiment);
    return store_fetch_ints(&query, ret_list, ret_count, reterr);
}
