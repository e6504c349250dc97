/* Whole stores: every row as it is, ids included. */
#include "store/postgresql/remote_private.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "copying it";

/* Tables with numbers; of some a file, too, remembers those that were used once. */
static const struct {
    const char *table;
    bool kept;
} counted[] = {{"instance", false},  {"suite_run", true},    {"family", true},
               {"experiment", true}, {"environment", false}, {"run", false},
               {"comparison", true}, {"trial", false},       {"watch", true},
               {"metric", false}};

/* ---- From the server ---- */

/* The file's next numbers are behind those that the server has given out. */
static enum duet_code copy_counter(struct store *store, struct store *target,
                                   const char *table, struct duet_error *reterr)
{
    int64_t next = 0;
    enum duet_code code = remote_ask_int(
        store->remote, doing, "SELECT next FROM duet.counter WHERE name = $1", &table,
        1, &next, reterr);
    struct store_query query =
        store_ask(target, doing, "DELETE FROM sqlite_sequence WHERE name = ?");
    store_bind_string(&query, table);
    if (code == DUET_OK) {
        code = store_run(&query, reterr);
    }
    store_query_end(&query);
    query =
        store_ask(target, doing, "INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)");
    store_bind_string(&query, table);
    store_bind_int(&query, next - 1);
    if (code == DUET_OK) {
        code = store_run(&query, reterr);
    }
    store_query_end(&query);
    return code;
}

static enum duet_code copy_out(struct store *store, const char *doing_what,
                               void *context, struct duet_error *reterr)
{
    struct store *target = context;
    enum duet_code code =
        remote_execute(store->remote, doing_what,
                       "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", reterr);
    if (code == DUET_OK) {
        code = store_begin(target, doing_what, reterr);
    }
    for (size_t i = 0; i < remote_table_count && code == DUET_OK; i++) {
        struct remote_columns columns = {.count = 0};
        code = remote_columns_read(target, remote_tables[i].name, &columns, reterr);
        if (code == DUET_OK) {
            code = remote_rows_fetch(store->remote, doing_what, target, &columns, NULL,
                                     reterr);
        }
        remote_columns_release(&columns);
    }
    for (size_t i = 0; i < sizeof counted / sizeof counted[0] && code == DUET_OK; i++) {
        code = counted[i].kept ? copy_counter(store, target, counted[i].table, reterr)
                               : DUET_OK;
    }
    code = store_end(target, code, doing_what, reterr);
    return code == DUET_OK ? remote_execute(store->remote, doing_what, "COMMIT", reterr)
                           : code;
}

enum duet_code remote_copy_out(struct store *store, struct store *target,
                               struct duet_error *reterr)
{
    return remote_try(store, doing, 0, copy_out, target, reterr);
}

/* ---- To the server ---- */

struct copying {
    struct store *source;
    int64_t transaction; /* the last one whose end was asked for; 0: none */
};

/* Whether the last transaction counts, although nobody heard of its end. */
static enum duet_code check_done(struct store *store, const struct copying *copying,
                                 bool *ret_done, struct duet_error *reterr)
{
    int64_t done = 0;
    char number[32];
    const char *const parameters[] = {number};
    (void)snprintf(number, sizeof number, "%lld", (long long)copying->transaction);
    enum duet_code code =
        copying->transaction == 0
            ? DUET_OK
            : remote_ask_int(store->remote, doing,
                             "SELECT (txid_status($1::bigint) = 'committed')::int",
                             parameters, 1, &done, reterr);
    *ret_done = done != 0;
    return code;
}

/* Experiments that this copy has brought are *ret_done. */
static enum duet_code check_empty(struct store *store, const struct copying *copying,
                                  bool *ret_done, struct duet_error *reterr)
{
    int64_t any = 0;
    enum duet_code code = remote_ask_int(
        store->remote, doing, "SELECT EXISTS (SELECT 1 FROM duet.experiment)::int",
        NULL, 0, &any, reterr);
    if (code == DUET_OK && any != 0) {
        code = check_done(store, copying, ret_done, reterr);
    }
    return code == DUET_OK && any != 0 && !*ret_done
               ? error_set(
                     reterr, DUET_E_USAGE,
                     "store '%s' has experiments already: name an empty database, or add to it with duet store "
                     "merge --into '%s'",
                     store->path, store->path)
               : code;
}

