/* From the server into the mirror: experiments that are asked for, by indexes. What is
 * there once is not fetched again. */
#include "store/postgresql/remote_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "reading experiments";
enum { PATIENCE_MS = STORE_BUSY_MS, IDS_AT_ONCE = 1000 };

/* ---- Lists of numbers as an array of the server's ---- */

/* "'{1,2,3}'::bigint[]" of the first column of `sql`, which the mirror answers; of
 * IDS_AT_ONCE rows from `*skip` on, when skip is not NULL. *ret_any: whether there was
 * one. */
static enum duet_code append_array(struct store *store, const char *sql, int64_t *skip,
                                   struct text *to, bool *ret_any,
                                   struct duet_error *reterr)
{
    struct text limited = {0};
    text_append_format(&limited, "SELECT * FROM (%s) ORDER BY 1", sql);
    if (skip != NULL) {
        text_append_format(&limited, " LIMIT %d OFFSET %lld", (int)IDS_AT_ONCE,
                           (long long)*skip);
    }
    bool row = false;
    bool any = false;
    struct store_query query = store_ask(store, doing, text_string(&limited));
    enum duet_code code = text_failed(&limited)
                              ? store_out_of_memory(store, doing, reterr)
                              : store_step(&query, &row, reterr);
    text_append(to, "'{");
    while (code == DUET_OK && row) {
        text_append_format(to, "%s%lld", any ? "," : "",
                           (long long)sqlite3_column_int64(query.statement, 0));
        any = true;
        code = store_step(&query, &row, reterr);
    }
    text_append(to, "}'::bigint[]");
    store_query_end(&query);
    text_release(&limited);
    if (skip != NULL) {
        *skip += IDS_AT_ONCE;
    }
    if (code == DUET_OK && text_failed(to)) {
        code = store_out_of_memory(store, doing, reterr);
    }
    *ret_any = any;
    return code;
}

/* The rows of a table that belong to the experiments of temp.wanted. */
static enum duet_code fetch_table(struct store *store, const struct remote_table *table,
                                  struct duet_error *reterr)
{
    struct remote_columns columns = {.count = 0};
    bool any = true;
    bool large = table->kind == REMOTE_OF_RUN;
    int64_t skip = 0;
    enum duet_code code = remote_columns_read(store, table->name, &columns, reterr);
    while (code == DUET_OK && any) {
        struct text condition = {0};
        text_append_format(&condition, "%s = ANY(", table->column);
        code = append_array(store, table->ids, large ? &skip : NULL, &condition, &any,
                            reterr);
        text_append_char(&condition, ')');
        if (code == DUET_OK && any) {
            code = text_failed(&condition)
                       ? store_out_of_memory(store, doing, reterr)
                       : remote_rows_fetch(store->remote, doing, store, &columns,
                                           text_string(&condition), reterr);
        }
        any = any && large;
        text_release(&condition);
    }
    remote_columns_release(&columns);
    return code;
}

static bool is_large(const struct remote_table *table)
{
    return table->kind == REMOTE_OF_RUN || table->kind == REMOTE_OF_DATASET;
}

/* What several experiments share, by its number: which, the mirror knows when it has
 * the experiments. */
static bool is_shared(const struct remote_table *table)
{
    return strcmp(table->column, "id") == 0 && strcmp(table->name, "experiment") != 0;
}

/* All tables, large ones or the others, in one moment of the server's. */
static enum duet_code fetch_wanted(struct store *store, bool large, const char *mark,
                                   struct duet_error *reterr)
{
    enum duet_code code = store_execute(store, "SAVEPOINT pull", doing, reterr);
    if (code != DUET_OK) {
        return code;
    }
    store->remote->recording = false;
    for (int shared = 0; shared < 2; shared++) {
        for (size_t i = 0; i < remote_table_count && code == DUET_OK; i++) {
            const struct remote_table *table = &remote_tables[i];
            if (table->ids != NULL && is_large(table) == large &&
                is_shared(table) == (shared == 1)) {
                code = fetch_table(store, table, reterr);
            }
        }
    }
    if (code == DUET_OK) {
        code = store_execute(store, mark, doing, reterr);
    }
    store->remote->recording = true;
    if (code != DUET_OK) {
        (void)sqlite3_exec(store->db, "ROLLBACK TO pull", NULL, NULL, NULL);
    }
    (void)sqlite3_exec(store->db, "RELEASE pull", NULL, NULL, NULL);
    return code;
}

