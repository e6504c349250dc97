/* A store whose file was deleted or moved while it was open, and one whose server
 * cannot be reached: SQLite still has it. */
#include "store/store_private.h"

#include "base/alloc.h"
#include "store/postgresql/remote.h"
#include "store/postgresql/remote_url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char doing[] = "rescuing it";
static const char ending[] = ".db";

/* An empty file of a new name, in the store's folder or the nearest parent that is
 * still there; in the current folder, where the store is not a file. */
static enum duet_code make_file(const struct store *store, char **ret_path,
                                struct duet_error *reterr)
{
    char *folder =
        remote_is_url(store->path) ? alloc_string(".") : store_folder_of(store->path);
    char *path = NULL;
    int fd = -1;
    while (folder != NULL) {
        path = alloc_format("%s/duet-rescued-XXXXXX%s", folder, ending);
        fd = path == NULL ? -1 : mkostemps(path, (int)sizeof ending - 1, O_CLOEXEC);
        if (fd < 0 && path != NULL && store->remote != NULL &&
            strcmp(folder, store_scratch_folder()) != 0) {
            free(folder);
            free(path);
            folder = alloc_string(store_scratch_folder());
            path = NULL;
            continue;
        }
        bool top = strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0;
        if (fd >= 0 || path == NULL || errno != ENOENT || top) {
            break;
        }
        char *parent = store_folder_of(folder);
        free(folder);
        free(path);
        folder = parent;
        path = NULL;
    }
    enum duet_code code = DUET_OK;
    if (folder == NULL || path == NULL) {
        code = store_out_of_memory(store, doing, reterr);
    } else if (fd < 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot make a file in '%s'",
                               folder);
    }
    free(folder);
    if (code != DUET_OK) {
        free(path);
        return code;
    }
    (void)close(fd);
    *ret_path = path;
    return DUET_OK;
}

enum duet_code store_rescue(struct store *store, char **ret_path,
                            struct duet_error *reterr)
{
    char *path = NULL;
    enum duet_code code = make_file(store, &path, reterr);
    if (code != DUET_OK) {
        return code;
    }
    remote_leave_whole(store);
    code = store_vacuum_into(store, path, doing, reterr);
    if (code != DUET_OK) {
        free(path);
        return code;
    }
    *ret_path = path;
    return DUET_OK;
}
