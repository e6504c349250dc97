/* The store that a command works with. */
#ifndef DUET_SESSION_STORAGE_H
#define DUET_SESSION_STORAGE_H

#include "session/listener.h"
#include "store/store.h"

/* Opens what --store says: NULL the default, "none" one that ends with the
 * program. Errors: as store_open(), and as store_open_found() for the default. */
BASE_MUST_USE enum duet_code storage_open(const char *option, bool create,
                                          struct store **ret_store,
                                          struct duet_error *reterr);

/* Closes a store that something was measured into. Where its file was deleted or moved
 * meanwhile, all that it held is written to another one, and the listener is told.
 * NULL: nothing. */
void storage_close(struct store *store, const struct listener *listener);

#endif
