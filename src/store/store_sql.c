/* SQLite with the project's errors and its ways of saying "unknown". */
#include "store/store_private.h"

#include "base/alloc.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static enum duet_code fail_io(const struct store *store, const char *doing,
                              struct duet_error *reterr)
{
    int errnum = sqlite3_system_errno(store->db);
    if (errnum == EFBIG) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s': a limit on file sizes (%s) while %s; finished runs "
            "are kept: raise it with ulimit -f, or name another place with "
            "--store",
            store->path, strerrordesc_np(errnum), doing);
    }
    if (errnum == ENOSPC || errnum == EDQUOT) {
        return error_set(reterr, DUET_E_IO,
                         "store '%s': disk full (%s) while %s; finished runs are kept: "
                         "make room, or name another place with --store",
                         store->path, strerrordesc_np(errnum), doing);
    }
    if (sqlite3_extended_errcode(store->db) == SQLITE_IOERR_WRITE) {
        /* SQLite has forgotten why; these are the usual reasons. */
        return error_set(
            reterr, DUET_E_IO,
            "store '%s': cannot write while %s (disk full, or a limit on file sizes); finished runs are kept: "
            "make room, or name another place with --store",
            store->path, doing);
    }
    if (errnum == EACCES && faccessat(AT_FDCWD, store->path, R_OK, AT_EACCESS) != 0) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s' may not be read (%s): ask its owner for the permission, "
            "or name another file with --store",
            store->path, strerrordesc_np(errnum));
    }
    return errnum == 0
               ? error_set(reterr, DUET_E_IO, "store '%s': %s while %s", store->path,
                           sqlite3_errmsg(store->db), doing)
               : error_set_errno(reterr, DUET_E_IO, errnum, "store '%s': %s while %s",
                                 store->path, sqlite3_errmsg(store->db), doing);
}

/* Whether a table whose ids are never given twice has the last one there is. */
static bool has_last_id(const struct store *store)
{
    sqlite3_stmt *statement = NULL;
    bool found =
        sqlite3_prepare_v2(
            store->db,
            "SELECT seq FROM sqlite_sequence UNION ALL SELECT max(id) FROM experiment UNION ALL "
            "SELECT max(id) FROM comparison ORDER BY 1 DESC LIMIT 1",
            -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_int64(statement, 0) == INT64_MAX;
    (void)sqlite3_finalize(statement);
    return found;
}

static enum duet_code fail_full(const struct store *store, const char *doing,
                                struct duet_error *reterr)
{
    if (has_last_id(store)) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "store '%s' is out of ids while %s: the last one, %lld, is taken; copy it into a new store, which gives new ids: "
            "duet store merge STORE --into FILE",
            store->path, doing, (long long)INT64_MAX);
    }
    return error_set(reterr, DUET_E_IO,
                     "store '%s': disk full while %s; finished runs are kept: "
                     "make room, or name another place with --store",
                     store->path, doing);
}

enum duet_code store_fail(const struct store *store, const char *doing,
                          struct duet_error *reterr)
{
    const char *path = store->path;
    switch (sqlite3_errcode(store->db) & 0xff) {
    case SQLITE_NOMEM:
        return error_set(reterr, DUET_E_NOMEM, "store '%s': no memory left while %s",
                         path, doing);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(
            reterr, DUET_E_IO,
            "store '%s' is locked by another process (waited %d s while %s): "
            "end that process, or name another file with --store",
            path, (store->waited_ms + 500) / 1000, doing);
    case SQLITE_FULL: /* of ids, too */
        return fail_full(store, doing, reterr);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return error_set(
            reterr, DUET_E_IO,
            "store '%s' is read-only (%s): make it and its folder writable, or name another file with --store",
            path, doing);
    case SQLITE_NOTADB:
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s' is not a database, so not a store of duet: name another file with --store",
            path);
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: /* a table or a column is not what the version promises */
    case SQLITE_MISMATCH:
        return error_set(
            reterr, DUET_E_FORMAT,
            "store '%s' is damaged (%s, while %s): keep a copy, then try `sqlite3 FILE .recover`",
            path, sqlite3_errmsg(store->db), doing);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return fail_io(store, doing, reterr);
    default:
        return error_set(reterr, DUET_E_INTERNAL, "store '%s': %s while %s", path,
                         sqlite3_errmsg(store->db), doing);
    }
}

enum duet_code store_execute(struct store *store, const char *sql, const char *doing,
                             struct duet_error *reterr)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? DUET_OK
               : store_fail(store, doing, reterr);
}

