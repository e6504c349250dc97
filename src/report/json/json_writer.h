/* Writes a JSON document piece by piece, so that its size never lies in memory: as
 * json_dumps() would with JSON_INDENT(2) and JSON_REAL_PRECISION(17). A failure is
 * remembered, and what follows does nothing, so that a caller checks once at the end.
 */
#ifndef DUET_REPORT_JSON_WRITER_H
#define DUET_REPORT_JSON_WRITER_H

#include "base/error.h"
#include "base/text.h"

#include <jansson.h>
#include <stdbool.h>

enum { JSON_WRITER_DEPTH_MAX = 16 };

/* Zeroed but for `write` and `context`. */
struct json_writer {
    /* Takes the next bytes of the document. */
    enum duet_code (*write)(void *context, const char *bytes, size_t length,
                            struct duet_error *reterr);
    void *context;
    struct text text; /* not handed on yet */
    char closers[JSON_WRITER_DEPTH_MAX];
    size_t depth;
    bool filled; /* what is open has a value */
    struct duet_error error;
};

/* Of an array the values have no key: NULL. Keys are the program's own words. */

/* Opens an object or an array; it lasts until its end. */
void json_writer_object(struct json_writer *writer, const char *key);
void json_writer_array(struct json_writer *writer, const char *key);
void json_writer_end(struct json_writer *writer);
/* `value`: its reference is taken over; NULL is a failure: no memory. */
void json_writer_value(struct json_writer *writer, const char *key, json_t *value);
/* All members of `object`, whose reference is taken over, into the open object. */
void json_writer_members(struct json_writer *writer, json_t *object);

/* Notes a failure of the caller's; DUET_OK is none. Whether all is well so far. */
bool json_writer_check(struct json_writer *writer, enum duet_code code,
                       const struct duet_error *error);
/* Hands on what is left and releases the writer. Errors: of `write`, of the caller,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code json_writer_finish(struct json_writer *writer,
                                                struct duet_error *reterr);

#endif
