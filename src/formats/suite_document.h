/* A YAML file as a tree whose every node knows its place, and errors that say it:
 * "FILE:12:5: benchmarks[2].runs: ...". */
#ifndef DUET_FORMATS_SUITE_DOCUMENT_H
#define DUET_FORMATS_SUITE_DOCUMENT_H

#include "base/error.h"
#include "model/suite.h"

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

/* An alias makes little of a file much: its texts are copied wherever it stands. */
enum { SUITE_TEXTS_BYTES_MAX = 8 << 20 };

struct suite_document {
    yaml_document_t yaml;
    size_t texts_left; /* bytes that may still be copied */
    const char *name;  /* of the file, borrowed */
    struct duet_error *reterr;
};

/* A node and the way to it from the root (whose `up` is NULL). */
struct suite_at {
    const struct suite_at *up;
    const char *key; /* in its mapping; NULL: `index` in its list */
    size_t index;
    const yaml_node_t *node;
};

/* Reads the one document of bytes[0..length). Errors: DUET_E_FORMAT (syntax; above
 * yaml_limits.h; nothing or more than one document; no mapping), DUET_E_NOMEM. `name`
 * is borrowed. */
BASE_MUST_USE enum duet_code suite_document_load(const char *bytes, size_t length,
                                                 const char *name,
                                                 struct suite_document *ret_document,
                                                 struct duet_error *reterr);
void suite_document_release(struct suite_document *document);

/* Fills the error with the node's place, the way to it, and the text; DUET_E_FORMAT. */
enum duet_code suite_fail(const struct suite_document *document,
                          const struct suite_at *at, const char *format, ...)
    BASE_PRINTF(3, 4);
enum duet_code suite_fail_memory(const struct suite_document *document);

struct model_position suite_position(const struct suite_at *at);

/* A copy of the scalar into *ret_text, whose old value it frees. Errors: DUET_E_FORMAT
 * (no scalar; nothing, or null; a NUL byte in it; SUITE_TEXTS_BYTES_MAX), DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code suite_text(struct suite_document *document,
                                        const struct suite_at *at, char **ret_text);

/* Calls `visit` for each pair, with `at` of the value and the key in it. Errors: those
 * of visit, DUET_E_FORMAT (no mapping, more than `limit` pairs, a key that is no scalar
 * or there twice). `key` of a pair is valid during the call. */
BASE_MUST_USE enum duet_code suite_mapping(
    struct suite_document *document, const struct suite_at *at, size_t limit,
    enum duet_code (*visit)(struct suite_document *document, const struct suite_at *key,
                            const struct suite_at *value, void *context),
    void *context);

/* Calls `visit` for each element. Errors: those of visit, DUET_E_FORMAT (no list,
 * empty, more than `limit` elements). */
BASE_MUST_USE enum duet_code
suite_list(struct suite_document *document, const struct suite_at *at, size_t limit,
           enum duet_code (*visit)(struct suite_document *document,
                                   const struct suite_at *element, void *context),
           void *context);

#endif