/* IMMEDIATE: the wait for another writer happens here, where nothing is lost by it. */
enum duet_code store_begin(struct store *store, const char *doing,
                           struct duet_error *reterr)
{
    return store_execute(store, "BEGIN IMMEDIATE", doing, reterr);
}

/* NULL: its data are in no file of its own. */
static const char *file_of(const struct store *store)
{
    const char *name = sqlite3_db_filename(store->db, "main");
    return name != NULL && name[0] != '\0' ? name : NULL;
}

/* SQLite calls moved what it cannot look at, for whatever reason. */
static bool has_moved(const struct store *store)
{
    int moved = 0;
    return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
               SQLITE_OK &&
           moved != 0;
}

/* A path that cannot be looked at says nothing. What was written has pages. */
bool store_is_gone(const struct store *store)
{
    struct stat status;
    if (store->calls != NULL) {
        return store->calls->is_unsent(store);
    }
    const char *name = file_of(store);
    if (name == NULL) {
        return false;
    }
    if (stat(name, &status) != 0) {
        return errno != EACCES && errno != EIO && errno != ENOMEM && has_moved(store);
    }
    return status.st_size == 0 || (has_moved(store) && has_moved(store));
}

bool store_is_kept(const struct store *store)
{
    return store != NULL && (store->calls != NULL || file_of(store) != NULL) &&
           !store_is_gone(store);
}

enum { PAUSE_MS = 10, SAY_AGAIN_MS = 600000 };

static bool is_cancelled(const struct store *store)
{
    struct pollfd cancelled = {.fd = store->patience.cancel_fd, .events = POLLIN};
    return poll(&cancelled, 1, 0) > 0;
}

int store_wait_for_lock(void *context, int count)
{
    struct store *store = context;
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    int over_ms = count * PAUSE_MS - store->busy_ms;
    store->waited_ms = count * PAUSE_MS;
    if (over_ms >= 0 && (!store->patient || is_cancelled(store))) {
        return 0;
    }
    if (over_ms >= 0 && over_ms % SAY_AGAIN_MS < PAUSE_MS) {
        store->patience.locked(store->patience.context,
                               (store->waited_ms + 500) / 1000);
    }
    (void)nanosleep(&pause, NULL);
    return 1;
}

void store_wait_long(struct store *store, const struct store_patience *patience)
{
    store->patient = true;
    store->patience = *patience;
}

static enum duet_code end(struct store *store, enum duet_code code, const char *doing,
                          store_send *send, struct duet_error *reterr)
{
    if (code == DUET_OK) {
        code = store_execute(store, "COMMIT", doing, reterr);
    }
    if (code == DUET_OK && store->remote == NULL && store_is_gone(store)) {
        code = error_set(reterr, DUET_E_IO,
                         "store '%s' was deleted, moved or emptied while %s: "
                         "leave it where it is, or name another file with --store",
                         store->path, doing);
    }
    if (code == DUET_OK && send != NULL) {
        code = send(store, doing, reterr);
    }
    store_rollback(store);
    return code;
}

enum duet_code store_end(struct store *store, enum duet_code code, const char *doing,
                         struct duet_error *reterr)
{
    return end(store, code, doing, store->calls != NULL ? store->calls->send : NULL,
               reterr);
}

enum duet_code store_end_run(struct store *store, enum duet_code code,
                             const char *doing, struct duet_error *reterr)
{
    return end(store, code, doing, store->calls != NULL ? store->calls->send_run : NULL,
               reterr);
}

void store_rollback(struct store *store)
{
    if (sqlite3_get_autocommit(store->db) == 0) {
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
}

enum duet_code store_prepare(struct store *store, const char *sql, const char *doing,
                             sqlite3_stmt **ret_statement, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK) {
        return store_fail(store, doing, reterr);
    }
    *ret_statement = statement;
    return DUET_OK;
}

struct store_query store_ask(struct store *store, const char *doing, const char *sql)
{
    struct store_query query = {.store = store, .doing = doing};
    query.rc = sqlite3_prepare_v2(store->db, sql, -1, &query.statement, NULL);
    return query;
}

struct store_query store_bind(struct store *store, const char *doing,
                              sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    return (struct store_query){.store = store, .doing = doing, .statement = statement};
}

void store_query_end(struct store_query *query)
{
    sqlite3_finalize(query->statement);
    query->statement = NULL;
}

