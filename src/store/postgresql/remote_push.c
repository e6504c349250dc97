/* From the mirror to the server: what has changed, in one transaction. */
#include "store/postgresql/remote_private.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE_MS = STORE_BUSY_MS,
    ROWS_AT_ONCE = 50,
    PAUSE_SHARE = 20, /* runs are sent when this many times what sending takes passed */
    PAUSE_MAX_MS = 2000
};

/* ---- Rows one by one ---- */

/* A statement's parameters, as texts: NUL-terminated behind each other in `bytes`. */
struct batch {
    struct text bytes;
    size_t starts[ROWS_AT_ONCE * REMOTE_COLUMNS_MAX];
    const char *values[ROWS_AT_ONCE * REMOTE_COLUMNS_MAX];
    int count;
    int rows;
};
static const size_t null_value = (size_t)-1;

static void add_value(struct batch *batch, sqlite3_stmt *rows, int column, char type)
{
    bool null = sqlite3_column_type(rows, column) == SQLITE_NULL;
    batch->starts[batch->count++] = null ? null_value : batch->bytes.length;
    if (null) {
        return;
    }
    if (type == 'R') {
        text_append_format(&batch->bytes, "%.17g", sqlite3_column_double(rows, column));
    } else {
        const unsigned char *text = sqlite3_column_text(rows, column);
        remote_text_send(text == NULL ? "" : (const char *)text,
                         (size_t)sqlite3_column_bytes(rows, column), &batch->bytes);
    }
    text_append_char(&batch->bytes, '\0');
}

static const char *cast_of(char type)
{
    return type == 'I' ? "::bigint" : type == 'R' ? "::double precision" : "::text";
}

/* INSERT of so many rows, each in place of one with its keys. */
static void append_upsert(struct text *sql, const struct remote_table *table,
                          const struct remote_columns *columns, int rows)
{
    text_append_format(sql, "INSERT INTO duet.%s(%s) VALUES", table->name,
                       text_string(&columns->names));
    int parameter = 0;
    for (int row = 0; row < rows; row++) {
        text_append(sql, row == 0 ? "(" : ", (");
        for (int column = 0; column < columns->count; column++) {
            text_append_format(sql, "%s$%d%s", column == 0 ? "" : ", ", ++parameter,
                               cast_of(columns->types[column]));
        }
        text_append_char(sql, ')');
    }
    text_append_format(sql, " ON CONFLICT (%s%s%s) DO UPDATE SET (%s) = ROW(",
                       table->keys[0], table->keys[1] == NULL ? "" : ", ",
                       table->keys[1] == NULL ? "" : table->keys[1],
                       text_string(&columns->names));
    bool begin = true;
    for (const char *c = text_string(&columns->names); *c != '\0'; c++) {
        if (begin) {
            text_append(sql, "excluded.");
        }
        begin = *c == ' ';
        text_append_char(sql, *c);
    }
    text_append_char(sql, ')');
}

static enum duet_code send_batch(struct remote *remote, const char *doing,
                                 const struct remote_table *table,
                                 const struct remote_columns *columns,
                                 struct batch *batch, struct duet_error *reterr)
{
    struct text sql = {0};
    append_upsert(&sql, table, columns, batch->rows);
    for (int i = 0; i < batch->count; i++) {
        batch->values[i] = batch->starts[i] == null_value
                               ? NULL
                               : text_string(&batch->bytes) + batch->starts[i];
    }
    enum duet_code code = text_failed(&sql) || text_failed(&batch->bytes)
                              ? store_out_of_memory(remote->store, doing, reterr)
                              : remote_ask(remote, doing, text_string(&sql),
                                           batch->values, batch->count, NULL, reterr);
    text_release(&sql);
    batch->bytes.length = 0;
    batch->count = 0;
    batch->rows = 0;
    return code;
}

static enum duet_code send_rows(struct remote *remote, const char *doing,
                                const struct remote_table *table,
                                const struct remote_columns *columns,
                                const struct store_query *rows,
                                struct duet_error *reterr)
{
    struct batch *batch = alloc_array(1, sizeof *batch);
    if (batch == NULL) {
        return store_out_of_memory(remote->store, doing, reterr);
    }
    bool row = false;
    enum duet_code code = store_step(rows, &row, reterr);
    while (code == DUET_OK && row) {
        for (int column = 0; column < columns->count; column++) {
            add_value(batch, rows->statement, column, columns->types[column]);
        }
        batch->rows++;
        code = store_step(rows, &row, reterr);
        if (code == DUET_OK && (batch->rows == ROWS_AT_ONCE || !row)) {
            code = send_batch(remote, doing, table, columns, batch, reterr);
        }
    }
    text_release(&batch->bytes);
    free(batch);
    return code;
}