/* ---- Which experiments ---- */

/* With those that belong to them: regions and what they are regions of, controls and
 * confirmations, what is judged together. */
static const char begin_belonging[] = "WITH RECURSIVE x(id) AS (SELECT w.id FROM (";
static const char end_belonging[] =
    ") AS w(id) WHERE w.id IS NOT NULL UNION SELECT n.id FROM x CROSS JOIN LATERAL (SELECT e.region_of AS id FROM "
    "duet.experiment AS e WHERE e.id = x.id AND e.region_of IS NOT NULL UNION ALL SELECT e.id FROM duet.experiment "
    "AS e WHERE e.region_of = x.id UNION ALL SELECT c.experiment_id FROM duet.companion AS c WHERE "
    "c.of_experiment_id = x.id UNION ALL SELECT c.of_experiment_id FROM duet.companion AS c WHERE c.experiment_id "
    "= x.id UNION ALL SELECT m.id FROM duet.experiment AS e JOIN duet.experiment AS m ON m.family_id = "
    "e.family_id WHERE e.id = x.id) AS n) SELECT id FROM x";

struct wish {
    const char *sql;
    const char *parameter;
    bool alone; /* it names all that belong together */
};

/* The ids that the server answers into temp.wanted, without those that are here. */
static enum duet_code want(struct store *store, const struct wish *wish, bool *ret_any,
                           struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    struct pg_result *result = NULL;
    struct text sql = {0};
    struct text sent = {0};
    const char *parameter = NULL;
    if (wish->parameter != NULL) {
        remote_text_send(wish->parameter, strlen(wish->parameter), &sent);
        parameter = text_string(&sent);
    }
    text_append(&sql, wish->alone ? "" : begin_belonging);
    text_append(&sql, wish->sql);
    text_append(&sql, wish->alone ? "" : end_belonging);
    enum duet_code code = text_failed(&sql) || text_failed(&sent)
                              ? store_out_of_memory(store, doing, reterr)
                              : remote_ask(remote, doing, text_string(&sql), &parameter,
                                           parameter == NULL ? 0 : 1, &result, reterr);
    text_release(&sql);
    text_release(&sent);
    sqlite3_stmt *insert = NULL;
    if (code == DUET_OK) {
        code = store_execute(store, "DELETE FROM temp.wanted", doing, reterr);
    }
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT OR IGNORE INTO temp.wanted SELECT ?1 WHERE ?1 NOT IN (SELECT id FROM temp.have)",
            doing, &insert, reterr);
    }
    int rows = code == DUET_OK ? remote->pq.PQntuples(result) : 0;
    *ret_any = false;
    for (int i = 0; i < rows && code == DUET_OK; i++) {
        struct store_query query = store_bind(store, doing, insert);
        store_bind_int(&query, strtoll(remote->pq.PQgetvalue(result, i, 0), NULL, 10));
        code = store_run(&query, reterr);
        *ret_any = *ret_any || sqlite3_changes(store->db) > 0;
    }
    sqlite3_finalize(insert);
    remote->pq.PQclear(result);
    return code;
}

static enum duet_code pull(struct store *store, const char *doing_what, void *context,
                           struct duet_error *reterr)
{
    bool any = false;
    enum duet_code code =
        remote_execute(store->remote, doing_what,
                       "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", reterr);
    if (code == DUET_OK) {
        code = want(store, context, &any, reterr);
    }
    if (code == DUET_OK && any) {
        code = fetch_wanted(
            store, false, "INSERT OR IGNORE INTO temp.have SELECT id FROM temp.wanted",
            reterr);
    }
    return code == DUET_OK ? remote_execute(store->remote, doing_what, "COMMIT", reterr)
                           : code;
}

static enum duet_code fulfil(struct store *store, struct wish wish,
                             struct duet_error *reterr)
{
    return store->remote == NULL
               ? DUET_OK
               : remote_try(store, doing, PATIENCE_MS, pull, &wish, reterr);
}

enum duet_code remote_need(struct store *store, const char *sql, const char *parameter,
                           struct duet_error *reterr)
{
    return fulfil(store, (struct wish){.sql = sql, .parameter = parameter}, reterr);
}

/* Whether temp.`table` has the id. */
static bool holds(struct store *store, const char *sql, int64_t experiment)
{
    bool row = false;
    int64_t id = 0;
    struct store_query query = store_ask(store, doing, sql);
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, &row, &id, NULL) == DUET_OK && row;
}

