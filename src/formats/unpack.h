/* What a compressed file holds, piece by piece: gzip, xz, zstd, bzip2, lz4. libarchive
 * is loaded when there is one. */
#ifndef DUET_FORMATS_UNPACK_H
#define DUET_FORMATS_UNPACK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct unpack;

/* Whether a file that begins with these bytes is compressed. */
bool unpack_is_compressed(const unsigned char *bytes, size_t length);

/* The rest of `file`, which is borrowed, as is `name`, for messages; `bytes` were read
 * of it already. Errors: DUET_E_NOMEM; DUET_E_UNSUITABLE: there is no libarchive. */
BASE_MUST_USE enum duet_code unpack_open(FILE *file, const char *name,
                                         const void *bytes, size_t length,
                                         struct unpack **ret_unpack,
                                         struct duet_error *reterr);

/* How many bytes follow; 0 at the end, and when something is wrong (unpack_check). */
size_t unpack_read(struct unpack *unpack, void *buffer, size_t size);

/* DUET_E_FORMAT when the bytes are broken or unpack to more than is sensible. */
BASE_MUST_USE enum duet_code unpack_check(const struct unpack *unpack,
                                          struct duet_error *reterr);

void unpack_close(struct unpack *unpack);

#endif
