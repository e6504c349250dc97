#include "session/locked_folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 16 };

int locked_folder_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_uid != geteuid() ||
                    flock(fd, LOCK_EX | LOCK_NB) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* What is in a folder without these permissions cannot be removed. */
static int open_up(const char *path, const struct stat *status, int kind,
                   struct FTW *walk)
{
    (void)walk;
    if ((kind == FTW_D || kind == FTW_DNR) && (status->st_mode & S_IRWXU) != S_IRWXU) {
        (void)chmod(path, status->st_mode | S_IRWXU);
    }
    return 0;
}

bool locked_folder_remove(const char *path)
{
    enum { HOW = FTW_PHYS | FTW_MOUNT };
    if (nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | HOW) == 0) {
        return true;
    }
    return errno == EACCES && nftw(path, open_up, DESCRIPTORS, HOW) == 0 &&
           nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | HOW) == 0;
}

bool locked_folder_is_plain(const char *path)
{
    for (const char *c = path; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x80 && !isalnum((unsigned char)*c) &&
            strchr("/._-+,:@%=", *c) == NULL) {
            return false;
        }
    }
    return true;
}
