#include "session/storage.h"

#include "store/postgresql/remote_url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A folder that was removed beneath its visitor has no store and can get none. */
static enum duet_code check_here(struct duet_error *reterr)
{
    char *here = realpath(".", NULL);
    bool gone = here == NULL && errno == ENOENT;
    free(here);
    return gone
               ? error_set(reterr, DUET_E_NOT_FOUND,
                           "the current folder, where the store would be, was removed: "
                           "change to another one, or name a file with --store")
               : DUET_OK;
}

enum duet_code storage_open(const char *option, bool create, struct store **ret_store,
                            struct duet_error *reterr)
{
    if (option != NULL && strcmp(option, "none") == 0) {
        return store_open_scratch(ret_store, reterr);
    }
    if (option != NULL) {
        return store_open(option, create, ret_store, reterr);
    }
    enum duet_code code = check_here(reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *path = store_default_path(".");
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    code = store_open_found(path, create, ret_store, reterr);
    free(path);
    return code;
}

void storage_close(struct store *store, const struct listener *listener)
{
    char *path = NULL;
    struct duet_error error;
    if (store != NULL && store_is_gone(store)) {
        bool url = remote_is_url(store_path(store));
        if (store_rescue(store, &path, &error) != DUET_OK) {
            listener_warn(listener, "store '%s' is gone with all that it held: %s",
                          store_path(store), error.message);
        } else if (url) {
            listener_warn(
                listener,
                "store '%s' did not take what was measured, which is in '%s': add it with duet store merge '%s' "
                "--into '%s'",
                store_path(store), path, path, store_path(store));
        } else {
            listener_warn(
                listener,
                "store '%s' is gone; what it held, this measurement included, is in '%s': duet list --store '%s'",
                store_path(store), path, path);
        }
    }
    free(path);
    store_close(store);
}

bool storage_merge(struct store *store, char *const *from, size_t count,
                   struct storage_merged *ret_list)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        ret_list[i] = (struct storage_merged){.code = DUET_OK};
        ret_list[i].code = store_merge(store, from[i], NULL, 0, &ret_list[i].merged,
                                       &ret_list[i].error);
        all = all && ret_list[i].code == DUET_OK;
    }
    return all;
}
