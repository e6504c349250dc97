/* Who measures an experiment or a suite: a lock of an open file description on a byte
 * of the store's file that SQLite does not use: the kernel lets go of it when the last
 * process is gone that has the descriptor, a supervisor perhaps. It is closed behind
 * SQLite's own descriptors (store_close()), since closing any drops the record locks of
 * this process. A suite's byte is that of its number below 0. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static struct flock byte_of(int64_t number)
{
    static const off_t first_byte = (off_t)1 << 60U;
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = first_byte + (off_t)number,
                          .l_len = 1};
}

static void open_locks(struct store *store)
{
    const char *path = sqlite3_db_filename(store->db, "main");
    if (store->lock_fd < 0 && path != NULL && path[0] != '\0') {
        store->lock_fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    }
}

static bool lock(struct store *store, int64_t number)
{
    if (store->remote != NULL) {
        return remote_lock(store, number);
    }
    open_locks(store);
    struct flock mine = byte_of(number);
    return store->lock_fd < 0 || fcntl(store->lock_fd, F_OFD_SETLK, &mine) == 0 ||
           (errno != EAGAIN && errno != EACCES);
}

static bool is_locked(struct store *store, int64_t number)
{
    if (store->remote != NULL) {
        return remote_is_locked(store, number);
    }
    open_locks(store);
    struct flock theirs = byte_of(number);
    return store->lock_fd >= 0 && fcntl(store->lock_fd, F_OFD_GETLK, &theirs) == 0 &&
           theirs.l_type != F_UNLCK;
}

bool store_experiment_lock(struct store *store, int64_t experiment)
{
    return lock(store, experiment);
}

void store_experiment_unlock(struct store *store, int64_t experiment)
{
    if (store->remote != NULL) {
        remote_unlock(store, experiment);
        return;
    }
    struct flock mine = byte_of(experiment);
    mine.l_type = F_UNLCK;
    if (store->lock_fd >= 0) {
        (void)fcntl(store->lock_fd, F_OFD_SETLK, &mine);
    }
}

bool store_experiment_is_locked(struct store *store, int64_t experiment)
{
    return is_locked(store, experiment);
}

bool store_suite_lock(struct store *store, int64_t suite)
{
    return lock(store, -suite);
}

bool store_suite_is_locked(struct store *store, int64_t suite)
{
    return is_locked(store, -suite);
}
