/* Experiments of one store in another one. An experiment is the same everywhere by its
 * uuid, and so is a run of it. */
#ifndef DUET_STORE_STORE_MERGE_H
#define DUET_STORE_STORE_MERGE_H

#include "store/store.h"

/* What became of the experiments of the other store; regions are not counted, they
 * belong to their experiment. */
struct store_merged {
    uint64_t added;
    uint64_t grown;    /* were there, and got the runs or the end that they had not */
    uint64_t known;    /* were there, with all that the other store has of them */
    uint64_t apart;    /* were there, and stay: both stores went on with them */
    uint64_t measured; /* left out: a process measures them */
};

/* Takes `count` experiments of the store in the file `from` (NULL: all), with all that
 * belongs to them: their regions, controls and confirmations, what was judged together
 * with them, their machines, suites and commits. All or nothing of them, in one
 * transaction; they get new numbers. What is there already is not taken again, so that
 * a second time adds nothing. A name of a baseline that this store has stays what it
 * is. A metric of the same name and another unit gets a name with its unit. `from` is
 * only brought up to date, as by store_open(). Errors: those of store_open();
 * DUET_E_USAGE (`from` is the file of this store), DUET_E_NOT_FOUND (no such
 * experiment), DUET_E_FORMAT (`from` is damaged), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_merge(struct store *store, const char *from,
                                         const int64_t *experiments, size_t count,
                                         struct store_merged *ret_merged,
                                         struct duet_error *reterr);

/* Adds experiments of `store` to the store in the file `path`, which is made when there
 * is none: one file without a log beside it. Errors: as store_merge(). */
BASE_MUST_USE enum duet_code store_export(struct store *store,
                                          const int64_t *experiments, size_t count,
                                          const char *path, struct duet_error *reterr);

/* Writes all of `store` to a file that is not there yet. Errors: DUET_E_USAGE (it is
 * there), DUET_E_NOT_FOUND (no folder for it), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_copy(struct store *store, const char *path,
                                        struct duet_error *reterr);

#endif
