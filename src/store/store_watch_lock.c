/* Who works on a watch. Record locks (fcntl) and not a row of the database: the kernel
 * lets go of them when the process ends, however it ends, so that a stale one cannot
 * be; and other than with flock() the processes that we start do not have a share in
 * them. */
#include "store/store_watch.h"

#include "base/alloc.h"
#include "base/text.h"
#include "store/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char ending[] = "-watches";

/* Beside the file itself, whatever link the store was opened by. */
static char *lock_path(const struct store *store)
{
    const char *file = sqlite3_db_filename(store->db, "main");
    return alloc_format("%s%s", file != NULL && file[0] != '\0' ? file : store->path,
                        ending);
}

/* The byte that stands for a watch. */
static struct flock byte_of(int64_t watch)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)watch, .l_len = 1};
}

static int64_t pid_of(const struct flock *theirs)
{
    return theirs->l_pid > 0 ? theirs->l_pid : STORE_WATCH_ELSEWHERE;
}

/* Locks the byte (*ret_pid: 0), or finds who has it. False: neither, says errno. */
static bool lock_or_ask(int fd, int64_t watch, int64_t *ret_pid)
{
    struct flock mine = byte_of(watch);
    while (fcntl(fd, F_SETLK, &mine) != 0) {
        struct flock theirs = byte_of(watch);
        if ((errno != EACCES && errno != EAGAIN) || fcntl(fd, F_GETLK, &theirs) != 0) {
            return false;
        }
        if (theirs.l_type != F_UNLCK) { /* else it has just ended */
            *ret_pid = pid_of(&theirs);
            return true;
        }
    }
    *ret_pid = 0;
    return true;
}

enum duet_code store_watch_lock(const struct store *store, int64_t watch,
                                struct store_watch_lock *ret_lock, int64_t *ret_pid,
                                struct duet_error *reterr)
{
    char *path = lock_path(store);
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    int64_t pid = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum duet_code code = DUET_OK;
    if (fd < 0 || !lock_or_ask(fd, watch, &pid)) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot lock '%s'", path);
    } else {
        *ret_lock = (struct store_watch_lock){.fd = pid == 0 ? fd : -1};
        *ret_pid = pid;
    }
    if (fd >= 0 && (code != DUET_OK || pid != 0)) {
        (void)close(fd);
    }
    free(path);
    return code;
}

int64_t store_watch_holder(const struct store *store, int64_t watch)
{
    char *path = lock_path(store);
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    struct flock theirs = byte_of(watch);
    bool held = fd >= 0 && fcntl(fd, F_GETLK, &theirs) == 0 && theirs.l_type != F_UNLCK;
    if (fd >= 0) {
        (void)close(fd);
    }
    free(path);
    return held ? pid_of(&theirs) : 0;
}

void store_watch_holder_name(int64_t pid, char ret_name[STORE_WATCH_HOLDER_BYTES])
{
    if (pid > 0) {
        (void)snprintf(ret_name, STORE_WATCH_HOLDER_BYTES, "process %" PRId64, pid);
    } else {
        text_copy(ret_name, STORE_WATCH_HOLDER_BYTES, "a process of another container");
    }
}

void store_watch_unlock(struct store_watch_lock *lock)
{
    if (lock->fd >= 0) {
        (void)close(lock->fd);
        lock->fd = -1;
    }
}
