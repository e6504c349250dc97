/* Rows between SQLite and PostgreSQL, by COPY in its binary format: a header, for each
 * row the number of its fields, for each field its length (-1: NULL) and its bytes in
 * network order, and -1 in the end. (PostgreSQL's documentation, COPY, "Binary
 * Format".) Integers are bigint there, reals double precision. */
#include "store/postgresql/remote_private.h"

#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char signature[] = "PGCOPY\n\377\r\n"; /* and its NUL */
enum { HEADER_BYTES = sizeof signature + 8, BUFFER_BYTES = 256 * 1024 };

/* ---- Columns ---- */

void remote_columns_release(struct remote_columns *columns)
{
    text_release(&columns->names);
}

enum duet_code remote_columns_read(struct store *store, const char *table,
                                   struct remote_columns *ret_columns,
                                   struct duet_error *reterr)
{
    static const char doing[] = "looking at its tables";
    struct remote_columns columns = {.count = 0};
    text_copy(columns.table, sizeof columns.table, table);
    bool row = false;
    struct store_query query = store_ask(
        store, doing, "SELECT name, type FROM pragma_table_info(?) ORDER BY cid");
    store_bind_string(&query, table);
    enum duet_code code = store_step(&query, &row, reterr);
    while (code == DUET_OK && row && columns.count < REMOTE_COLUMNS_MAX) {
        text_append_format(&columns.names, "%s%s", columns.count == 0 ? "" : ", ",
                           (const char *)sqlite3_column_text(query.statement, 0));
        columns.types[columns.count++] =
            (char)sqlite3_column_text(query.statement, 1)[0];
        code = store_step(&query, &row, reterr);
    }
    store_query_end(&query);
    if (code == DUET_OK && text_failed(&columns.names)) {
        code = store_out_of_memory(store, doing, reterr);
    }
    if (code != DUET_OK) {
        remote_columns_release(&columns);
        return code;
    }
    *ret_columns = columns;
    return DUET_OK;
}

/* ---- To the server ---- */

static void append_int16(struct text *to, int value)
{
    uint16_t word = htobe16((uint16_t)value);
    text_append_n(to, (const char *)&word, sizeof word);
}

static void append_int32(struct text *to, int value)
{
    uint32_t word = htobe32((uint32_t)value);
    text_append_n(to, (const char *)&word, sizeof word);
}

static void append_word(struct text *to, uint64_t value)
{
    uint64_t word = htobe64(value);
    append_int32(to, (int)sizeof word);
    text_append_n(to, (const char *)&word, sizeof word);
}

/* The length is known behind the text. */
static void append_string(struct text *to, const char *string, size_t length)
{
    size_t at = to->length;
    append_int32(to, 0);
    remote_text_send(string, length, to);
    if (!text_failed(to)) {
        uint32_t word = htobe32((uint32_t)(to->length - at - sizeof word));
        memcpy(to->bytes + at, &word, sizeof word);
    }
}

static void append_field(struct text *to, sqlite3_stmt *rows, int column, char type)
{
    double real = 0;
    uint64_t bits = 0;
    if (sqlite3_column_type(rows, column) == SQLITE_NULL) {
        append_int32(to, -1);
        return;
    }
    switch (type) {
    case 'I':
        append_word(to, (uint64_t)sqlite3_column_int64(rows, column));
        break;
    case 'R':
        real = sqlite3_column_double(rows, column);
        memcpy(&bits, &real, sizeof bits);
        append_word(to, bits);
        break;
    case 'B': {
        const void *bytes = sqlite3_column_blob(rows, column);
        int length = sqlite3_column_bytes(rows, column);
        append_int32(to, length);
        text_append_n(to, length == 0 ? "" : bytes, (size_t)length);
        break;
    }
    default: {
        const unsigned char *string = sqlite3_column_text(rows, column);
        append_string(to, string == NULL ? "" : (const char *)string,
                      (size_t)sqlite3_column_bytes(rows, column));
        break;
    }
    }
}

