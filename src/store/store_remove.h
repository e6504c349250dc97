/* Taking experiments out of a store. */
#ifndef DUET_STORE_STORE_REMOVE_H
#define DUET_STORE_STORE_REMOVE_H

#include "store/store.h"

/* Removes `count` experiments with all that was measured for them
 * (store_remove_complete()), in one transaction: all or none. Suites of which nothing
 * is left go too; answers of what was judged together with them are made anew when they
 * are asked for. Ids are never used again, and the file keeps its size
 * (store_shrink()). Errors: DUET_E_NOT_FOUND (no such experiment), DUET_E_USAGE (a
 * process is measuring one, or another benchmark of its suite, or works on it as a
 * watch), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_remove(struct store *store,
                                          const int64_t *experiments, size_t count,
                                          struct duet_error *reterr);

/* These, and behind them their controls and confirmations, each once. free() the list.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
store_remove_complete(struct store *store, const int64_t *experiments, size_t count,
                      int64_t **ret_list, size_t *ret_count, struct duet_error *reterr);

/* The experiments whose measurement ended before `before_utc_ms` (of one that was
 * killed: whose last run began before), but for the newest `keep` of the store (by when
 * they began: a merge gives new numbers to old ones), for baselines, for what
 * store_remove() refuses, and for those that were judged together with one that stays,
 * or that are its control or confirmation, or have it as theirs.
 * Ascending; free() the list. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_remove_find(struct store *store,
                                               int64_t before_utc_ms, uint64_t keep,
                                               int64_t **ret_list, size_t *ret_count,
                                               struct duet_error *reterr);

/* Bytes of the file. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code store_bytes(struct store *store, uint64_t *ret_bytes,
                                         struct duet_error *reterr);

/* Gives the space of what was removed back to the file system; takes as much space
 * meanwhile as is left in use. *ret_busy: nothing was done, since a process measures
 * into the store and would have to wait. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code store_shrink(struct store *store, bool *ret_busy,
                                          struct duet_error *reterr);

#endif
