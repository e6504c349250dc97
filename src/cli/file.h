/* Text and JSON into files. A file is written under another name and then renamed, so
 * that a reader never sees half of one. */
#ifndef DUET_CLI_FILE_H
#define DUET_CLI_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <jansson.h>

/* Both: "-" is standard output; errors DUET_E_IO (says the path), DUET_E_NOMEM (the
 * text or document had failed). Releases the text. */
BASE_MUST_USE enum duet_code file_write_text(const char *path, struct text *text,
                                             struct duet_error *reterr);
/* Steals the reference. */
BASE_MUST_USE enum duet_code file_write_json(const char *path, json_t *document,
                                             struct duet_error *reterr);

#endif