static enum duet_code flush(struct remote *remote, const char *doing, struct text *out,
                            struct duet_error *reterr)
{
    if (text_failed(out) || out->length > INT_MAX) {
        return store_out_of_memory(remote->store, doing, reterr);
    }
    if (out->length > 0 &&
        remote->pq.PQputCopyData(remote->conn, out->bytes, (int)out->length) != 1) {
        return remote_fail(remote, doing, NULL, reterr);
    }
    out->length = 0;
    return DUET_OK;
}

static enum duet_code send_all(struct remote *remote, const char *doing,
                               const struct remote_columns *columns, sqlite3_stmt *rows,
                               struct text *out, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    int rc = SQLITE_ROW; /* the first row is there */
    text_append_n(out, signature, sizeof signature);
    append_int32(out, 0);
    append_int32(out, 0);
    while (code == DUET_OK && rc == SQLITE_ROW) {
        append_int16(out, columns->count);
        for (int column = 0; column < columns->count; column++) {
            append_field(out, rows, column, columns->types[column]);
        }
        if (out->length >= BUFFER_BYTES || text_failed(out)) {
            code = flush(remote, doing, out, reterr);
        }
        rc = code == DUET_OK ? sqlite3_step(rows) : rc;
    }
    if (code == DUET_OK && rc != SQLITE_DONE) {
        return error_set(reterr, DUET_E_FORMAT,
                         "store '%s': what is to be sent cannot be read (%s, while %s)",
                         remote->store->path, sqlite3_errmsg(sqlite3_db_handle(rows)),
                         doing);
    }
    append_int16(out, -1);
    return code == DUET_OK ? flush(remote, doing, out, reterr) : code;
}

/* What the server says of a COPY when its data have ended. */
static enum duet_code conclude(struct remote *remote, const char *doing,
                               struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    enum duet_code code = DUET_OK;
    struct pg_result *result = NULL;
    while ((result = pq->PQgetResult(remote->conn)) != NULL) {
        if (code == DUET_OK && pq->PQresultStatus(result) != PQ_COMMAND_OK) {
            code = remote_fail(remote, doing, result, reterr);
        }
        pq->PQclear(result);
        if (!remote_is_linked(remote)) {
            break;
        }
    }
    return code == DUET_OK && !remote_is_linked(remote)
               ? remote_fail(remote, doing, NULL, reterr)
               : code;
}

static enum duet_code begin_copy(struct remote *remote, const char *doing,
                                 const struct text *sql, unsigned expected,
                                 struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    if (text_failed(sql)) {
        return store_out_of_memory(remote->store, doing, reterr);
    }
    struct pg_result *result = pq->PQexec(remote->conn, text_string(sql));
    enum duet_code code = result != NULL && pq->PQresultStatus(result) == expected
                              ? DUET_OK
                              : remote_fail(remote, doing, result, reterr);
    pq->PQclear(result);
    return code;
}

enum duet_code remote_rows_send(struct remote *remote, const char *doing,
                                const struct remote_columns *columns,
                                sqlite3_stmt *rows, struct duet_error *reterr)
{
    struct text sql = {0};
    struct text out = {0};
    int rc = sqlite3_step(rows);
    if (rc == SQLITE_DONE) {
        return DUET_OK;
    }
    if (rc != SQLITE_ROW) {
        return error_set(reterr, DUET_E_FORMAT,
                         "store '%s': what is to be sent cannot be read (%s, while %s)",
                         remote->store->path, sqlite3_errmsg(sqlite3_db_handle(rows)),
                         doing);
    }
    text_append_format(&sql, "COPY duet.%s(%s) FROM STDIN (FORMAT binary)",
                       columns->table, text_string(&columns->names));
    enum duet_code code = begin_copy(remote, doing, &sql, PQ_COPY_IN, reterr);
    if (code == DUET_OK) {
        struct duet_error said;
        code = send_all(remote, doing, columns, rows, &out, reterr);
        int ended =
            remote->pq.PQputCopyEnd(remote->conn, code == DUET_OK ? NULL : "given up");
        enum duet_code concluded = ended == 1 ? conclude(remote, doing, &said)
                                              : remote_fail(remote, doing, NULL, &said);
        if (code == DUET_OK && concluded != DUET_OK) {
            code = error_set(reterr, concluded, "%s", said.message);
        }
    }
    text_release(&sql);
    text_release(&out);
    return code;
}

