/* The values of one side, one after the other, run by run. */
#ifndef DUET_ANALYSIS_POOL_H
#define DUET_ANALYSIS_POOL_H

#include "base/error.h"

#include <stddef.h>

/* Zeroed storage is the empty pool. */
struct analysis_pool {
    double *values;
    size_t count;
    size_t *run_sizes;
    size_t runs;
};

/* Appends a run; one without values is none. Errors: DUET_E_NOMEM (the pool stays as it
 * was). */
BASE_MUST_USE enum duet_code analysis_pool_add(struct analysis_pool *pool,
                                               const double *values, size_t count,
                                               struct duet_error *reterr);
void analysis_pool_release(struct analysis_pool *pool);

#endif
