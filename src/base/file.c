#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens what is written before it is renamed to `path`: a new file beside it, under a
 * name at which nobody can have put a link. Its mode is that of the file it will
 * replace (`old`; NULL: none), else what the user's mask leaves. *ret_name: free(). -1:
 * see errno. */
static int open_temporary(const char *path, const struct stat *old, char **ret_name)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return -1;
    }
    char *name = alloc_format("%s.%016" PRIx64 ".tmp", path, number);
    if (name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 && old != NULL) {
        (void)!fchmod(fd, old->st_mode & 0777);
    }
    *ret_name = name;
    return fd;
}

/* 0, or errno's value. Closes `fd`. */
static int write_and_close(int fd, const char *bytes, size_t length)
{
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        int errnum = errno;
        (void)close(fd);
        return errnum;
    }
    bool written = fwrite(bytes, 1, length, file) == length;
    int errnum = written ? 0 : errno;
    return fclose(file) == 0 || !written ? errnum : errno;
}

/* Through the temporary file, unless the target is something to write into as it is (a
 * pipe, a terminal). */
static enum duet_code write_file(const char *path, const char *bytes, size_t length,
                                 struct duet_error *reterr)
{
    struct stat status;
    char *temporary = NULL;
    bool exists = stat(path, &status) == 0;
    bool special = exists && !S_ISREG(status.st_mode);
    int fd = special ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
                     : open_temporary(path, exists ? &status : NULL, &temporary);
    int errnum = fd < 0 ? errno : write_and_close(fd, bytes, length);
    if (errnum == 0 && !special && rename(temporary, path) != 0) {
        errnum = errno;
    }
    if (errnum != 0 && fd >= 0 && !special) {
        (void)unlink(temporary);
    }
    free(temporary);
    return errnum == 0
               ? DUET_OK
               : error_set_errno(reterr, errnum == ENOMEM ? DUET_E_NOMEM : DUET_E_IO,
                                 errnum, "cannot write '%s'", path);
}

static enum duet_code write_bytes(const char *path, const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    if (strcmp(path, "-") != 0) {
        return write_file(path, bytes, length, reterr);
    }
    /* banned-ok: the caller says where the text goes */
    if (fwrite(bytes, 1, length, stdout) != length || fflush(stdout) != 0) {
        return error_set_errno(reterr, DUET_E_IO, errno,
                               "cannot write to standard output");
    }
    return DUET_OK;
}

enum duet_code file_write_text(const char *path, struct text *text,
                               struct duet_error *reterr)
{
    enum duet_code code =
        text_failed(text) ? error_set(reterr, DUET_E_NOMEM, "out of memory")
                          : write_bytes(path, text_string(text), text->length, reterr);
    text_release(text);
    return code;
}
