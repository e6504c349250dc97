#include "store/store_private.h"

#include "base/alloc.h"
#include "store/postgresql/remote_url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MEMBERS_BYTES = offsetof(struct model_iteration, exit_status) +
                    sizeof(((struct model_iteration *)0)->exit_status)
};

static enum duet_code out_of_memory(const char *store_path, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM, "store '%s': no memory to keep a run",
                     store_path);
}

static enum duet_code fail(const char *store_path, int errnum,
                           struct duet_error *reterr)
{
    bool full = errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG;
    return error_set_errno(reterr, DUET_E_IO, errnum,
                           "store '%s': %s while keeping a run's data beside it; "
                           "finished runs are kept: make room, or name another place "
                           "with --store",
                           store_path, full ? "disk full" : "cannot write");
}

/* An unnamed file: whatever happens to this process, nothing is left over. File systems
 * without O_TMPFILE get a named one that is unlinked at once. */
static enum duet_code open_file(struct store_spill *spill, const char *store_path,
                                struct duet_error *reterr)
{
    char *folder = remote_is_url(store_path) ? alloc_string(store_scratch_folder())
                                             : store_folder_of(store_path);
    char *name = folder == NULL ? NULL : alloc_format("%s/.duet-run-XXXXXX", folder);
    enum duet_code code = DUET_OK;
    if (name == NULL) {
        code = out_of_memory(store_path, reterr);
    } else {
        spill->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (spill->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
            spill->fd = mkostemp(name, O_CLOEXEC);
            if (spill->fd >= 0) {
                (void)unlink(name);
            }
        }
        if (spill->fd < 0) {
            code = fail(store_path, errno, reterr);
        }
    }
    free(name);
    free(folder);
    return code;
}

static enum duet_code flush(struct store_spill *spill, const char *store_path,
                            struct duet_error *reterr)
{
    if (spill->fd < 0) {
        enum duet_code code = open_file(spill, store_path, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    const char *bytes = (const char *)spill->buffer;
    size_t left = spill->buffered * sizeof *spill->buffer;
    off_t at = (off_t)(spill->filed * sizeof *spill->buffer);
    while (left > 0) {
        ssize_t written = pwrite(spill->fd, bytes, left, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return fail(store_path, written < 0 ? errno : ENOSPC, reterr);
        }
        bytes += written;
        at += written;
        left -= (size_t)written;
    }
    spill->filed += spill->buffered;
    spill->buffered = 0;
    return DUET_OK;
}

enum duet_code store_spill_put(struct store_spill *spill, const char *store_path,
                               const struct model_iteration *iterations, size_t count,
                               struct duet_error *reterr)
{
    if (spill->buffer == NULL) {
        spill->buffer = alloc_array(STORE_SPILL_CAPACITY, sizeof *spill->buffer);
        if (spill->buffer == NULL) {
            return out_of_memory(store_path, reterr);
        }
    }
    while (count > 0) {
        if (spill->buffered == STORE_SPILL_CAPACITY) {
            enum duet_code code = flush(spill, store_path, reterr);
            if (code != DUET_OK) {
                return code;
            }
        }
        size_t room = STORE_SPILL_CAPACITY - spill->buffered;
        size_t some = count < room ? count : room;
        for (size_t i = 0; i < some; i++) {
            /* Without the padding at the end, which may never have been set. */
            memcpy(&spill->buffer[spill->buffered + i], &iterations[i], MEMBERS_BYTES);
        }
        spill->buffered += some;
        iterations += some;
        count -= some;
    }
    return DUET_OK;
}

/* The next iterations of the file into the buffer, which is empty. */
static enum duet_code refill(struct store_spill *spill, const char *store_path,
                             size_t count, struct duet_error *reterr)
{
    char *bytes = (char *)spill->buffer;
    size_t left = count * sizeof *spill->buffer;
    off_t at = (off_t)(spill->taken * sizeof *spill->buffer);
    while (left > 0) {
        ssize_t got = pread(spill->fd, bytes, left, at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return error_set_errno(reterr, DUET_E_IO, got < 0 ? errno : EIO,
                                   "store '%s': cannot read back a run's data",
                                   store_path);
        }
        bytes += got;
        at += got;
        left -= (size_t)got;
    }
    return DUET_OK;
}

enum duet_code store_spill_take(struct store_spill *spill, const char *store_path,
                                const struct model_iteration **ret_iterations,
                                size_t *ret_count, struct duet_error *reterr)
{
    if (spill->filed > 0 && spill->buffered > 0) {
        /* The buffer is needed for reading, and its content comes last anyway. */
        enum duet_code code = flush(spill, store_path, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    size_t count = spill->buffered;
    if (spill->filed > 0) {
        uint64_t left = spill->filed - spill->taken;
        count = left < STORE_SPILL_CAPACITY ? (size_t)left : STORE_SPILL_CAPACITY;
        enum duet_code code = refill(spill, store_path, count, reterr);
        if (code != DUET_OK) {
            return code;
        }
        spill->taken += count;
    }
    spill->buffered = 0;
    *ret_iterations = spill->buffer;
    *ret_count = count;
    return DUET_OK;
}

void store_spill_clear(struct store_spill *spill)
{
    if (spill->filed > 0) {
        /* Cannot fail for lack of space; what stays is written over. */
        int rc = ftruncate(spill->fd, 0);
        (void)rc;
    }
    spill->buffered = 0;
    spill->filed = 0;
    spill->taken = 0;
}

void store_spill_release(struct store_spill *spill)
{
    if (spill->fd >= 0) {
        close(spill->fd);
    }
    free(spill->buffer);
    *spill = (struct store_spill){.fd = -1};
}
