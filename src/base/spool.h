/* Items of one size that come one after the other, in bounded memory: the first ones
 * are kept, and where there are more, they go into a file without a name in $TMPDIR,
 * /var/tmp or /tmp. Where there can be no such file, or it is full, the others stay in
 * memory. */
#ifndef DUET_BASE_SPOOL_H
#define DUET_BASE_SPOOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed but for the first two: no items. To be released. */
struct spool {
    size_t item_bytes; /* of one */
    size_t most;       /* items in memory */
    char *kept;        /* those behind `filed` */
    size_t count;      /* of them */
    size_t capacity;
    uint64_t filed; /* items in the file */
    int fd;         /* of the file, when there are any */
    bool stuck;     /* the file cannot be made or written */
    char *block;    /* what was read of the file */
};

static inline uint64_t spool_count(const struct spool *spool)
{
    return spool->filed + spool->count;
}

/* items: borrowed. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code spool_add(struct spool *spool, const void *items,
                                       size_t count, struct duet_error *reterr);

/* *ret_items: as many items from number `at` on as lie together, at least one; valid
 * until the spool is used again. at < spool_count(). Errors: DUET_E_NOMEM, DUET_E_IO.
 */
BASE_MUST_USE enum duet_code spool_read(struct spool *spool, uint64_t at,
                                        const void **ret_items, size_t *ret_count,
                                        struct duet_error *reterr);

/* Item number `at` becomes another one. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code spool_replace(struct spool *spool, uint64_t at,
                                           const void *item, struct duet_error *reterr);

/* It has no items any more, and can be filled again. */
void spool_release(struct spool *spool);

#endif
