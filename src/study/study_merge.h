/* Sorting values that come as several sorted runs. */
#ifndef DUET_STUDY_STUDY_MERGE_H
#define DUET_STUDY_STUDY_MERGE_H

#include "base/error.h"

#include <stddef.h>

/* Beyond, sorting without regard to runs is faster. */
enum { STUDY_MERGE_RUNS_MAX = 16 };

/* values: `runs` runs one behind the other, each in ascending order, lengths[r] values.
 * Afterwards all of them are in ascending order. spare: as many. lengths is
 * overwritten. O(values * log(runs)), above STUDY_MERGE_RUNS_MAX O(values). Errors:
 * DUET_E_DOMAIN (a value is not finite, above that many runs), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_merge_runs(double *values, size_t *lengths,
                                              size_t runs, double *spare,
                                              struct duet_error *reterr);

#endif