static enum duet_code send_table(struct store *store, struct store *source,
                                 const struct remote_table *table,
                                 struct duet_error *reterr)
{
    struct remote_columns columns = {.count = 0};
    struct text sql = {0};
    enum duet_code code = remote_columns_read(source, table->name, &columns, reterr);
    if (code != DUET_OK) {
        return code;
    }
    /* In the order of the key: of the file's pages, and of the index there. */
    text_append_format(&sql, "SELECT %s FROM main.%s%s%s", text_string(&columns.names),
                       table->name, table->kind == REMOTE_OF_RUN ? "" : " ORDER BY ",
                       table->kind == REMOTE_OF_RUN ? "" : table->keys[0]);
    sqlite3_stmt *rows = NULL;
    code = text_failed(&sql)
               ? store_out_of_memory(store, doing, reterr)
               : store_prepare(source, text_string(&sql), doing, &rows, reterr);
    if (code == DUET_OK) {
        code = remote_rows_send(store->remote, doing, &columns, rows, reterr);
    }
    sqlite3_finalize(rows);
    text_release(&sql);
    remote_columns_release(&columns);
    return code;
}

/* Behind the ids that were taken over, and those that were used once. */
static enum duet_code move_counter(struct store *store, struct store *source,
                                   const char *table, struct duet_error *reterr)
{
    int64_t last = 0;
    char number[32];
    const char *const parameters[] = {table, number};
    enum duet_code code = store_last_id(source, table, doing, &last, reterr);
    (void)snprintf(number, sizeof number, "%lld", (long long)last + 1);
    return code == DUET_OK
               ? remote_ask(
                     store->remote, doing,
                     "UPDATE duet.counter SET next = greatest(next, $2::bigint) WHERE name = $1",
                     parameters, 2, NULL, reterr)
               : code;
}

static enum duet_code send_tables(struct store *store, const char *doing_what,
                                  struct store *source, struct duet_error *reterr)
{
    enum duet_code code = remote_execute(
        store->remote, doing_what,
        "DELETE FROM duet.metric; DELETE FROM duet.instance; DELETE FROM duet.suite_run; DELETE FROM duet.family",
        reterr);
    /* One moment of the file's. */
    if (code == DUET_OK) {
        code = store_execute(source, "BEGIN", doing_what, reterr);
    }
    for (size_t i = 0; i < remote_table_count && code == DUET_OK; i++) {
        code = send_table(store, source, &remote_tables[i], reterr);
    }
    for (size_t i = 0; i < sizeof counted / sizeof counted[0] && code == DUET_OK; i++) {
        code = move_counter(store, source, counted[i].table, reterr);
    }
    store_rollback(source);
    return code;
}

static enum duet_code copy_in(struct store *store, const char *doing_what,
                              void *context, struct duet_error *reterr)
{
    struct copying *copying = context;
    bool done = false;
    enum duet_code code =
        remote_execute(store->remote, doing_what,
                       "BEGIN; LOCK TABLE duet.experiment IN EXCLUSIVE MODE", reterr);
    if (code == DUET_OK) {
        code = check_empty(store, copying, &done, reterr);
    }
    if (code == DUET_OK && !done) {
        code = send_tables(store, doing_what, copying->source, reterr);
        if (code == DUET_OK) {
            code = remote_ask_int(store->remote, doing_what, "SELECT txid_current()",
                                  NULL, 0, &copying->transaction, reterr);
        }
    }
    return code == DUET_OK ? remote_execute(store->remote, doing_what, "COMMIT", reterr)
                           : code;
}

enum duet_code remote_copy_in(struct store *store, struct store *source,
                              struct duet_error *reterr)
{
    struct copying copying = {.source = source};
    return remote_try(store, doing, 0, copy_in, &copying, reterr);
}

enum duet_code remote_bytes(struct store *store, uint64_t *ret_bytes,
                            struct duet_error *reterr)
{
    int64_t bytes = 0;
    enum duet_code code = remote_ask_int(
        store->remote, "looking at its size",
        "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c WHERE c.relnamespace = "
        "to_regnamespace('duet') AND c.relkind = 'r'",
        NULL, 0, &bytes, reterr);
    if (code == DUET_OK) {
        *ret_bytes = (uint64_t)bytes;
    }
    return code;
}
