/* The samples that tango dumps: "BASELINE,CANDIDATE,ITERATIONS" a line, in ns. */
#ifndef DUET_FORMATS_TANGO_H
#define DUET_FORMATS_TANGO_H

#include "formats/gather.h"
#include "formats/source.h"

/* Pairs of one process; of a sample the time of an iteration. Errors: DUET_E_FORMAT
 * (another line; with file, line), DUET_E_TOO_FEW (none), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_tango_read(struct formats_source *source,
                                                struct formats_gather *gather,
                                                struct duet_error *reterr);

/* Whether a file of CSV has no header but three whole numbers. */
bool formats_tango_is(struct formats_source *source);

#endif
