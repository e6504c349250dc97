/* What the files of src/store/postgresql share. */
#ifndef DUET_STORE_REMOTE_PRIVATE_H
#define DUET_STORE_REMOTE_PRIVATE_H

#include "base/text.h"
#include "store/postgresql/pq.h"
#include "store/postgresql/remote.h"

/* ---- The connection (remote_link.c) ---- */

struct remote_pool {
    const char *table;
    int64_t next; /* of those that were fetched */
    int64_t end;
    uint64_t block; /* how many were fetched last */
    int64_t spare;  /* the first of the next ones; 0: none */
    uint64_t spare_count;
};
enum { REMOTE_POOLS = 8 };

struct remote {
    struct pq pq;
    struct pg_conn *conn;
    const struct store *store; /* whose it is */
    bool recording;            /* changes of the mirror are noted */
    bool changed;              /* perhaps */
    bool all;                  /* remote_need_all() */
    bool held;                 /* remote_hold(): commits are not sent yet */
    bool detached;             /* nothing is sent any more */
    bool unnumbered;           /* a new row has an id that is not the server's ... */
    struct duet_error why;     /* ... since this failed */
    bool uncertain;   /* a transaction was sent, and whether it counts is not known */
    bool transient;   /* the last failure may be gone at another try */
    int64_t again_ms; /* when the next run is sent; on clock_ms()'s clock */
    struct remote_pool pools[REMOTE_POOLS];
    int64_t *locks; /* experiments */
    size_t lock_count;
    size_t lock_capacity;
};

/* CLOCK_MONOTONIC. */
int64_t remote_clock_ms(void);

/* Connects to `url`. Errors: DUET_E_USAGE (it is none, or holds a password), DUET_E_IO.
 */
BASE_MUST_USE enum duet_code remote_link(struct remote *remote, const char *url,
                                         struct duet_error *reterr);
bool remote_is_linked(const struct remote *remote);

/* Runs `sql` with `count` texts as its parameters. *ret_result, when wanted:
 * PQclear(). */
BASE_MUST_USE enum duet_code remote_ask(struct remote *remote, const char *doing,
                                        const char *sql, const char *const *parameters,
                                        int count, struct pg_result **ret_result,
                                        struct duet_error *reterr);
/* Statements without parameters or results. */
BASE_MUST_USE enum duet_code remote_execute(struct remote *remote, const char *doing,
                                            const char *sql, struct duet_error *reterr);
/* Ends a transaction that failed. */
void remote_abandon(struct remote *remote);
/* The first column of the first row; 0 without one. */
BASE_MUST_USE enum duet_code remote_ask_int(struct remote *remote, const char *doing,
                                            const char *sql,
                                            const char *const *parameters, int count,
                                            int64_t *ret_value,
                                            struct duet_error *reterr);
/* remote_ask_int() with the key of the experiment's lock as $1. */
BASE_MUST_USE enum duet_code remote_ask_lock(struct remote *remote, const char *doing,
                                             const char *sql, int64_t experiment,
                                             int64_t *ret_answer,
                                             struct duet_error *reterr);
/* Fills *reterr from what the server said last (`result`, which may be NULL), and sets
 * remote->transient. */
enum duet_code remote_fail(struct remote *remote, const char *doing,
                           const struct pg_result *result, struct duet_error *reterr);

/* Does `work`, and again as long as what fails may be gone at another try and `wait_ms`
 * have not passed; once more in any case. Connects anew where that is necessary. */
typedef enum duet_code remote_work(struct store *store, const char *doing,
                                   void *context, struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_try(struct store *store, const char *doing,
                                        int64_t wait_ms, remote_work *work,
                                        void *context, struct duet_error *reterr);

/* ---- Tables of the server (remote_schema.c) ---- */

/* Makes the tables (`create`), or brings them up to date. Errors: DUET_E_NOT_FOUND,
 * DUET_E_VERSION. */
BASE_MUST_USE enum duet_code remote_migrate(struct remote *remote, bool create,
                                            struct duet_error *reterr);

/* ---- Rows on their way (remote_rows.c) ---- */

/* The columns of a table of the mirror, as its own schema has them. */
enum { REMOTE_COLUMNS_MAX = 40 };
struct remote_columns {
    char table[32];
    struct text names; /* "a, b, c" */
    int count;
    char types[REMOTE_COLUMNS_MAX]; /* I, R, T, B: the first letters of SQLite's, B BLOB
                                     */
};
BASE_MUST_USE enum duet_code remote_columns_read(struct store *store, const char *table,
                                                 struct remote_columns *ret_columns,
                                                 struct duet_error *reterr);
void remote_columns_release(struct remote_columns *columns);

/* All rows of `rows`, whose columns are the table's, to the server by COPY. */
BASE_MUST_USE enum duet_code remote_rows_send(struct remote *remote, const char *doing,
                                              const struct remote_columns *columns,
                                              sqlite3_stmt *rows,
                                              struct duet_error *reterr);
/* The table's rows where `condition` holds (SQL of the server; NULL: all) into `target`
 * (the mirror, or a file) by COPY; a row that is there stays. */
BASE_MUST_USE enum duet_code remote_rows_fetch(struct remote *remote, const char *doing,
                                               struct store *target,
                                               const struct remote_columns *columns,
                                               const char *condition,
                                               struct duet_error *reterr);

/* ---- Texts (remote_text.c) ---- */

/* PostgreSQL takes valid UTF-8 only. A byte that is not part of it is sent as a
 * character of a private plane, U+10FF00 + byte, and comes back as that byte. */
void remote_text_send(const char *text, size_t length, struct text *to);
/* In place; the new length. */
size_t remote_text_fetch(char *text, size_t length);

/* ---- All tables (remote_tables.c) ---- */

enum remote_kind {
    REMOTE_SMALL,     /* sent row by row, as it changes */
    REMOTE_RUN,       /* only ever added, by COPY */
    REMOTE_OF_RUN,    /* comes with its run, likewise */
    REMOTE_OF_DATASET /* with its data set */
};
struct remote_table {
    const char *name;
    const char *keys[2]; /* the second one may be NULL */
    enum remote_kind kind;
    bool leaves;        /* its rows are deleted by themselves, not only with a parent;
                           an instance that nothing refers to stays */
    const char *column; /* by which it is fetched */
    const char *ids;    /* SQL of the mirror: its values for the experiments of
                           temp.wanted; NULL: fetched as a whole, in the beginning */
};
/* Parents before children. */
extern const struct remote_table remote_tables[];
extern const size_t remote_table_count;

/* Functions and triggers of the mirror, which note what changes. */
BASE_MUST_USE enum duet_code remote_watch_mirror(struct store *store,
                                                 struct duet_error *reterr);

#endif
