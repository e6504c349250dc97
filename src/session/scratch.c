#include "session/scratch.h"

#include "base/alloc.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { DESCRIPTORS = 16 };

enum duet_code scratch_make(char **ret_path, struct duet_error *reterr)
{
    const char *folder = getenv("TMPDIR");
    char *path = alloc_format("%s/duet-XXXXXX",
                              folder != NULL && *folder == '/' ? folder : "/tmp");
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    if (mkdtemp(path) == NULL) {
        int errnum = errno;
        enum duet_code code = error_set_errno(reterr, DUET_E_IO, errnum,
                                              "cannot make a folder like '%s'", path);
        free(path);
        return code;
    }
    *ret_path = path;
    return DUET_OK;
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void scratch_remove(const char *path, const struct listener *listener)
{
    if (nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0) {
        struct duet_error error;
        (void)error_set_errno(&error, DUET_E_IO, errno, "cannot remove '%s'", path);
        listener_warn(listener, "%s", error.message);
    }
}
