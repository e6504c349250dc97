#include "session/scratch.h"

#include "base/alloc.h"
#include "session/locked_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that nobody else gives a folder: the sweep removes folders by it. */
#define PREFIX "duet-scratch-"
enum { DIGITS = 16 };

static bool is_scratch(const char *name)
{
    const char *digits = name + strlen(PREFIX);
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
           strspn(digits, "0123456789abcdef") == DIGITS && digits[DIGITS] == '\0';
}

/* What is not locked belongs to nobody: the kernel lets go of the lock of a process
 * that was killed. What cannot be removed stays. */
static void sweep(const char *parent)
{
    DIR *entries = opendir(parent);
    const struct dirent *entry = NULL;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        char *path = is_scratch(entry->d_name)
                         ? alloc_format("%s/%s", parent, entry->d_name)
                         : NULL;
        int fd = path != NULL ? locked_folder_open(path) : -1;
        if (fd >= 0) {
            (void)locked_folder_remove(path);
            (void)close(fd);
        }
        free(path);
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

/* Under another name until its lock is held, so that no sweep takes it. 0 or errno's
 * value. */
static int make_locked(const char *path, int *ret_fd)
{
    char *unfinished = alloc_format("%s.new", path);
    if (unfinished == NULL) {
        return ENOMEM;
    }
    int errnum = mkdir(unfinished, 0700) == 0 ? 0 : errno;
    if (errnum == 0) {
        *ret_fd = open(unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (*ret_fd >= 0) { /* where there are no locks nothing is swept, either */
            (void)flock(*ret_fd, LOCK_EX | LOCK_NB);
        }
        if (*ret_fd < 0 || rename(unfinished, path) != 0) {
            errnum = errno;
            (void)rmdir(unfinished);
        }
    }
    if (errnum != 0 && *ret_fd >= 0) {
        (void)close(*ret_fd);
    }
    free(unfinished);
    return errnum;
}

enum duet_code scratch_make(struct scratch *ret_scratch, struct duet_error *reterr)
{
    const char *parent = getenv("TMPDIR");
    parent = parent != NULL && *parent == '/' ? parent : "/tmp";
    struct scratch scratch = {.fd = -1};
    uint64_t number = 0;
    if (!locked_folder_is_plain(parent)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "TMPDIR='%s': commands get the path of a folder in it, and it has a character that shells interpret: "
            "set another TMPDIR",
            parent);
    }
    sweep(parent);
    int errnum =
        getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number ? 0 : EIO;
    scratch.path = alloc_format("%s/" PREFIX "%0*" PRIx64, parent, DIGITS, number);
    if (scratch.path == NULL) {
        return error_no_memory(reterr);
    }
    errnum = errnum == 0 ? make_locked(scratch.path, &scratch.fd) : errnum;
    if (errnum != 0) {
        enum duet_code code = error_set_errno(
            reterr, DUET_E_IO, errnum,
            "cannot make the folder '%s'; set TMPDIR to a folder that can be written to",
            scratch.path);
        free(scratch.path);
        return code;
    }
    *ret_scratch = scratch;
    return DUET_OK;
}

enum duet_code scratch_plain(const struct scratch *scratch, char **folder,
                             struct duet_error *reterr)
{
    if (locked_folder_is_plain(*folder)) {
        return DUET_OK;
    }
    char *link = alloc_format("%s/.suite", scratch->path);
    if (link == NULL) {
        return error_no_memory(reterr);
    }
    if (symlink(*folder, link) != 0) {
        int errnum = errno;
        free(link);
        return error_set_errno(reterr, DUET_E_IO, errnum, "cannot make a link to '%s'",
                               *folder);
    }
    free(*folder);
    *folder = link;
    return DUET_OK;
}

void scratch_remove(struct scratch *scratch, const struct listener *listener)
{
    if (scratch->path == NULL) {
        return;
    }
    if (!locked_folder_remove(scratch->path)) {
        struct duet_error error;
        (void)error_set_errno(&error, DUET_E_IO, errno, "cannot remove '%s'",
                              scratch->path);
        listener_warn(listener, "%s", error.message);
    }
    (void)close(scratch->fd);
    free(scratch->path);
    *scratch = (struct scratch){.fd = -1};
}
