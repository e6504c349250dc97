/* What the readers of JSON share. */
#ifndef DUET_FORMATS_TOOLS_TOOL_JSON_H
#define DUET_FORMATS_TOOLS_TOOL_JSON_H

#include "formats/tools/tool_sink.h"

#include <jansson.h>

/* A member's text; "" when it is not there or no text. */
const char *formats_tool_text(const json_t *object, const char *key);

/* Adds a number, which is `unit_ns` times a number of ns and belongs to `measured`;
 * measured->ns is set. where: what it is called in messages. Errors: DUET_E_FORMAT (no
 * number), and those of formats_tool_add(). */
BASE_MUST_USE enum duet_code formats_tool_add_number(struct formats_tool_sink *sink,
                                                     struct formats_measured *measured,
                                                     const json_t *number,
                                                     double unit_ns, const char *where,
                                                     struct duet_error *reterr);

/* All numbers of an array, likewise. */
BASE_MUST_USE enum duet_code formats_tool_add_numbers(struct formats_tool_sink *sink,
                                                      struct formats_measured *measured,
                                                      const json_t *numbers,
                                                      double unit_ns, const char *where,
                                                      struct duet_error *reterr);

#endif
