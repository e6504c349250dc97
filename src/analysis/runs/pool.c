#include "analysis/runs/pool.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum duet_code analysis_pool_add(struct analysis_pool *pool, const double *values,
                                 size_t count, struct duet_error *reterr)
{
    if (count == 0) {
        return DUET_OK;
    }
    double *grown = alloc_resize(pool->values, pool->count + count, sizeof *grown);
    pool->values = grown != NULL ? grown : pool->values;
    size_t *sizes = alloc_resize(pool->run_sizes, pool->runs + 1, sizeof *sizes);
    pool->run_sizes = sizes != NULL ? sizes : pool->run_sizes;
    if (grown == NULL || sizes == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    memcpy(pool->values + pool->count, values, count * sizeof *values);
    pool->count += count;
    pool->run_sizes[pool->runs++] = count;
    return DUET_OK;
}

void analysis_pool_release(struct analysis_pool *pool)
{
    free(pool->values);
    free(pool->run_sizes);
    *pool = (struct analysis_pool){0};
}