/* The next parameter's number; 0 after a failure, which a further call would have the
 * connection forget. */
static int next_parameter(struct store_query *query)
{
    return query->rc == SQLITE_OK ? ++query->bound : 0;
}

void store_bind_int(struct store_query *query, int64_t value)
{
    int at = next_parameter(query);
    if (at > 0) {
        query->rc = sqlite3_bind_int64(query->statement, at, value);
    }
}

void store_bind_count(struct store_query *query, uint64_t value)
{
    store_bind_int(query, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void store_bind_known(struct store_query *query, int64_t value)
{
    if (value >= 0) {
        store_bind_int(query, value);
    } else {
        store_bind_string(query, NULL);
    }
}

void store_bind_real(struct store_query *query, double value)
{
    int at = next_parameter(query);
    if (at > 0) {
        query->rc = sqlite3_bind_double(query->statement, at, value);
    }
}

void store_bind_bytes(struct store_query *query, const void *bytes, size_t length)
{
    int at = next_parameter(query);
    if (at > 0) {
        query->rc =
            sqlite3_bind_blob64(query->statement, at, bytes, length, SQLITE_STATIC);
    }
}

void store_bind_string(struct store_query *query, const char *text)
{
    int at = next_parameter(query);
    if (at > 0) {
        query->rc = sqlite3_bind_text(query->statement, at, text, -1, SQLITE_STATIC);
    }
}

void store_bind_known_text(struct store_query *query, const char *text)
{
    store_bind_string(query, text != NULL && text[0] != '\0' ? text : NULL);
}

/* SQLite ends a text when it is asked for, and without memory it says NULL, as of none.
 * It keeps what it found: here for all that read the row. */
static bool finds_texts(sqlite3_stmt *row)
{
    for (int column = 0; column < sqlite3_data_count(row); column++) {
        if (sqlite3_column_type(row, column) == SQLITE_TEXT &&
            sqlite3_column_text(row, column) == NULL) {
            return false;
        }
    }
    return true;
}

enum duet_code store_step(const struct store_query *query, bool *ret_row,
                          struct duet_error *reterr)
{
    int rc = query->rc == SQLITE_OK ? sqlite3_step(query->statement) : query->rc;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        return store_fail(query->store, query->doing, reterr);
    }
    if (rc == SQLITE_ROW && !finds_texts(query->statement)) {
        return store_out_of_memory(query->store, query->doing, reterr);
    }
    *ret_row = rc == SQLITE_ROW;
    return DUET_OK;
}

enum duet_code store_run(const struct store_query *query, struct duet_error *reterr)
{
    bool row = true;
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && row) {
        code = store_step(query, &row, reterr);
    }
    sqlite3_reset(query->statement);
    return code;
}

/* What was changed outside of a transaction, to the server that it belongs to. */
static enum duet_code settle(const struct store_query *query, struct duet_error *reterr)
{
    struct store *store = query->store;
    return store->calls != NULL && sqlite3_get_autocommit(store->db) != 0
               ? store->calls->send(store, query->doing, reterr)
               : DUET_OK;
}

enum duet_code store_run_once(struct store_query *query, struct duet_error *reterr)
{
    enum duet_code code = store_run(query, reterr);
    store_query_end(query);
    return code == DUET_OK ? settle(query, reterr) : code;
}

enum duet_code store_run_found(struct store_query *query, const char *what, int64_t id,
                               struct duet_error *reterr)
{
    const struct store *store = query->store;
    enum duet_code code = store_run(query, reterr);
    int changes = sqlite3_changes(store->db);
    store_query_end(query);
    if (code == DUET_OK && changes == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no %s %lld (deleted meanwhile?)", store->path,
                         what, (long long)id);
    }
    return code == DUET_OK ? settle(query, reterr) : code;
}

enum duet_code store_fetch_int(struct store_query *query, bool *ret_row,
                               int64_t *ret_value, struct duet_error *reterr)
{
    enum duet_code code = store_step(query, ret_row, reterr);
    if (code == DUET_OK && *ret_row) {
        *ret_value = sqlite3_column_int64(query->statement, 0);
    }
    store_query_end(query);
    return code;
}

