#include "base/spool.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

/* File systems without O_TMPFILE get a named one that is unlinked at once. */
static int open_unnamed_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        char *name = alloc_format("%s/duet-XXXXXX", folder);
        fd = name != NULL ? mkostemp(name, O_CLOEXEC) : -1;
        if (fd >= 0) {
            (void)unlink(name);
        }
        free(name);
    }
    return fd;
}

static int open_unnamed(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] != NULL && folders[i][0] != '\0') {
            fd = open_unnamed_in(folders[i]);
        }
    }
    return fd;
}

static bool write_all(int fd, const char *from, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t written = pwrite(fd, from, size, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        from += written;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool read_all(int fd, char *to, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t got = pread(fd, to, size, at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        to += got;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static off_t offset_of(const struct spool *spool, uint64_t at)
{
    return (off_t)(at * spool->item_bytes);
}

/* Those in memory go to the file. */
static void file_kept(struct spool *spool)
{
    if (spool->filed == 0) {
        spool->fd = open_unnamed();
    }
    spool->stuck = spool->fd < 0 ||
                   !write_all(spool->fd, spool->kept, spool->count * spool->item_bytes,
                              offset_of(spool, spool->filed));
    if (!spool->stuck) {
        spool->filed += spool->count;
        spool->count = 0;
    } else if (spool->filed == 0 && spool->fd >= 0) {
        (void)close(spool->fd);
    }
}

/* Room for `more` items. */
static bool grow(struct spool *spool, size_t more)
{
    size_t wanted = spool->count + more;
    if (wanted <= spool->capacity) {
        return true;
    }
    size_t capacity = 2 * wanted;
    capacity = !spool->stuck && capacity > spool->most ? spool->most : capacity;
    char *grown = alloc_resize(spool->kept, capacity, spool->item_bytes);
    if (grown != NULL) {
        spool->kept = grown;
        spool->capacity = capacity;
    }
    return grown != NULL;
}

enum duet_code spool_add(struct spool *spool, const void *items, size_t count,
                         struct duet_error *reterr)
{
    const char *from = items;
    while (count > 0) {
        if (spool->count >= spool->most && !spool->stuck) {
            file_kept(spool);
        }
        size_t room = spool->stuck ? count : spool->most - spool->count;
        size_t some = count < room ? count : room;
        if (!grow(spool, some)) {
            return error_no_memory(reterr);
        }
        memcpy(spool->kept + spool->count * spool->item_bytes, from,
               some * spool->item_bytes);
        spool->count += some;
        from += some * spool->item_bytes;
        count -= some;
    }
    return DUET_OK;
}

static enum duet_code fail(const char *what, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_IO,
                     "cannot %s temporary data; name another folder with TMPDIR", what);
}

enum duet_code spool_read(struct spool *spool, uint64_t at, const void **ret_items,
                          size_t *ret_count, struct duet_error *reterr)
{
    if (at >= spool->filed) {
        size_t behind = (size_t)(at - spool->filed);
        *ret_items = spool->kept + behind * spool->item_bytes;
        *ret_count = spool->count - behind;
        return DUET_OK;
    }
    if (spool->block == NULL) {
        spool->block = alloc_array(BLOCK_BYTES, 1);
        if (spool->block == NULL) {
            return error_no_memory(reterr);
        }
    }
    size_t most = BLOCK_BYTES / spool->item_bytes;
    size_t count = spool->filed - at < most ? (size_t)(spool->filed - at) : most;
    if (!read_all(spool->fd, spool->block, count * spool->item_bytes,
                  offset_of(spool, at))) {
        return fail("read back", reterr);
    }
    *ret_items = spool->block;
    *ret_count = count;
    return DUET_OK;
}

enum duet_code spool_replace(struct spool *spool, uint64_t at, const void *item,
                             struct duet_error *reterr)
{
    if (at >= spool->filed) {
        memcpy(spool->kept + (size_t)(at - spool->filed) * spool->item_bytes, item,
               spool->item_bytes);
        return DUET_OK;
    }
    return write_all(spool->fd, item, spool->item_bytes, offset_of(spool, at))
               ? DUET_OK
               : fail("write", reterr);
}

void spool_release(struct spool *spool)
{
    if (spool->filed > 0) {
        (void)close(spool->fd);
    }
    free(spool->kept);
    free(spool->block);
    *spool = (struct spool){.item_bytes = spool->item_bytes, .most = spool->most};
}
