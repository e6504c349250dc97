/* What the files of src/store share. SQLite is seen only here and below. */
#ifndef DUET_STORE_STORE_PRIVATE_H
#define DUET_STORE_STORE_PRIVATE_H

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STORE_APPLICATION_ID = 0x64756574, /* "duet", in the file's header */
    STORE_BUSY_MS = 10000              /* wait for another process's transaction */
};

struct store_writer;
struct remote;

struct store {
    sqlite3 *db;
    char *path;
    int busy_ms;
    int waited_ms; /* for a lock, last */
    bool patient;  /* store_wait_long() */
    struct store_patience patience;
    bool read_only;
    int64_t sink_experiment;     /* that the sink writes to */
    struct store_writer *writer; /* NULL until the first run */
    int lock_fd;                 /* -1: none yet (store_lock.c) */
    /* Of a store in PostgreSQL (store/postgresql); NULL: a file. */
    struct remote *remote;
    const struct store_remote_calls *calls;
};

/* What a server hears of what happens to its mirror: functions of
 * store/postgresql/remote.h, which rests on the files that call them. */
typedef enum duet_code store_send(struct store *store, const char *doing,
                                  struct duet_error *reterr);
struct store_remote_calls {
    store_send *send;
    store_send *send_run;
    bool (*is_unsent)(const struct store *store);
    void (*release)(struct remote *remote);
};

/* ---- Paths (store_path.c) ---- */

/* Everything before the last '/' of `path`, "." without one, "/" for the root; free()
 * it. NULL: no memory. */
char *store_folder_of(const char *path);

/* What store_open() can say about a path before SQLite touches it. */
struct store_path_facts {
    bool exists;
    bool writable; /* the file (when it exists) and its folder: WAL needs both */
    bool has_log;  /* a write-ahead log lies beside it */
};
/* Errors: DUET_E_USAGE (empty), DUET_E_UNSUITABLE (a URL), DUET_E_FORMAT (a folder or
 * another thing that is no file), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_path_facts_look(const char *path,
                                                   struct store_path_facts *ret_facts,
                                                   struct duet_error *reterr);
/* Makes the folder of the default store when there is none, with a .gitignore. */
BASE_MUST_USE enum duet_code store_folder_make(const char *path,
                                               struct duet_error *reterr);
/* Refuses a path whose folder is not there: DUET_E_NOT_FOUND, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_folder_check(const char *path,
                                                struct duet_error *reterr);
/* Makes the empty file that SQLite is to fill, for its owner alone: SQLite gives its
 * log the same mode. One that is there stays. *ret_made: there was none. */
BASE_MUST_USE enum duet_code store_file_make(const char *path, bool *ret_made,
                                             struct duet_error *reterr);
/* Refuses a file with a rollback journal beside it that ends as those of transactions
 * over several files do: with the name of one that they share. Who rolls such a journal
 * back removes the file of that name, whatever it is, and duet's own transactions are
 * over one file. `path`: without links. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_journal_check(const char *path,
                                                 struct duet_error *reterr);
/* `path` as a file: URI in which nothing is special; `immutable`: SQLite shall neither
 * lock nor look for a log. free() it. NULL: no memory. */
char *store_uri(const char *path, bool immutable);

/* ---- Opening (store_open.c) ---- */

/* store_open() with another limit on the wait for locks. */
BASE_MUST_USE enum duet_code store_open_within(const char *path, bool create,
                                               int busy_ms, struct store **ret_store,
                                               struct duet_error *reterr);

/* A new store in an unnamed file, which ends with it, and which says that it is `path`.
 */
BASE_MUST_USE enum duet_code store_open_unnamed(const char *path,
                                                struct store **ret_store,
                                                struct duet_error *reterr);
/* The folder for what is not to last: $TMPDIR, or /tmp. */
const char *store_scratch_folder(void);

/* SQLite's busy handler of a store: waits a moment; 0 ends the wait. */
int store_wait_for_lock(void *store, int count);

/* The largest id that a table has or had, 0 for none (store_sql.c). table: one of ours.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_last_id(struct store *store, const char *table,
                                           const char *doing, int64_t *ret_last,
                                           struct duet_error *reterr);

/* ---- Ids of new rows (store_ids.c) ---- */

/* Gives SQL the function duet_new_id('TABLE'): the id of a new row; NULL, by which
 * SQLite finds one, for a file. */