/* ---- From the server ---- */

/* Bytes that have come and were not read yet. */
struct incoming {
    struct text pending;
    size_t at;
    bool begun; /* the header was read */
    bool ended;
};

static uint64_t word_at(const char *bytes)
{
    uint64_t word = 0;
    memcpy(&word, bytes, sizeof word);
    return be64toh(word);
}

static int int32_at(const char *bytes)
{
    uint32_t word = 0;
    memcpy(&word, bytes, sizeof word);
    return (int)be32toh(word);
}

static int int16_at(const char *bytes)
{
    uint16_t word = 0;
    memcpy(&word, bytes, sizeof word);
    return (int)(int16_t)be16toh(word);
}

/* One field into a parameter; `bytes` stay until the row is in. */
static int bind_field(sqlite3_stmt *insert, int column, char type, char *bytes,
                      int length)
{
    double real = 0;
    uint64_t word = 0;
    switch (type) {
    case 'I':
        return length != 8
                   ? SQLITE_MISMATCH
                   : sqlite3_bind_int64(insert, column + 1, (int64_t)word_at(bytes));
    case 'R':
        if (length != 8) {
            return SQLITE_MISMATCH;
        }
        word = word_at(bytes);
        memcpy(&real, &word, sizeof real);
        return sqlite3_bind_double(insert, column + 1, real);
    case 'B':
        return sqlite3_bind_blob(insert, column + 1, bytes, length, SQLITE_STATIC);
    default:
        return sqlite3_bind_text(insert, column + 1, bytes,
                                 (int)remote_text_fetch(bytes, (size_t)length),
                                 SQLITE_STATIC);
    }
}

/* The next row into `insert`; SQLITE_DONE: a part of it has not come yet, or there are
 * no more. */
