#include "store/store_private.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char doing[] = "opening it";

/* What a database file says about itself. */
struct identity {
    int64_t application_id;
    int64_t version;
    int64_t objects; /* tables, indexes, views */
};

static enum duet_code identify(struct store *store, struct identity *ret_identity,
                               struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(
        store, doing,
        "SELECT (SELECT application_id FROM pragma_application_id), "
        "(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)");
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK) {
        *ret_identity = (struct identity){
            .application_id = sqlite3_column_int64(query.statement, 0),
            .version = sqlite3_column_int64(query.statement, 1),
            .objects = sqlite3_column_int64(query.statement, 2),
        };
    }
    store_query_end(&query);
    return code;
}

/* Before anything is changed: is this ours, or nothing yet? */
static enum duet_code check_identity(struct store *store, bool create, bool *ret_fresh,
                                     struct duet_error *reterr)
{
    struct identity identity = {0};
    enum duet_code code = identify(store, &identity, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool fresh =
        identity.application_id == 0 && identity.version == 0 && identity.objects == 0;
    if (fresh && !create) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s' is an empty file, not a store of duet: measure something into it first, "
            "or name another file with --store",
            store->path);
    }
    if (!fresh && identity.application_id != STORE_APPLICATION_ID) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s' is another program's database, not a store of duet: name another file with --store",
            store->path);
    }
    *ret_fresh = fresh;
    return DUET_OK;
}

static int64_t clock_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* SQLite does not call the busy handler for a change of the journal mode, so that two
 * processes that make the same store at once need this loop. It does call it for the
 * lock that it needs before; where there are no locks to be had, each attempt takes as
 * long. */
static enum duet_code use_wal(struct store *store, struct duet_error *reterr)
{
    const struct timespec pause = {.tv_nsec = 10000000L};
    int64_t deadline_ms = clock_ms() + store->busy_ms;
    for (;;) {
        int rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc == SQLITE_OK) {
            return DUET_OK;
        }
        if ((rc & 0xff) != SQLITE_BUSY || clock_ms() >= deadline_ms) {
            return store_fail(store, doing, reterr);
        }
        (void)nanosleep(&pause, NULL);
    }
}

/* foreign_keys: off because every row is written in one transaction with the row that
 * it refers to, and looking that up again costs a fifth of the time of a large run;
 * store_comparison_save(), which deletes, switches them on. cache_size: KiB, negative;
 * dirty pages beyond it go to the log early, so that memory does not grow with the run.
 * journal_size_limit: the log of one huge run is cut back afterwards. synchronous:
 * docs/store.md says what NORMAL gives up; where the file system cannot do WAL the
 * default, FULL, stays. */
static const char settings[] =
    "PRAGMA foreign_keys = OFF;PRAGMA trusted_schema = OFF;PRAGMA cache_size = -4096;PRAGMA "
    "wal_autocheckpoint = 500;PRAGMA journal_size_limit = 16777216;";

static enum duet_code has_wal(struct store *store, bool *ret_wal,
                              struct duet_error *reterr)
{
    struct store_query query = store_ask(store, doing, "PRAGMA journal_mode");
    bool row = false;
    char mode[16];
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK) {
        store_column_text(query.statement, 0, mode, sizeof mode);
        *ret_wal = strcmp(mode, "wal") == 0;
    }
    store_query_end(&query);
    return code;
}

static enum duet_code configure(struct store *store, bool fresh,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (fresh) {
        /* Twice SQLite's default: a quarter faster for large runs, and a small run's
         * commit still takes well below a millisecond. */
        code = store_execute(store, "PRAGMA page_size = 8192", doing, reterr);
    }
    if (code == DUET_OK && fresh) {
        code = use_wal(store, reterr);
    }
    if (code == DUET_OK) {
        code = store_execute(store, settings, doing, reterr);
    }
    bool wal = false;
    if (code == DUET_OK) {
        code = has_wal(store, &wal, reterr);
    }
    if (code == DUET_OK && wal) {
        code = store_execute(store, "PRAGMA synchronous = NORMAL", doing, reterr);
    }
    return code;
}

/* A file of others may hold views that never end, in place of tables, and triggers:
 * duet reads no view, and has triggers only of its own connection. Nor does it read
 * anything that a module of SQLite's makes of tables, but for JSON.
 * Errors: DUET_E_NOMEM. */
static enum duet_code take_tables_only(struct store *store, struct duet_error *reterr)
{
    const char *kept[] = {"json_tree", NULL};
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    return sqlite3_drop_modules(store->db, kept) == SQLITE_OK
               ? DUET_OK
               : store_fail(store, doing, reterr);
}

/* A file that cannot be written (a CI artifact, another user's) can still be read. With
 * a log beside it somebody writes, and the ordinary way through the shared log index is
 * taken; without one, nobody does, and that index could not be made in a read-only
 * folder. */
