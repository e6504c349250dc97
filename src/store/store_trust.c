/* Whether a store that nobody named may be used. A store holds commands that a watch
 * executes, and takes the commands that are measured: one that another user could have
 * put in the way, in /tmp or in a shared folder, must not. As git's safe.directory. */
#include "store/store_private.h"

#include "base/trust.h"

#include <errno.h>
#include <stdlib.h>

static enum duet_code refuse_owner(const char *path, const char *store, uid_t owner,
                                   struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_IO,
        "'%s' belongs to another user (number %lu), and duet runs commands from stores: "
        "to trust it, name it with --store '%s'; to keep results elsewhere, name another file with --store",
        path, (unsigned long)owner, store);
}

/* What is not there yet passes. */
static enum duet_code check_one(const char *path, const char *store,
                                struct duet_error *reterr)
{
    uid_t owner = 0;
    switch (trust_look(path, &owner)) {
    case TRUST_OTHERS_OWN:
        return refuse_owner(path, store, owner, reterr);
    case TRUST_OTHERS_WRITE:
        return error_set(
            reterr, DUET_E_IO,
            "other users can write '%s', and duet runs commands from stores: "
            "close it with chmod go-w '%s', or trust it by naming it with --store '%s'",
            path, path, store);
    case TRUST_UNKNOWN:
        return error_set_errno(reterr, DUET_E_IO, errno,
                               "cannot look at '%s' (another store: --store)", path);
    case TRUST_FINE:
        break;
    }
    return DUET_OK;
}

enum duet_code store_open_found(const char *path, bool create, struct store **ret_store,
                                struct duet_error *reterr)
{
    char *folder = store_folder_of(path);
    if (folder == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    }
    /* The folder first: once it is there and closed to others, nobody can put anything
     * into it between a look and its use. */
    enum duet_code code = create ? store_folder_make(path, reterr) : DUET_OK;
    if (code == DUET_OK) {
        code = check_one(folder, path, reterr);
    }
    if (code == DUET_OK) {
        code = check_one(path, path, reterr);
    }
    free(folder);
    return code == DUET_OK ? store_open(path, create, ret_store, reterr) : code;
}
