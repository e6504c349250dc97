/* A JSON document as bytes. */
#ifndef DUET_JSON_JSON_TEXT_H
#define DUET_JSON_JSON_TEXT_H

#include "base/text.h"

#include <jansson.h>
#include <stdbool.h>

/* Appends the document, indented, its numbers with 17 digits. False when memory is
 * short or `document` is NULL. json_dumps() leaves out a key for which there is none.
 */
bool json_text_append(struct text *text, const json_t *document);

#endif
