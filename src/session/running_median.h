/* The median of values that come one after the other, in bounded memory: the first ones
 * are kept, and where there are more, all lie in a file without a name. */
#ifndef DUET_SESSION_RUNNING_MEDIAN_H
#define DUET_SESSION_RUNNING_MEDIAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many are in memory, of each of a few such objects. */
enum { RUNNING_MEDIAN_KEPT = 1 << 16 };

/* Zeroed storage has no value. */
struct running_median {
    double *kept; /* those behind `filed` */
    size_t count;
    size_t capacity;
    uint64_t filed; /* values in the file */
    int file;       /* its descriptor, when any is */
    bool lost;      /* a value could not be kept: there is no median */
};

/* values: positive and finite, borrowed. The file is made in $TMPDIR, /var/tmp or /tmp;
 * where it cannot be made or written, there will be no median. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code running_median_add(struct running_median *median,
                                                const double *values, size_t count,
                                                struct duet_error *reterr);

/* As stats_quantile_type7() of all values at 0.5; NaN where there is none. Reorders
 * those in memory; the last call. */
double running_median_value(struct running_median *median);

void running_median_release(struct running_median *median);

#endif