BASE_MUST_USE enum duet_code store_ids_prepare(struct store *store,
                                               struct duet_error *reterr);
/* `count` ids that no row of `table` has had; *ret_first: the first of them. */
BASE_MUST_USE enum duet_code store_ids_reserve(struct store *store, const char *table,
                                               uint64_t count, int64_t *ret_first,
                                               struct duet_error *reterr);

/* ---- Schema and migrations (store_schema.c, store_tables.c, store_migrate.c) ---- */

/* One step from a schema version to the next: `statements`, NULL-terminated. */
struct store_migration {
    const char *summary;
    const char *const *statements;
};
/* All steps; the n-th (from 1) leads to version n. Never change one that was released:
 * append. */
const struct store_migration *store_schema_steps(size_t *ret_count);
/* All of them at once, for a store that has no tables (store_tables.c). */
const struct store_migration *store_schema_whole(void);

/* Brings the database from the version in its header to `count`, one transaction a
 * step; several processes may do it at once. A step that fails leaves the version
 * before it. whole: does all steps where there are no tables; NULL: the steps do.
 * Errors: DUET_E_VERSION (the file is newer), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
store_migrate(struct store *store, const struct store_migration *steps, size_t count,
              const struct store_migration *whole, struct duet_error *reterr);

/* ---- SQL (store_sql.c) ---- */

/* Fills *reterr from the connection's last error and returns the code; call it before
 * anything else is done with the connection. `doing`: "saving a run". */
enum duet_code store_fail(const struct store *store, const char *doing,
                          struct duet_error *reterr);

/* Statements without parameters or results. */
BASE_MUST_USE enum duet_code store_execute(struct store *store, const char *sql,
                                           const char *doing,
                                           struct duet_error *reterr);
BASE_MUST_USE enum duet_code store_begin(struct store *store, const char *doing,
                                         struct duet_error *reterr);
/* Ends a transaction by what became of it: commits when `code` is DUET_OK. Otherwise,
 * or when that fails, rolls back. Returns `code` or the error of the commit. */
BASE_MUST_USE enum duet_code store_end(struct store *store, enum duet_code code,
                                       const char *doing, struct duet_error *reterr);
/* The same of a finished run: one that does not reach a server goes with the next. */
BASE_MUST_USE enum duet_code store_end_run(struct store *store, enum duet_code code,
                                           const char *doing,
                                           struct duet_error *reterr);
/* Ends the open transaction, if any. */
void store_rollback(struct store *store);

/* For a statement that is executed many times: sqlite3_finalize() the result. */
BASE_MUST_USE enum duet_code store_prepare(struct store *store, const char *sql,
                                           const char *doing,
                                           sqlite3_stmt **ret_statement,
                                           struct duet_error *reterr);

/* A statement whose parameters are bound from left to right. The first failure, that of
 * preparing it included, is remembered for the step that follows; nothing else may be
 * done with the connection in between. Texts must live until the statement is reset. */
struct store_query {
    struct store *store;
    const char *doing;
    sqlite3_stmt *statement;
    int bound;
    int rc;
};
/* A statement that is executed once: store_run_once(), store_fetch_int() or
 * store_query_end() takes it back. */
struct store_query store_ask(struct store *store, const char *doing, const char *sql);
/* A prepared statement, which is reset and stays its owner's. */
struct store_query store_bind(struct store *store, const char *doing,
                              sqlite3_stmt *statement);
void store_query_end(struct store_query *query);
void store_bind_int(struct store_query *query, int64_t value);
/* Saturates at 2^63 - 1 (as nanoseconds: 292 years). */
void store_bind_count(struct store_query *query, uint64_t value);
/* A negative number, which stands for an unknown one, becomes NULL. */
void store_bind_known(struct store_query *query, int64_t value);
/* Bytes, which must live until the statement is reset; NULL becomes NULL. */
void store_bind_bytes(struct store_query *query, const void *bytes, size_t length);
/* NaN becomes NULL. */
void store_bind_real(struct store_query *query, double value);
/* "" is a text like any other; only NULL becomes NULL. */
void store_bind_string(struct store_query *query, const char *text);
/* NULL and "", which stands for an unknown text, become NULL. */
void store_bind_known_text(struct store_query *query, const char *text);

