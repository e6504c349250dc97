/* Suites: which experiments were measured together. */
#include "store/store_private.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "keeping a suite";

enum duet_code store_suite_begin(struct store *store, const char *name,
                                 const char *path, uint64_t seed, uint64_t benchmarks,
                                 const char *version, int64_t *ret_suite,
                                 struct duet_error *reterr)
{
    char uuid[37];
    char seed_text[32];
    sqlite3_stmt *statement = NULL;
    (void)snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    enum duet_code code = store_uuid_make(uuid, reterr);
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT INTO suite_run(uuid, name, path, state, started_utc_ms, seed, benchmarks, "
            "duet_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, uuid);
        store_bind_string(&binder, name);
        store_bind_string(&binder, path);
        store_bind_string(&binder, store_state_name(STORE_RUNNING));
        store_bind_int(&binder, store_utc_ms());
        store_bind_string(&binder, seed_text);
        store_bind_count(&binder, benchmarks);
        store_bind_known_text(&binder, version);
        code = store_run(store, &binder, doing, reterr);
    }
    if (code == DUET_OK) {
        *ret_suite = sqlite3_last_insert_rowid(store->db);
    }
    sqlite3_finalize(statement);
    return code;
}

/* Carries out an UPDATE of one row; `what` and `id` name it when it is not there. */
static enum duet_code update_one(struct store *store, const struct store_binder *binder,
                                 const char *what, int64_t id,
                                 struct duet_error *reterr)
{
    enum duet_code code = store_run(store, binder, doing, reterr);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no %s %lld",
                         store->path, what, (long long)id);
    }
    return code;
}

enum duet_code store_suite_end(struct store *store, int64_t suite,
                               enum store_state state, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store, "UPDATE suite_run SET state = ?, ended_utc_ms = ? WHERE id = ?", doing,
        &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, store_state_name(state));
        store_bind_known(&binder, state == STORE_RUNNING ? -1 : store_utc_ms());
        store_bind_int(&binder, suite);
        code = update_one(store, &binder, "suite run", suite, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_suite_find(struct store *store, const char *name, const char *path,
                                struct store_suite *ret_suite, bool *ret_found,
                                struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "SELECT id, seed, state FROM suite_run WHERE name = ? AND path = ? ORDER BY id DESC LIMIT 1",
        doing, &statement, reterr);
    bool row = false;
    unsigned state = 0;
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, name);
        store_bind_string(&binder, path);
        code = store_step(store, &binder, doing, &row, reterr);
    }
    if (code == DUET_OK && row) {
        code = store_column_enum(store, statement, 2, store_state_name, STORE_STATES,
                                 &state, reterr);
    }
    if (code == DUET_OK && row) {
        char seed[32];
        store_column_text(statement, 1, seed, sizeof seed);
        *ret_suite = (struct store_suite){.id = sqlite3_column_int64(statement, 0),
                                          .seed = strtoull(seed, NULL, 10),
                                          .state = (enum store_state)state};
    }
    if (code == DUET_OK) {
        *ret_found = row;
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_suite_add(struct store *store, int64_t suite, int64_t experiment,
                               const char *definition, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store, "UPDATE experiment SET suite_run_id = ?, definition = ? WHERE id = ?",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, suite);
        store_bind_string(&binder, definition);
        store_bind_int(&binder, experiment);
        code = update_one(store, &binder, "experiment", experiment, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_suite_done(struct store *store, int64_t suite, const char *name,
                                const char *definition, int64_t *ret_experiment,
                                struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "SELECT id FROM experiment WHERE suite_run_id = ? AND name = ? AND definition = ? AND state = ? "
        "ORDER BY id DESC LIMIT 1",
        doing, &statement, reterr);
    bool row = false;
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, suite);
        store_bind_string(&binder, name);
        store_bind_string(&binder, definition);
        store_bind_string(&binder, store_state_name(STORE_DONE));
        code = store_step(store, &binder, doing, &row, reterr);
    }
    if (code == DUET_OK) {
        *ret_experiment = row ? sqlite3_column_int64(statement, 0) : 0;
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code collect_ids(struct store *store,
                                  const struct store_binder *binder, int64_t **list,
                                  size_t *count, struct duet_error *reterr)
{
    size_t capacity = 0;
    for (;;) {
        bool row = false;
        enum duet_code code = store_step(store, binder, doing, &row, reterr);
        if (code != DUET_OK || !row) {
            return code;
        }
        if (*count == capacity) {
            capacity = capacity == 0 ? 16 : 2 * capacity;
            int64_t *longer = alloc_resize(*list, capacity, sizeof **list);
            if (longer == NULL) {
                return error_set(reterr, DUET_E_NOMEM,
                                 "store '%s': no memory left while %s", store->path,
                                 doing);
            }
            *list = longer;
        }
        (*list)[(*count)++] = sqlite3_column_int64(binder->statement, 0);
    }
}

enum duet_code store_suite_experiments(struct store *store, const char *suite, bool all,
                                       int64_t **ret_list, size_t *ret_count,
                                       struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    int64_t *list = NULL;
    size_t count = 0;
    enum duet_code code = store_prepare(
        store,
        all ? "SELECT id FROM experiment WHERE suite_run_id IN (SELECT id FROM suite_run WHERE name = ?) ORDER BY "
              "id"
            : "SELECT id FROM experiment WHERE suite_run_id = (SELECT id FROM suite_run WHERE name = ? "
              "ORDER BY id DESC LIMIT 1) ORDER BY id",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, suite);
        code = collect_ids(store, &binder, &list, &count, reterr);
    }
    sqlite3_finalize(statement);
    if (code == DUET_OK && count == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiments of a suite '%s'", store->path,
                         suite);
    }
    if (code == DUET_OK) {
        *ret_list = list;
        *ret_count = count;
    } else {
        free(list);
    }
    return code;
}
