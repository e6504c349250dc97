/* The store that a user names: a file, or a database of PostgreSQL. */
#include "store/postgresql/remote.h"
#include "store/postgresql/remote_url.h"
#include "store/store_private.h"

enum duet_code store_open(const char *path, bool create, struct store **ret_store,
                          struct duet_error *reterr)
{
    return remote_is_url(path)
               ? remote_open(path, create, ret_store, reterr)
               : store_open_within(path, create, STORE_BUSY_MS, ret_store, reterr);
}