enum duet_code store_collect(struct store_query *query, store_read_row *read,
                             size_t size, struct store_rows *rows,
                             struct duet_error *reterr)
{
    size_t capacity = rows->count;
    bool row = false;
    enum duet_code code = store_step(query, &row, reterr);
    while (code == DUET_OK && row) {
        char *longer = alloc_grow(rows->list, rows->count, &capacity, size);
        if (longer == NULL) {
            code = store_out_of_memory(query->store, query->doing, reterr);
            break;
        }
        rows->list = longer;
        code = read(query, memset(longer + size * rows->count++, 0, size), reterr);
        if (code == DUET_OK) {
            code = store_step(query, &row, reterr);
        }
    }
    store_query_end(query);
    return code;
}

static enum duet_code read_int(const struct store_query *query, void *ret_row,
                               struct duet_error *reterr)
{
    (void)reterr;
    *(int64_t *)ret_row = sqlite3_column_int64(query->statement, 0);
    return DUET_OK;
}

enum duet_code store_fetch_ints(struct store_query *query, int64_t **ret_list,
                                size_t *ret_count, struct duet_error *reterr)
{
    struct store_rows rows = {0};
    enum duet_code code =
        store_collect(query, read_int, sizeof **ret_list, &rows, reterr);
    if (code != DUET_OK) {
        free(rows.list);
        return code;
    }
    *ret_list = rows.list;
    *ret_count = rows.count;
    return DUET_OK;
}

double store_column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, column);
}

uint64_t store_column_count(sqlite3_stmt *statement, int column)
{
    int64_t value = sqlite3_column_int64(statement, column);
    return value < 0 ? 0 : (uint64_t)value;
}

uint32_t store_column_u32(sqlite3_stmt *statement, int column)
{
    uint64_t value = store_column_count(statement, column);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

void store_column_text(sqlite3_stmt *statement, int column, char *ret_text, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    (void)snprintf(ret_text, size, "%s", text == NULL ? "" : (const char *)text);
}

char *store_column_string(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    if (text == NULL && sqlite3_column_type(statement, column) != SQLITE_NULL) {
        return NULL; /* SQLite found no memory for the conversion */
    }
    return alloc_string(text == NULL ? "" : (const char *)text);
}

enum duet_code store_column_enum(const struct store *store, sqlite3_stmt *statement,
                                 int column, store_name_of *name_of, unsigned count,
                                 unsigned *ret_value, struct duet_error *reterr)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    const char *name = text == NULL ? "" : (const char *)text;
    for (unsigned value = 0; value < count; value++) {
        if (strcmp(name, name_of(value)) == 0) {
            *ret_value = value;
            return DUET_OK;
        }
    }
    return error_set(
        reterr, DUET_E_FORMAT,
        "store '%s': column '%s' holds '%s', which this duet does not know",
        store->path, sqlite3_column_name(statement, column), name);
}

enum duet_code store_uuid_make(char ret_uuid[37], struct duet_error *reterr)
{
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot get random numbers for an id");
    }
    /* RFC 4122 s.4.4: version 4, variant 10. */
    b[6] = (unsigned char)((b[6] & 0x0fU) | 0x40U);
    b[8] = (unsigned char)((b[8] & 0x3fU) | 0x80U);
    (void)snprintf(
        ret_uuid, 37,
        "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
        b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
        b[13], b[14], b[15]);
    return DUET_OK;
}

int64_t store_utc_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum duet_code store_vacuum_into(struct store *store, const char *path,
                                 const char *purpose, struct duet_error *reterr)
{
    char *uri = store_uri(path, false);
    enum duet_code code =
        uri == NULL ? store_out_of_memory(store, purpose, reterr) : DUET_OK;
    if (code == DUET_OK) {
        struct store_query query = store_ask(store, purpose, "VACUUM INTO ?");
        store_bind_string(&query, uri);
        code = store_run(&query, reterr);
        store_query_end(&query);
    }
    free(uri);
    if (code != DUET_OK) {
        (void)unlink(path);
    }
    return code;
}

enum duet_code store_last_id(struct store *store, const char *table, const char *doing,
                             int64_t *ret_last, struct duet_error *reterr)
{
    bool row = false;
    struct text sql = {0};
    text_append_format(
        &sql,
        "SELECT max(ifnull((SELECT max(id) FROM main.%s), 0), ifnull((SELECT seq FROM main.sqlite_sequence WHERE "
        "name = '%s'), 0))",
        table, table);
    enum duet_code code = DUET_OK;
    if (text_failed(&sql)) {
        code = store_out_of_memory(store, doing, reterr);
    } else {
        struct store_query query = store_ask(store, doing, text_string(&sql));
        code = store_fetch_int(&query, &row, ret_last, reterr);
    }
    text_release(&sql);
    return code;
}
