/* Text into files. A file is written under another name and then renamed, so that a
 * reader never sees half of one. */
#ifndef DUET_BASE_FILE_H
#define DUET_BASE_FILE_H

#include "base/error.h"
#include "base/text.h"

/* Releases the text. path: "-": standard output. Errors: DUET_E_IO (says the path),
 * DUET_E_NOMEM (the text had failed). */
BASE_MUST_USE enum duet_code file_write_text(const char *path, struct text *text,
                                             struct duet_error *reterr);
#endif
