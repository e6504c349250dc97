/* A store in PostgreSQL. What duet needs of it is copied into a private SQLite database
 * (the mirror), on which all other code of src/store works; what changes there is sent
 * back, a transaction for a transaction. Ids are the server's on both sides. Every
 * function does nothing, and succeeds, for a store that is a file.
 *
 * Errors of all: DUET_E_IO (no connection, not permitted, disk full there), each naming
 * the URL and what to do; DUET_E_NOMEM. */
#ifndef DUET_STORE_REMOTE_H
#define DUET_STORE_REMOTE_H

#include "store/store_private.h"

/* ---- Opening (remote_open.c) ---- */

/* store_open() of a URL. Errors: DUET_E_USAGE (it holds a password), DUET_E_UNSUITABLE
 * (no libpq), DUET_E_NOT_FOUND (no tables of duet, without `create`), DUET_E_VERSION.
 */
BASE_MUST_USE enum duet_code remote_open(const char *url, bool create,
                                         struct store **ret_store,
                                         struct duet_error *reterr);

/* ---- Reading (remote_pull.c) ---- */

/* Has the mirror hold the experiments whose ids `sql` selects (in PostgreSQL, $1 is
 * `parameter`) and those that belong to them: all but what each iteration took. */
BASE_MUST_USE enum duet_code remote_need(struct store *store, const char *sql,
                                         const char *parameter,
                                         struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_need_one(struct store *store, int64_t experiment,
                                             struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_need_all(struct store *store,
                                             struct duet_error *reterr);
/* With what each iteration took: of one, of several, and of all that the mirror holds.
 */
BASE_MUST_USE enum duet_code remote_need_rows(struct store *store, int64_t experiment,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_need_rows_of(struct store *store,
                                                 const int64_t *experiments,
                                                 size_t count,
                                                 struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_need_every_row(struct store *store,
                                                   struct duet_error *reterr);
/* Before experiments of the attached database `other` are merged: what there is of
 * these. Others' merges wait until remote_merge_end(). */
BASE_MUST_USE enum duet_code remote_merge_begin(struct store *store,
                                                struct duet_error *reterr);
void remote_merge_end(struct store *store);
/* The machine of this uuid, which is made when there is none; NULL: nothing. */
BASE_MUST_USE enum duet_code remote_need_instance(struct store *store, const char *uuid,
                                                  struct duet_error *reterr);

/* ---- Writing (remote_push.c) ---- */

/* Sends what was committed to the mirror. Without a connection it tries for some
 * seconds. */
BASE_MUST_USE enum duet_code remote_send(struct store *store, const char *doing,
                                         struct duet_error *reterr);
/* The same of a finished run, but it does not wait, and is DUET_OK when only the
 * connection is missing: the next call sends it, too. */
BASE_MUST_USE enum duet_code remote_send_run(struct store *store, const char *doing,
                                             struct duet_error *reterr);
/* Whether commits are kept back. The one that follows when they are not sends all. */
void remote_hold(struct store *store, bool hold);
/* Whether the mirror holds runs that could not be sent, or what became of them. */
bool remote_is_unsent(const struct store *store);
/* Takes everything out of the mirror that is not there as a whole. */
void remote_leave_whole(struct store *store);

/* `count` new ids for rows of `table`; *ret_first: the first of them. */
BASE_MUST_USE enum duet_code remote_ids(struct store *store, const char *table,
                                        uint64_t count, int64_t *ret_first,
                                        struct duet_error *reterr);
/* One; 0: the server cannot be reached, and from now on nothing is sent. */
int64_t remote_id(struct store *store, const char *table);

/* ---- Whole stores (remote_copy.c) ---- */

/* Every row into `target`, a new store that is empty, and all of `source`, a file, into
 * a database without experiments (DUET_E_USAGE). */
BASE_MUST_USE enum duet_code remote_copy_out(struct store *store, struct store *target,
                                             struct duet_error *reterr);
BASE_MUST_USE enum duet_code remote_copy_in(struct store *store, struct store *source,
                                            struct duet_error *reterr);
/* Bytes of its tables on the server. */
BASE_MUST_USE enum duet_code remote_bytes(struct store *store, uint64_t *ret_bytes,
                                          struct duet_error *reterr);

/* ---- Who measures (remote_lock.c): as store_lock.c ---- */

bool remote_lock(struct store *store, int64_t experiment);
void remote_unlock(struct store *store, int64_t experiment);
bool remote_is_locked(struct store *store, int64_t experiment);
/* *ret_current: whether the experiment's state and number of runs are the mirror's;
 * true for a file. */
BASE_MUST_USE enum duet_code remote_is_current(struct store *store, int64_t experiment,
                                               bool *ret_current,
                                               struct duet_error *reterr);

#endif
