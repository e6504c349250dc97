#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum duet_code cannot_write(const char *path, int errnum,
                                   struct duet_error *reterr)
{
    return strcmp(path, "-") == 0
               ? error_set_errno(reterr, DUET_E_IO, errnum,
                                 "cannot write to standard output")
               : error_set_errno(reterr, DUET_E_IO, errnum, "cannot write '%s'", path);
}

/* Through the temporary file, unless the target is something to write into as it is (a
 * pipe, a terminal). */
enum duet_code file_open(const char *path, struct file_output *ret_output,
                         struct duet_error *reterr)
{
    struct file_output output = {.path = path};
    struct stat status;
    if (strcmp(path, "-") == 0) {
        output.file = stdout; /* banned-ok: the caller says where the text goes */
    } else {
        if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
            output.temporary = alloc_format("%s.%d.tmp", path, (int)getpid());
            if (output.temporary == NULL) {
                return error_set(reterr, DUET_E_NOMEM, "out of memory");
            }
        }
        output.file = fopen(output.temporary != NULL ? output.temporary : path, "we");
    }
    if (output.file == NULL) {
        enum duet_code code = cannot_write(path, errno, reterr);
        free(output.temporary);
        return code;
    }
    *ret_output = output;
    return DUET_OK;
}

enum duet_code file_write(const struct file_output *output, const char *bytes,
                          size_t length, struct duet_error *reterr)
{
    return fwrite(bytes, 1, length, output->file) == length
               ? DUET_OK
               : cannot_write(output->path, errno, reterr);
}

enum duet_code file_close(struct file_output *output, enum duet_code code,
                          struct duet_error *reterr)
{
    bool standard = strcmp(output->path, "-") == 0;
    bool closed = (standard ? fflush(output->file) : fclose(output->file)) == 0;
    if (code == DUET_OK && !closed) {
        code = cannot_write(output->path, errno, reterr);
    }
    if (output->temporary != NULL) {
        if (code == DUET_OK && rename(output->temporary, output->path) != 0) {
            code = cannot_write(output->path, errno, reterr);
        }
        if (code != DUET_OK) {
            (void)unlink(output->temporary);
        }
    }
    free(output->temporary);
    *output = (struct file_output){0};
    return code;
}

enum duet_code file_write_text(const char *path, struct text *text,
                               struct duet_error *reterr)
{
    struct file_output output;
    enum duet_code code = text_failed(text)
                              ? error_set(reterr, DUET_E_NOMEM, "out of memory")
                              : file_open(path, &output, reterr);
    if (code == DUET_OK) {
        code = file_write(&output, text_string(text), text->length, reterr);
        code = file_close(&output, code, reterr);
    }
    text_release(text);
    return code;
}
