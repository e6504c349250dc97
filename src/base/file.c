#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The stream that a path names: the names that shells treat so, too. A link there leads
 * to whatever the caller of this program has opened, and it is not ours to replace. */
static FILE *standard_stream(const char *path)
{
    static const char *const names[][4] = {
        {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"},
        {"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < 4 && names[i][j] != NULL; j++) {
            if (strcmp(path, names[i][j]) == 0) {
                return i == 0 ? stdout : stderr; /* banned-ok: the caller says where */
            }
        }
    }
    return NULL;
}

bool file_is_stdout(const char *path)
{
    return path != NULL && standard_stream(path) == stdout; /* banned-ok: a question */
}

bool file_is_standard(const char *path)
{
    return path != NULL && standard_stream(path) != NULL;
}

enum duet_code file_input_code(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
        return DUET_E_NOT_FOUND;
    case ENOMEM:
        return DUET_E_NOMEM;
    default:
        return DUET_E_IO;
    }
}

enum duet_code file_open_plain(const char *path, int *ret_fd, struct duet_error *reterr)
{
    struct stat status = {0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int errnum = fd < 0 || fstat(fd, &status) != 0 ? errno : 0;
    if (errnum == 0 && S_ISREG(status.st_mode)) {
        *ret_fd = fd;
        return DUET_OK;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return errnum != 0
               ? error_set_errno(reterr,
                                 errnum == ENOENT ? DUET_E_NOT_FOUND : DUET_E_IO,
                                 errnum, "cannot read '%s'", path)
               : error_set(reterr, DUET_E_IO,
                           "cannot read '%s': it is not a regular file", path);
}

void file_identity(const struct stat *status, char ret_identity[FILE_IDENTITY_BYTES])
{
    (void)snprintf(ret_identity, FILE_IDENTITY_BYTES, "%" PRIxMAX ":%" PRIxMAX,
                   (uintmax_t)status->st_dev, (uintmax_t)status->st_ino);
}

static enum duet_code cannot_write(const char *path, int errnum,
                                   struct duet_error *reterr)
{
    enum duet_code code = errnum == ENOMEM ? DUET_E_NOMEM : DUET_E_IO;
    return file_is_stdout(path)
               ? error_set_errno(reterr, code, errnum,
                                 "cannot write to standard output")
               : error_set_errno(reterr, code, errnum, "cannot write '%s'", path);
}

enum { LINK_BYTES = 32 };

/* Where /proc has an open file. */
static void link_of(int fd, char path[LINK_BYTES])
{
    (void)snprintf(path, LINK_BYTES, "/proc/self/fd/%d", fd);
}

/* A file without a name in the folder of `path`, which can be given one later. -1: not
 * here. */
static int open_unnamed(char *path)
{
    enum { FLAGS = O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE = 0666 };
    char *slash = strrchr(path, '/');
    int fd = -1;
    if (slash == NULL || slash == path) {
        fd = open(slash == NULL ? "." : "/", FLAGS, MODE);
    } else {
        *slash = '\0';
        fd = open(path, FLAGS, MODE);
        *slash = '/';
    }
    char link[LINK_BYTES];
    link_of(fd, link);
    if (fd >= 0 && access(link, F_OK) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* Opens what is written before it is renamed to `path`: a new file beside it, under a
 * name at which nobody can have put a link, or with none so far. Its mode is that of
 * the file it will replace (`old`; NULL: none), else what the user's mask leaves.
 * *ret_name: free(). -1: see errno. */
static int open_temporary(const char *path, const struct stat *old, char **ret_name,
                          bool *ret_unnamed)
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
    int fd = open_unnamed(name);
    *ret_unnamed = fd >= 0;
    if (fd < 0) {
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    if (fd >= 0 && old != NULL) {
        (void)!fchmod(fd, old->st_mode & 0777);
    }
    *ret_name = name;
    return fd;
}

/* Through the temporary file, unless the target is something to write into as it is (a
 * pipe, a terminal). */
enum duet_code file_open(const char *path, struct file_output *ret_output,
                         struct duet_error *reterr)
{
    struct file_output output = {.path = path};
    struct stat status;
    int fd = -1;
    output.file = standard_stream(path);
    if (output.file != NULL) {
        *ret_output = output;
        return DUET_OK;
    }
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    } else {
        fd = open_temporary(path, exists ? &status : NULL, &output.temporary,
                            &output.unnamed);
    }
    output.file = fd < 0 ? NULL : fdopen(fd, "w");
    if (output.file == NULL) {
        enum duet_code code = cannot_write(path, errno, reterr);
        if (fd >= 0) {
            (void)close(fd);
            (void)(output.temporary != NULL && !output.unnamed &&
                   unlink(output.temporary));
        }
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

/* Gives what is written its name; it is whole before. */
static bool name_it(const struct file_output *output)
{
    char link[LINK_BYTES];
    link_of(fileno(output->file), link);
    return fflush(output->file) == 0 &&
           linkat(AT_FDCWD, link, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0;
}

enum duet_code file_close(struct file_output *output, enum duet_code code,
                          struct duet_error *reterr)
{
    bool standard = standard_stream(output->path) != NULL;
    if (code == DUET_OK && output->unnamed && !name_it(output)) {
        code = cannot_write(output->path, errno, reterr);
    }
    bool closed = (standard ? fflush(output->file) : fclose(output->file)) == 0;
    if (code == DUET_OK && !closed) {
        code = cannot_write(output->path, errno, reterr);
    }
    if (output->temporary != NULL) {
        if (code == DUET_OK && rename(output->temporary, output->path) != 0) {
            code = cannot_write(output->path, errno, reterr);
        }
        if (code != DUET_OK) {
            (void)unlink(output->temporary); /* it may have no name */
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
    enum duet_code code =
        text_failed(text) ? error_no_memory(reterr) : file_open(path, &output, reterr);
    if (code == DUET_OK) {
        code = file_write(&output, text_string(text), text->length, reterr);
        code = file_close(&output, code, reterr);
    }
    text_release(text);
    return code;
}