/* Runs a statement to its end, and resets it. Outside of a transaction only
 * store_run_once() and store_run_found() send what changed to a server. */
BASE_MUST_USE enum duet_code store_run(const struct store_query *query,
                                       struct duet_error *reterr);
BASE_MUST_USE enum duet_code store_run_once(struct store_query *query,
                                            struct duet_error *reterr);
/* store_run_once() of what changes one row; without that row DUET_E_NOT_FOUND: the
 * store has no `what` ("watch") of this id. */
BASE_MUST_USE enum duet_code store_run_found(struct store_query *query,
                                             const char *what, int64_t id,
                                             struct duet_error *reterr);
/* The first column of the first row; *ret_value stays without a row. */
BASE_MUST_USE enum duet_code store_fetch_int(struct store_query *query, bool *ret_row,
                                             int64_t *ret_value,
                                             struct duet_error *reterr);
/* Reads the row at which `query` is into a zeroed element; what it has allocated when
 * it fails stays in the element. */
typedef enum duet_code store_read_row(const struct store_query *query, void *ret_row,
                                      struct duet_error *reterr);
/* Elements of one type; zeroed: none. free() the list, the elements' content first. */
struct store_rows {
    void *list;
    size_t count;
};
/* Appends all rows of a statement, elements of `size` bytes, and ends it. After an
 * error `rows` has what was read until then. */
BASE_MUST_USE enum duet_code store_collect(struct store_query *query,
                                           store_read_row *read, size_t size,
                                           struct store_rows *rows,
                                           struct duet_error *reterr);
/* The first column of all rows; free() the list, which is NULL without rows. */
BASE_MUST_USE enum duet_code store_fetch_ints(struct store_query *query,
                                              int64_t **ret_list, size_t *ret_count,
                                              struct duet_error *reterr);
/* Steps once; *ret_row says whether there is a row, which stays until the next step or
 * reset. */
BASE_MUST_USE enum duet_code store_step(const struct store_query *query, bool *ret_row,
                                        struct duet_error *reterr);
/* DUET_E_NOMEM, with what was being done. */
static inline enum duet_code store_out_of_memory(const struct store *store,
                                                 const char *doing,
                                                 struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM, "store '%s': no memory left while %s",
                     store->path, doing);
}

/* Columns: NULL reads as NaN, as 0 (count) and as "" (text, cut at the size). */
double store_column_real(sqlite3_stmt *statement, int column);
uint64_t store_column_count(sqlite3_stmt *statement, int column);
uint32_t store_column_u32(sqlite3_stmt *statement, int column);
void store_column_text(sqlite3_stmt *statement, int column, char *ret_text,
                       size_t size);
/* A copy, "" for NULL; NULL: no memory. */
char *store_column_string(sqlite3_stmt *statement, int column);

/* The enumerator whose name, by `name_of`, is the column's text. */
typedef const char *store_name_of(unsigned value);
BASE_MUST_USE enum duet_code store_column_enum(const struct store *store,
                                               sqlite3_stmt *statement, int column,
                                               store_name_of *name_of, unsigned count,
                                               unsigned *ret_value,
                                               struct duet_error *reterr);
const char *store_state_name(unsigned state); /* "running" ... (store_experiment.c) */

enum { STORE_MODES = MODEL_MODE_HARNESS + 1, STORE_STATES = STORE_FAILED + 1 };

/* A new random (version 4) UUID. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code store_uuid_make(char ret_uuid[37],
                                             struct duet_error *reterr);
int64_t store_utc_ms(void);
/* All that the store holds in the empty or new file `path`, which is gone after an
 * error. `purpose`: "copying it". Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code store_vacuum_into(struct store *store, const char *path,
                                               const char *purpose,
                                               struct duet_error *reterr);

/* ---- Who measures an experiment or a suite (store_lock.c) ---- */

/* false: another process does. Where the kernel keeps no such locks, nobody does. */
bool store_experiment_lock(struct store *store, int64_t experiment);
void store_experiment_unlock(struct store *store, int64_t experiment);
/* Whether another process, or another handle of this one, does. */
bool store_experiment_is_locked(struct store *store, int64_t experiment);
/* The same of a suite, which is measured from its set-up to its last confirmation:
 * until the store is closed. */
bool store_suite_lock(struct store *store, int64_t suite);
bool store_suite_is_locked(struct store *store, int64_t suite);

