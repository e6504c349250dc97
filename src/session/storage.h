/* The store that a command works with. */
#ifndef DUET_SESSION_STORAGE_H
#define DUET_SESSION_STORAGE_H

#include "session/listener.h"
#include "store/store.h"
#include "store/store_merge.h"

/* Opens what --store says: NULL the default, "none" one that ends with the
 * program. Errors: as store_open(), and as store_open_found() for the default. */
BASE_MUST_USE enum duet_code storage_open(const char *option, bool create,
                                          struct store **ret_store,
                                          struct duet_error *reterr);

/* Closes a store that something was measured into. Where its file was deleted or moved
 * meanwhile, or its server does not take all, what was measured is written to another
 * file, and the listener is told.
 * NULL: nothing. */
void storage_close(struct store *store, const struct listener *listener);

/* What became of one store that was to be merged. */
struct storage_merged {
    enum duet_code code; /* DUET_OK: `merged` is set, else `error` */
    struct store_merged merged;
    struct duet_error error;
};
/* Merges `count` stores into `store`, each in a transaction of its own: one that cannot
 * be merged does not keep the others from it. ret_list: `count`, all set. Returns
 * whether all could. */
bool storage_merge(struct store *store, char *const *from, size_t count,
                   struct storage_merged *ret_list);

#endif
