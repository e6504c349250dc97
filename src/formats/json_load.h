/* A whole file of JSON. */
#ifndef DUET_FORMATS_JSON_LOAD_H
#define DUET_FORMATS_JSON_LOAD_H

#include "formats/source.h"

#include <jansson.h>

/* *ret_document: json_decref() it. NaN and Infinity, which Python and Google Benchmark
 * write and JSON has not, are null. Errors: DUET_E_FORMAT (with file, line, column),
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_json_load(struct formats_source *source,
                                               json_t **ret_document,
                                               struct duet_error *reterr);

#endif
