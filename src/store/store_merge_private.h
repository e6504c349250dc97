/* What the files that merge stores share. */
#ifndef DUET_STORE_STORE_MERGE_PRIVATE_H
#define DUET_STORE_STORE_MERGE_PRIVATE_H

#include "store/store_private.h"

/* The other store is attached as `other`, to be read. For each table whose rows are
 * referred to, a temporary one, map_TABLE, has the numbers of its rows there (old) and
 * here (new), and what is to be done: fresh is 0 for what stays as it is, 1 for what is
 * new, 2 for what has grown there. */
struct store_merging {
    struct store *store;
    const char *from;
    char doing[512];
};

/* Fills the maps for the experiments of temp.pick. */
BASE_MUST_USE enum duet_code store_merge_number(const struct store_merging *merge,
                                                struct duet_error *reterr);
/* Statements. Errors: DUET_E_FORMAT, of the other store. */
BASE_MUST_USE enum duet_code store_merge_run(const struct store_merging *merge,
                                             const char *sql,
                                             struct duet_error *reterr);
/* A statement with one number. */
BASE_MUST_USE enum duet_code store_merge_with_id(const struct store_merging *merge,
                                                 const char *sql, int64_t id,
                                                 struct duet_error *reterr);

#endif