/* ---- A table ---- */

/* Which of its rows have changed. */
static void append_changed(struct text *sql, const struct remote_table *table,
                           const struct remote_columns *columns)
{
    const char *parent = table->kind == REMOTE_OF_RUN       ? "run"
                         : table->kind == REMOTE_OF_DATASET ? "dataset"
                                                            : table->name;
    const char *key =
        table->kind == REMOTE_OF_DATASET ? "experiment_id" : table->keys[0];
    const char *second = table->kind == REMOTE_SMALL ? table->keys[1] : NULL;
    text_append_format(
        sql, "SELECT %s FROM temp.change AS z CROSS JOIN main.%s ON %s = z.k1",
        text_string(&columns->names), table->name, key);
    if (second != NULL) {
        text_append_format(sql, " AND %s = z.k2", second);
    }
    text_append_format(sql, " WHERE z.tbl = '%s' AND z.gone = 0", parent);
    if (table->kind == REMOTE_OF_DATASET) {
        text_append(sql, " ORDER BY id");
    }
}

static enum duet_code send_table(struct store *store, const char *doing,
                                 const struct remote_table *table,
                                 struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    struct remote_columns columns = {.count = 0};
    struct text sql = {0};
    enum duet_code code = remote_columns_read(store, table->name, &columns, reterr);
    if (code != DUET_OK) {
        return code;
    }
    append_changed(&sql, table, &columns);
    if (text_failed(&sql)) {
        code = store_out_of_memory(store, doing, reterr);
    } else {
        struct store_query query = store_ask(store, doing, text_string(&sql));
        if (query.rc != SQLITE_OK) {
            code = store_fail(store, doing, reterr);
        } else if (table->kind == REMOTE_SMALL) {
            code = send_rows(remote, doing, table, &columns, &query, reterr);
        } else {
            code = remote_rows_send(remote, doing, &columns, query.statement, reterr);
        }
        store_query_end(&query);
    }
    text_release(&sql);
    remote_columns_release(&columns);
    return code;
}

/* ---- What is gone ---- */

static enum duet_code remove_rows(struct store *store, const char *doing,
                                  const struct remote_table *table,
                                  struct duet_error *reterr)
{
    struct text sql = {0};
    bool row = false;
    bool pair = table->keys[1] != NULL;
    /* The first key of `baseline` is a text, and so the parameter's type is known. */
    text_append_format(&sql, "DELETE FROM duet.%s WHERE %s = $1%s%s%s", table->name,
                       table->keys[0], pair ? " AND " : "", pair ? table->keys[1] : "",
                       pair ? " = $2" : "");
    struct store_query query = store_ask(
        store, doing, "SELECT k1, k2 FROM temp.change WHERE tbl = ? AND gone = 1");
    store_bind_string(&query, table->name);
    enum duet_code code = store_step(&query, &row, reterr);
    while (code == DUET_OK && row) {
        struct text keys[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++) {
            const unsigned char *key = sqlite3_column_text(query.statement, i);
            remote_text_send(key == NULL ? "" : (const char *)key,
                             (size_t)sqlite3_column_bytes(query.statement, i),
                             &keys[i]);
        }
        const char *const parameters[] = {text_string(&keys[0]), text_string(&keys[1])};
        code = text_failed(&sql) || text_failed(&keys[0]) || text_failed(&keys[1])
                   ? store_out_of_memory(store, doing, reterr)
                   : remote_ask(store->remote, doing, text_string(&sql), parameters,
                                pair ? 2 : 1, NULL, reterr);
        text_release(&keys[0]);
        text_release(&keys[1]);
        if (code == DUET_OK) {
            code = store_step(&query, &row, reterr);
        }
    }
    store_query_end(&query);
    text_release(&sql);
    return code;
}

