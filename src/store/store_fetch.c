/* What a server holds, as a file: for copies and merges, which read files. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum duet_code store_fetch(struct store *store, const char *path,
                           struct duet_error *reterr)
{
    struct store *copy = NULL;
    enum duet_code code = store_open(path, true, &copy, reterr);
    if (code == DUET_OK) {
        code = remote_copy_out(store, copy, reterr);
    }
    store_close(copy);
    if (code != DUET_OK) {
        (void)unlink(path);
    }
    return code;
}

static const char scratch_name[] = "/copy.db";

/* SQLite keeps a log beside a file, and would take one that somebody else had put
 * there.
 */
enum duet_code store_make_scratch(char **ret_path, struct duet_error *reterr)
{
    char *folder = alloc_format("%s/duet-copy-XXXXXX", store_scratch_folder());
    if (folder == NULL || mkdtemp(folder) == NULL) {
        enum duet_code code =
            folder == NULL ? error_no_memory(reterr)
                           : error_set_errno(reterr, DUET_E_IO, errno,
                                             "cannot make a folder '%s'", folder);
        free(folder);
        return code;
    }
    char *path = alloc_format("%s%s", folder, scratch_name);
    if (path == NULL) {
        (void)rmdir(folder);
        free(folder);
        return error_no_memory(reterr);
    }
    free(folder);
    *ret_path = path;
    return DUET_OK;
}

void store_remove_scratch(char *take_path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    if (take_path == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *name = alloc_format("%s%s", take_path, endings[i]);
        if (name != NULL) {
            (void)unlink(name);
        }
        free(name);
    }
    take_path[strlen(take_path) - strlen(scratch_name)] = '\0';
    (void)rmdir(take_path);
    free(take_path);
}

enum duet_code store_fetch_scratch(struct store *store, char **ret_path,
                                   struct duet_error *reterr)
{
    char *path = NULL;
    enum duet_code code = store_make_scratch(&path, reterr);
    if (code == DUET_OK) {
        code = store_fetch(store, path, reterr);
    }
    if (code != DUET_OK) {
        store_remove_scratch(path);
        return code;
    }
    *ret_path = path;
    return DUET_OK;
}