static enum duet_code connect(struct store *store, const struct store_path_facts *facts,
                              bool create, struct duet_error *reterr)
{
    store->read_only = !facts->writable;
    char *uri = store_uri(store->path, store->read_only && !facts->has_log);
    if (uri == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'",
                         store->path);
    }
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= store->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    flags |= create ? SQLITE_OPEN_CREATE : 0;
    int rc = sqlite3_open_v2(uri, &store->db, flags, NULL);
    free(uri);
    if (rc != SQLITE_OK) {
        return store_fail(store, doing, reterr);
    }
    (void)sqlite3_busy_handler(store->db, store_wait_for_lock, store);
    /* Nothing was read so far, nor rolled back. */
    return store_journal_check(sqlite3_db_filename(store->db, "main"), reterr);
}

static enum duet_code check_path(const char *path, bool create,
                                 struct store_path_facts *ret_facts,
                                 struct duet_error *reterr)
{
    enum duet_code code = store_path_facts_look(path, ret_facts, reterr);
    if (code == DUET_OK && create && !ret_facts->exists) {
        code = store_folder_check(path, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    if (!create && !ret_facts->exists) {
        return error_set(
            reterr, DUET_E_NOT_FOUND,
            "no store at '%s': measure something first, or name the file with --store",
            path);
    }
    if (create && !ret_facts->writable) {
        return error_set(
            reterr, DUET_E_IO,
            "cannot write store '%s': %s is read-only; make the file and its folder writable, "
            "or name another file with --store",
            path, ret_facts->exists ? "it or its folder" : "its folder");
    }
    bool made = false;
    return create && !ret_facts->exists ? store_file_make(path, &made, reterr)
                                        : DUET_OK;
}

static enum duet_code store_new(const char *path, int busy_ms, struct store **ret_store,
                                struct duet_error *reterr)
{
    struct store *store = alloc_array(1, sizeof *store);
    if (store != NULL) {
        store->busy_ms = busy_ms;
        store->lock_fd = -1;
        store->path = alloc_string(path);
    }
    if (store == NULL || store->path == NULL) {
        free(store);
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    }
    *ret_store = store;
    return DUET_OK;
}

/* From an open connection to a store that can be used. */
static enum duet_code prepare(struct store *store, bool create,
                              struct duet_error *reterr)
{
    bool fresh = false;
    enum duet_code code = take_tables_only(store, reterr);
    if (code == DUET_OK) {
        code = check_identity(store, create, &fresh, reterr);
    }
    if (code == DUET_OK) {
        code = configure(store, fresh, reterr);
    }
    if (code == DUET_OK) {
        size_t count = 0;
        const struct store_migration *steps = store_schema_steps(&count);
        code = store_migrate(store, steps, count, store_schema_whole(), reterr);
    }
    return code == DUET_OK ? store_ids_prepare(store, reterr) : code;
}

enum duet_code store_open_within(const char *path, bool create, int busy_ms,
                                 struct store **ret_store, struct duet_error *reterr)
{
    struct store_path_facts facts = {0};
    struct store *store = NULL;
    enum duet_code code = check_path(path, create, &facts, reterr);
    if (code == DUET_OK) {
        code = store_new(path, busy_ms, &store, reterr);
    }
    if (code != DUET_OK || store == NULL) { /* for gcc -O3 alone */
        return code;
    }
    code = connect(store, &facts, create, reterr);
    if (code == DUET_OK) {
        code = prepare(store, create, reterr);
    }
    if (code != DUET_OK) {
        store_close(store);
        return code;
    }
    *ret_store = store;
    return DUET_OK;
}

enum duet_code store_open_scratch(struct store **ret_store, struct duet_error *reterr)
{
    char *path = alloc_format("%s/duet-scratch", store_scratch_folder());
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to open a store");
    }
    /* The path names the folder for runs that are spilled. */
    enum duet_code code = store_open_unnamed(path, ret_store, reterr);
    free(path);
    return code;
}

/* SQLite gets the empty name, which stands for a private, unnamed database. */
enum duet_code store_open_unnamed(const char *path, struct store **ret_store,
                                  struct duet_error *reterr)
{
    struct store *store = NULL;
    enum duet_code code = store_new(path, STORE_BUSY_MS, &store, reterr);
    if (code != DUET_OK) {
        return code;
    }
    /* URI: merges and copies name files by URIs. */
    int rc =
        sqlite3_open_v2("", &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
                            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                        NULL);
    code = rc == SQLITE_OK ? prepare(store, true, reterr)
                           : store_fail(store, doing, reterr);
    if (code == DUET_OK) {
        /* Nobody will ever open it again: what undoes a failed run is kept in memory.
         */
        code = store_execute(store,
                             "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF",
                             doing, reterr);
    }
    if (code != DUET_OK) {
        store_close(store);
        return code;
    }
    *ret_store = store;
    return DUET_OK;
}

void store_close(struct store *store)
{
    if (store != NULL) {
        store_writer_free(store->writer);
        (void)sqlite3_close_v2(store->db);
        if (store->calls != NULL) {
            store->calls->release(store->remote);
        }
        if (store->lock_fd >= 0) {
            (void)close(store->lock_fd);
        }
        free(store->path);
        free(store);
    }
}

const char *store_path(const struct store *store)
{
    return store->path;
}
