#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum duet_code cannot_write(const char *path, int errnum,
                                   struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_IO, errnum, "cannot write '%s'", path);
}

/* Through the temporary file, unless the target is something to write into as it is (a
 * pipe, a terminal). */
static enum duet_code write_file(const char *path, const char *bytes, size_t length,
                                 struct duet_error *reterr)
{
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    char *temporary =
        special ? alloc_string(path) : alloc_format("%s.%d.tmp", path, (int)getpid());
    if (temporary == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code = DUET_OK;
    FILE *file = fopen(temporary, "we");
    if (file == NULL) {
        code = cannot_write(path, errno, reterr);
    } else {
        bool written = fwrite(bytes, 1, length, file) == length;
        int errnum = errno;
        if (fclose(file) != 0 || !written) {
            code = cannot_write(path, written ? errno : errnum, reterr);
        } else if (!special && rename(temporary, path) != 0) {
            code = cannot_write(path, errno, reterr);
        }
        if (code != DUET_OK && !special) {
            (void)unlink(temporary);
        }
    }
    free(temporary);
    return code;
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