enum duet_code remote_need_one(struct store *store, int64_t experiment,
                               struct duet_error *reterr)
{
    char id[32];
    if (store->remote == NULL ||
        holds(store, "SELECT id FROM temp.have WHERE id = ?", experiment)) {
        return DUET_OK;
    }
    (void)snprintf(id, sizeof id, "%lld", (long long)experiment);
    return remote_need(store, "SELECT id FROM duet.experiment WHERE id = $1::bigint",
                       id, reterr);
}

enum duet_code remote_need_all(struct store *store, struct duet_error *reterr)
{
    if (store->remote == NULL || store->remote->all) {
        return DUET_OK;
    }
    enum duet_code code = fulfil(
        store, (struct wish){.sql = "SELECT id FROM duet.experiment", .alone = true},
        reterr);
    store->remote->all = code == DUET_OK;
    return code;
}

/* ---- With all their rows ---- */

static enum duet_code pull_rows(struct store *store, const char *doing_what,
                                void *context, struct duet_error *reterr)
{
    (void)context;
    enum duet_code code =
        remote_execute(store->remote, doing_what,
                       "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", reterr);
    if (code == DUET_OK) {
        code = fetch_wanted(
            store, true, "INSERT OR IGNORE INTO temp.whole SELECT id FROM temp.wanted",
            reterr);
    }
    return code == DUET_OK ? remote_execute(store->remote, doing_what, "COMMIT", reterr)
                           : code;
}

static enum duet_code need_rows_of_wanted(struct store *store,
                                          struct duet_error *reterr)
{
    bool row = false;
    int64_t count = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT count(*) FROM temp.wanted WHERE id NOT IN (SELECT id FROM temp.whole)");
    enum duet_code code = store_fetch_int(&query, &row, &count, reterr);
    return code == DUET_OK && count > 0
               ? remote_try(store, doing, PATIENCE_MS, pull_rows, NULL, reterr)
               : code;
}

enum duet_code remote_need_rows(struct store *store, int64_t experiment,
                                struct duet_error *reterr)
{
    enum duet_code code = remote_need_one(store, experiment, reterr);
    if (code != DUET_OK || store->remote == NULL ||
        holds(store, "SELECT id FROM temp.whole WHERE id = ?", experiment)) {
        return code;
    }
    code = store_execute(store, "DELETE FROM temp.wanted", doing, reterr);
    if (code == DUET_OK) {
        struct store_query query =
            store_ask(store, doing,
                      "INSERT INTO temp.wanted SELECT id FROM temp.have WHERE id = ?");
        store_bind_int(&query, experiment);
        code = store_run(&query, reterr);
        store_query_end(&query);
    }
    return code == DUET_OK ? need_rows_of_wanted(store, reterr) : code;
}

enum duet_code remote_need_rows_of(struct store *store, const int64_t *experiments,
                                   size_t count, struct duet_error *reterr)
{
    sqlite3_stmt *insert = NULL;
    if (store->remote == NULL || count == 0) {
        return DUET_OK;
    }
    enum duet_code code =
        store_execute(store, "DELETE FROM temp.wanted", doing, reterr);
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT OR IGNORE INTO temp.wanted SELECT id FROM temp.have WHERE id = ?1 AND "
            "id NOT IN (SELECT id FROM temp.whole)",
            doing, &insert, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct store_query query = store_bind(store, doing, insert);
        store_bind_int(&query, experiments[i]);
        code = store_run(&query, reterr);
    }
    sqlite3_finalize(insert);
    return code == DUET_OK ? need_rows_of_wanted(store, reterr) : code;
}

enum duet_code remote_need_every_row(struct store *store, struct duet_error *reterr)
{
    if (store->remote == NULL) {
        return DUET_OK;
    }
    enum duet_code code = store_execute(
        store,
        "DELETE FROM temp.wanted; INSERT INTO temp.wanted SELECT id FROM temp.have WHERE id NOT IN (SELECT id "
        "FROM temp.whole)",
        doing, reterr);
    return code == DUET_OK ? need_rows_of_wanted(store, reterr) : code;
}

void remote_leave_whole(struct store *store)
{
    if (store->remote != NULL) {
        store->remote->recording = false;
        (void)sqlite3_exec(
            store->db,
            "PRAGMA foreign_keys = ON; DELETE FROM experiment WHERE id NOT IN (SELECT id FROM temp.whole); "
            "PRAGMA foreign_keys = OFF;",
            NULL, NULL, NULL);
    }
}
