/* A file being read, and where in it the reader is. */
#ifndef DUET_FORMATS_SOURCE_H
#define DUET_FORMATS_SOURCE_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

enum {
    FORMATS_SOURCE_END = -1,
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* small inputs fill it more than once \
                                                 */
    FORMATS_SOURCE_BYTES = 1 << 10
#else
    FORMATS_SOURCE_BYTES = 1 << 16
#endif
};

struct unpack;

struct formats_source {
    FILE *file;
    struct unpack *unpack; /* owned; NULL: it is not compressed */
    char name[512];        /* for messages */
    uint64_t line;         /* of the next byte, from 1 */
    uint64_t column;       /* in bytes, from 1 */
    uint64_t bytes;        /* read so far, unpacked */
    int errnum;            /* of a failed read; 0 */
    size_t at;
    size_t length;
    unsigned char buffer[FORMATS_SOURCE_BYTES];
};

/* Opens a file, "-" for standard input. One that is compressed (gzip, xz, zstd, bzip2,
 * lz4, by its content) is unpacked while it is read. Errors: DUET_E_NOT_FOUND,
 * DUET_E_IO, DUET_E_NOMEM, DUET_E_UNSUITABLE (unpack.h). */
BASE_MUST_USE enum duet_code formats_source_open(const char *path,
                                                 struct formats_source **ret_source,
                                                 struct duet_error *reterr);
/* The same for a path that other files name, and nobody chose: it has to be a regular
 * file, since a pipe or a terminal may never end; "-" is a file's name. */
BASE_MUST_USE enum duet_code
formats_source_open_plain(const char *path, struct formats_source **ret_source,
                          struct duet_error *reterr);
/* The same on an open stream, which is taken over unless the call fails. */
BASE_MUST_USE enum duet_code formats_source_of(FILE *take_file, const char *name,
                                               struct formats_source **ret_source,
                                               struct duet_error *reterr);
/* Closes the stream, too, unless it is standard input. */
void formats_source_close(struct formats_source *source);

/* The bytes that lie ready, at least one unless the file is at its end; they stay to be
 * read. A byte order mark at the beginning is left out. */
const unsigned char *formats_source_look(struct formats_source *source,
                                         size_t *ret_length);

/* Reads more into an empty buffer; the next byte, or FORMATS_SOURCE_END. */
int formats_source_fill(struct formats_source *source);

/* The next byte without taking it, FORMATS_SOURCE_END at the end. */
static inline int formats_source_peek(struct formats_source *source)
{
    return source->at < source->length ? source->buffer[source->at]
                                       : formats_source_fill(source);
}

static inline int formats_source_next(struct formats_source *source)
{
    int byte = formats_source_peek(source);
    if (byte != FORMATS_SOURCE_END) {
        source->at++;
        source->column++;
        if (byte == '\n') {
            source->line++;
            source->column = 1;
        }
    }
    return byte;
}

/* DUET_E_IO when reading failed, DUET_E_FORMAT when compressed bytes are broken or
 * unpack to more than is sensible, else DUET_OK. To be asked at the end. */
BASE_MUST_USE enum duet_code formats_source_check(const struct formats_source *source,
                                                  struct duet_error *reterr);

/* "FILE:LINE:COLUMN: ...", DUET_E_FORMAT. */
enum duet_code formats_source_error(const struct formats_source *source, uint64_t line,
                                    uint64_t column, struct duet_error *reterr,
                                    const char *format, ...) BASE_PRINTF(5, 6);

#endif
