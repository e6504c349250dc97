/* What a server holds, as a file: for copies and merges, which read files. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

/* A file that SQLite made for another store, in the folder for what is not to last. */
static enum duet_code make_scratch(char **ret_path, struct duet_error *reterr)
{
    static const char ending[] = ".db";
    char *path = alloc_format("%s/duet-copy-XXXXXX%s", store_scratch_folder(), ending);
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    int fd = mkostemps(path, (int)sizeof ending - 1, O_CLOEXEC);
    if (fd < 0) {
        enum duet_code code =
            error_set_errno(reterr, DUET_E_IO, errno, "cannot make a file '%s'", path);
        free(path);
        return code;
    }
    (void)close(fd);
    *ret_path = path;
    return DUET_OK;
}

void store_remove_scratch(char *take_path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; take_path != NULL && i < sizeof endings / sizeof endings[0];
         i++) {
        char *name = alloc_format("%s%s", take_path, endings[i]);
        if (name != NULL) {
            (void)unlink(name);
        }
        free(name);
    }
    free(take_path);
}

enum duet_code store_fetch_scratch(struct store *store, char **ret_path,
                                   struct duet_error *reterr)
{
    char *path = NULL;
    enum duet_code code = make_scratch(&path, reterr);
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