/* ---- Copies (store_copy.c, store_merge.c) ---- */

/* Whether `path` is the store's own file. */
bool store_is_file(const struct store *store, const char *path);

/* All that a server holds into the file `path`, which is new or empty; where that fails
 * it is gone. Errors: those of store_open() and of remote_copy_out(). */
BASE_MUST_USE enum duet_code store_fetch(struct store *store, const char *path,
                                         struct duet_error *reterr);

/* A path at which there is nothing yet, in a new folder that is closed to others, for
 * what is not to last. It ends with store_remove_scratch(), which takes it; NULL:
 * nothing. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_make_scratch(char **ret_path,
                                                struct duet_error *reterr);
void store_remove_scratch(char *take_path);
/* All that the server of `store` holds, at such a path. */
BASE_MUST_USE enum duet_code store_fetch_scratch(struct store *store, char **ret_path,
                                                 struct duet_error *reterr);

/* ---- Plans as JSON (store_plan.c); free() the results ---- */

BASE_MUST_USE enum duet_code store_plan_json(struct store *store,
                                             const struct model_plan *plan,
                                             char **ret_json,
                                             struct duet_error *reterr);
/* *ret_json is NULL when argv is. */
BASE_MUST_USE enum duet_code store_argv_json(struct store *store,
                                             const char *const *argv, char **ret_json,
                                             struct duet_error *reterr);
/* A side's name and commands, seven parameters; argv: as JSON. */
void store_bind_workload(struct store_query *query,
                         const struct model_workload *workload, const char *argv);

/* ---- Writing runs (store_sink.c) ---- */

void store_writer_free(struct store_writer *writer);

/* ---- Regions (store_region.c) ---- */

/* The experiment of a region of `experiment`; a new one has the host, the sides and the
 * analysis of that. Inside a transaction. Errors: DUET_E_IO, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code store_region_make(struct store *store, int64_t experiment,
                                               const char *name, int64_t *ret_region,
                                               struct duet_error *reterr);
/* What has become of `experiment` has become of its regions. Inside a transaction. */
BASE_MUST_USE enum duet_code store_regions_follow(struct store *store,
                                                  int64_t experiment,
                                                  struct duet_error *reterr);

/* ---- Reading runs (store_runs.c, store_values.c) ---- */

struct store_run_reader {
    struct store *store;
    int64_t experiment;
    int64_t run_id; /* of the current run; 0: before the first */
    int64_t index; /* of the current run, and its environment: its place in the order */
    int64_t environment;
    bool every_schedule;
    bool resumed; /* the current run is the first one behind a pause */
    struct model_run run;
    sqlite3_stmt *next_run;
    sqlite3_stmt *side;
    /* Made when first asked for, then used for every run: preparing a statement takes
     * longer than carrying it out. */
    char *metric; /* that `values` reads; NULL: none yet */
    sqlite3_stmt *values[MODEL_SIDES];
    struct store_query visits[MODEL_SIDES];
    sqlite3_stmt *instance;
};

/* Releases the statements that read the metric (store_values.c). */
void store_runs_forget_metric(struct store_run_reader *reader);

/* ---- Iterations that wait for the end of their run (store_spill.c) ---- */

/* A queue on disk: a buffer, and an unnamed file in the store's folder for what does
 * not fit. Zeroed storage with fd -1 is an empty one. */
struct store_spill {
    struct model_iteration *buffer;
    size_t buffered;
    uint64_t filed; /* iterations in the file, before those in the buffer */
    uint64_t taken; /* of the filed ones, handed out */
    int fd;
};
enum { STORE_SPILL_CAPACITY = 4096 };

/* Errors: DUET_E_IO (disk full), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_spill_put(struct store_spill *spill,
                                             const char *store_path,
                                             const struct model_iteration *iterations,
                                             size_t count, struct duet_error *reterr);
/* The next ones in order, borrowed until the next call; *ret_count 0: all taken.
 * Nothing may be put between the first take and the clear. */
BASE_MUST_USE enum duet_code
store_spill_take(struct store_spill *spill, const char *store_path,
                 const struct model_iteration **ret_iterations, size_t *ret_count,
                 struct duet_error *reterr);
/* Empties it and gives the disk space back. */
void store_spill_clear(struct store_spill *spill);
void store_spill_release(struct store_spill *spill);

#endif
