/* JSON into files. */
#ifndef DUET_CLI_JSON_FILE_H
#define DUET_CLI_JSON_FILE_H

#include "base/error.h"

#include <jansson.h>

/* As file_write_text(). Steals the reference. Errors: DUET_E_IO (says the path),
 * DUET_E_NOMEM (the document had failed). */
BASE_MUST_USE enum duet_code file_write_json(const char *path, json_t *document,
                                             struct duet_error *reterr);

#endif