static int take_row(struct incoming *in, const struct remote_columns *columns,
                    sqlite3_stmt *insert)
{
    if (in->at > in->pending.length) {
        return SQLITE_DONE; /* the header's end has not come yet */
    }
    size_t left = in->pending.length - in->at;
    char *from = in->pending.bytes + in->at;
    char *c = from;
    if (left < 2) {
        return SQLITE_DONE;
    }
    int fields = int16_at(c);
    c += 2;
    if (fields == -1) {
        in->ended = true;
        in->at += 2;
        return SQLITE_DONE;
    }
    if (fields != columns->count) {
        return SQLITE_MISMATCH;
    }
    char *starts[REMOTE_COLUMNS_MAX];
    int lengths[REMOTE_COLUMNS_MAX];
    for (int column = 0; column < fields; column++) {
        if ((size_t)(c - from) + 4 > left) {
            return SQLITE_DONE;
        }
        lengths[column] = int32_at(c);
        starts[column] = c += 4;
        if (lengths[column] > 0) {
            if ((size_t)(c - from) + (size_t)lengths[column] > left) {
                return SQLITE_DONE;
            }
            c += lengths[column];
        }
    }
    for (int column = 0; column < fields; column++) {
        int rc = lengths[column] < 0
                     ? sqlite3_bind_null(insert, column + 1)
                     : bind_field(insert, column, columns->types[column],
                                  starts[column], lengths[column]);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    in->at += (size_t)(c - from);
    int rc = sqlite3_step(insert);
    sqlite3_reset(insert);
    return rc == SQLITE_DONE ? SQLITE_ROW : rc;
}

static int take_rows(struct incoming *in, const struct remote_columns *columns,
                     sqlite3_stmt *insert)
{
    if (!in->begun && in->pending.length >= HEADER_BYTES) {
        int extension = int32_at(in->pending.bytes + HEADER_BYTES - 4);
        if (extension < 0) {
            return SQLITE_MISMATCH;
        }
        in->begun = true;
        in->at = HEADER_BYTES + (size_t)extension;
    }
    int rc = SQLITE_ROW;
    while (in->begun && !in->ended && rc == SQLITE_ROW) {
        rc = take_row(in, columns, insert);
    }
    /* What is left of a row to the front. */
    if (in->at > 0 && in->at <= in->pending.length) {
        memmove(in->pending.bytes, in->pending.bytes + in->at,
                in->pending.length - in->at);
        in->pending.length -= in->at;
        in->at = 0;
    }
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static enum duet_code fetch_all(struct remote *remote, const char *doing,
                                struct store *target,
                                const struct remote_columns *columns,
                                sqlite3_stmt *insert, struct duet_error *reterr)
{
    struct incoming in = {.at = 0};
    enum duet_code code = DUET_OK;
    char *bytes = NULL;
    int length = 0;
    while ((length = remote->pq.PQgetCopyData(remote->conn, &bytes, 0)) > 0) {
        if (code == DUET_OK) {
            text_append_n(&in.pending, bytes, (size_t)length);
            code = text_failed(&in.pending)
                       ? store_out_of_memory(remote->store, doing, reterr)
                   : take_rows(&in, columns, insert) == SQLITE_OK
                       ? DUET_OK
                       : store_fail(target, doing, reterr);
        }
        remote->pq.PQfreemem(bytes);
    }
    text_release(&in.pending);
    struct duet_error said;
    enum duet_code concluded = length == -1 ? conclude(remote, doing, &said)
                                            : remote_fail(remote, doing, NULL, &said);
    return code == DUET_OK && concluded != DUET_OK
               ? error_set(reterr, concluded, "%s", said.message)
               : code;
}

static enum duet_code prepare_insert(struct store *target, const char *doing,
                                     const struct remote_columns *columns,
                                     sqlite3_stmt **ret_insert,
                                     struct duet_error *reterr)
{
    struct text sql = {0};
    text_append_format(&sql, "INSERT OR IGNORE INTO main.%s(%s) VALUES(",
                       columns->table, text_string(&columns->names));
    for (int column = 0; column < columns->count; column++) {
        text_append(&sql, column == 0 ? "?" : ", ?");
    }
    text_append_char(&sql, ')');
    enum duet_code code = text_failed(&sql) ? store_out_of_memory(target, doing, reterr)
                                            : store_prepare(target, text_string(&sql),
                                                            doing, ret_insert, reterr);
    text_release(&sql);
    return code;
}

enum duet_code remote_rows_fetch(struct remote *remote, const char *doing,
                                 struct store *target,
                                 const struct remote_columns *columns,
                                 const char *condition, struct duet_error *reterr)
{
    struct text sql = {0};
    sqlite3_stmt *insert = NULL;
    text_append_format(
        &sql, "COPY (SELECT %s FROM duet.%s%s%s) TO STDOUT (FORMAT binary)",
        text_string(&columns->names), columns->table,
        condition == NULL ? "" : " WHERE ", condition == NULL ? "" : condition);
    enum duet_code code = prepare_insert(target, doing, columns, &insert, reterr);
    if (code == DUET_OK) {
        code = begin_copy(remote, doing, &sql, PQ_COPY_OUT, reterr);
    }
    if (code == DUET_OK) {
        code = fetch_all(remote, doing, target, columns, insert, reterr);
    }
    sqlite3_finalize(insert);
    text_release(&sql);
    return code;
}