/* What a transaction may have brought whose end was not heard of. */
static enum duet_code undo_uncertain(struct store *store, const char *doing,
                                     struct duet_error *reterr)
{
    static const char *const tables[][2] = {
        {"run", "DELETE FROM duet.run WHERE id = $1"},
        {"dataset", "DELETE FROM duet.trial WHERE experiment_id = $1"}};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < 2 && code == DUET_OK; i++) {
        bool row = false;
        struct store_query query = store_ask(
            store, doing, "SELECT k1 FROM temp.change WHERE tbl = ? AND gone = 0");
        store_bind_string(&query, tables[i][0]);
        code = store_step(&query, &row, reterr);
        while (code == DUET_OK && row) {
            const char *key = (const char *)sqlite3_column_text(query.statement, 0);
            code =
                remote_ask(store->remote, doing, tables[i][1], &key, 1, NULL, reterr);
            if (code == DUET_OK) {
                code = store_step(&query, &row, reterr);
            }
        }
        store_query_end(&query);
    }
    return code;
}

/* ---- All of it ---- */

static enum duet_code push(struct store *store, const char *doing, void *context,
                           struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    (void)context;
    enum duet_code code = remote_execute(remote, doing, "BEGIN", reterr);
    if (code == DUET_OK && remote->uncertain) {
        code = undo_uncertain(store, doing, reterr);
    }
    for (size_t i = 0; i < remote_table_count && code == DUET_OK; i++) {
        if (remote_tables[i].leaves) {
            code = remove_rows(store, doing, &remote_tables[i], reterr);
        }
    }
    for (size_t i = 0; i < remote_table_count && code == DUET_OK; i++) {
        code = send_table(store, doing, &remote_tables[i], reterr);
    }
    if (code == DUET_OK) {
        code = remote_execute(remote, doing, "COMMIT", reterr);
        remote->uncertain =
            remote->uncertain || (code != DUET_OK && !remote_is_linked(remote));
    }
    return code;
}

static void forget_changes(struct store *store)
{
    (void)sqlite3_exec(store->db, "DELETE FROM temp.change", NULL, NULL, NULL);
    store->remote->changed = false;
    store->remote->uncertain = false;
    store->remote->unnumbered = false;
}

static bool has_row(const struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    bool has = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK &&
               sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return has;
}

static bool has_unsent_runs(const struct store *store)
{
    return has_row(store, "SELECT 1 FROM temp.change WHERE tbl = 'run' AND gone = 0");
}

/* Runs, or how an experiment with runs ended. */
bool remote_is_unsent(const struct store *store)
{
    return store->remote != NULL && store->remote->changed &&
           (has_unsent_runs(store) ||
            has_row(
                store,
                "SELECT 1 FROM temp.change AS z JOIN run AS r ON r.experiment_id = z.k1 "
                "WHERE z.tbl = 'experiment' AND z.gone = 0"));
}

/* What the server refuses for good: runs stay in the mirror, to be rescued from it;
 * anything else did not happen. */
static void give_up(struct store *store)
{
    if (has_unsent_runs(store)) {
        store->remote->detached = true;
    } else {
        forget_changes(store);
    }
}

static enum duet_code send(struct store *store, const char *doing, int64_t wait_ms,
                           struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    if (remote->unnumbered) {
        give_up(store);
        return error_set(reterr, remote->why.code, "%s", remote->why.message);
    }
    if (remote->detached) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s': the server could not be reached in time, and nothing more is sent to it (while %s)",
            store->path, doing);
    }
    int64_t began_ms = remote_clock_ms();
    enum duet_code code = remote_try(store, doing, wait_ms, push, NULL, reterr);
    int64_t ended_ms = remote_clock_ms();
    int64_t pause_ms = (ended_ms - began_ms) * PAUSE_SHARE;
    remote->again_ms = ended_ms + (pause_ms < PAUSE_MAX_MS ? pause_ms : PAUSE_MAX_MS);
    if (code == DUET_OK) {
        forget_changes(store);
    } else if (code != DUET_E_IO || !remote->transient) {
        give_up(store);
    }
    return code;
}

enum duet_code remote_send(struct store *store, const char *doing,
                           struct duet_error *reterr)
{
    return store->remote == NULL || !store->remote->changed || store->remote->held
               ? DUET_OK
               : send(store, doing, PATIENCE_MS, reterr);
}

void remote_hold(struct store *store, bool hold)
{
    if (store->remote != NULL) {
        store->remote->held = hold;
    }
}

enum duet_code remote_send_run(struct store *store, const char *doing,
                               struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    if (remote == NULL || remote->detached || !remote->changed ||
        remote_clock_ms() < remote->again_ms) {
        return DUET_OK;
    }
    enum duet_code code = send(store, doing, 0, reterr);
    return code == DUET_E_IO && remote->transient ? DUET_OK : code;
}
