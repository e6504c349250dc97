/* Who works on a watch. Record locks (fcntl) and not a row of the database: the kernel
 * lets go of them when the process ends, however it ends, so that a stale one cannot
 * be; and other than with flock() the processes that we start do not have a share in
 * them. */
#include "store/store_watch.h"

#include "base/alloc.h"
#include "store/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char ending[] = "-watches";

static char *lock_path(const struct store *store)
{
    return alloc_format("%s%s", store->path, ending);
}

/* The byte that stands for a watch. */
static struct flock byte_of(int64_t watch)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)watch, .l_len = 1};
}

enum duet_code store_watch_lock(const struct store *store, int64_t watch,
                                struct store_watch_lock *ret_lock, int64_t *ret_pid,
                                struct duet_error *reterr)
{
    char *path = lock_path(store);
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct flock mine = byte_of(watch);
    struct flock theirs = byte_of(watch);
    bool locked = fd >= 0 && fcntl(fd, F_SETLK, &mine) == 0;
    bool held = fd >= 0 && !locked && (errno == EACCES || errno == EAGAIN);
    enum duet_code code = DUET_OK;
    if (!locked && !held) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot lock '%s'", path);
    } else if (held && fcntl(fd, F_GETLK, &theirs) != 0) {
        theirs.l_pid = -1;
    }
    if (code == DUET_OK) {
        *ret_lock = (struct store_watch_lock){.fd = locked ? fd : -1};
        *ret_pid = locked ? 0 : theirs.l_pid;
    }
    if (!locked && fd >= 0) {
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
    return held ? theirs.l_pid : 0;
}

void store_watch_unlock(struct store_watch_lock *lock)
{
    if (lock->fd >= 0) {
        (void)close(lock->fd);
        lock->fd = -1;
    }
}
