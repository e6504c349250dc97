/* Plain numbers: one a line. */
#ifndef DUET_FORMATS_NUMBERS_H
#define DUET_FORMATS_NUMBERS_H

#include "formats/gather.h"
#include "formats/scan.h"
#include "formats/source.h"

/* A number a line, spaces around it allowed; blank lines and what follows a '#' are
 * left out. All of them are times of `side`, of one run `process` (NULL: not known).
 * Errors: DUET_E_FORMAT (not a number, not a positive time; with file, line, column),
 * DUET_E_TOO_FEW (none), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_numbers_read(struct formats_source *source, const struct formats_unit *unit,
                     enum model_side side, const char *process,
                     struct formats_gather *gather, struct duet_error *reterr);

#endif
