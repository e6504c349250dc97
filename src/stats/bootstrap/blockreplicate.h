/* Replicates of the mean or of a quantile of a series by block resampling, one after
 * the other and as fast as they come: a rule that looks at a growing series again and
 * again needs hundreds of thousands. A mean takes one addition a block. A quantile
 * takes one step for each drawn value that lies beyond it or not far on its near side:
 * only the tail that the quantile can lie in is ever counted. */
#ifndef DUET_STATS_BLOCKREPLICATE_H
#define DUET_STATS_BLOCKREPLICATE_H

#include "base/error.h"
#include "stats/bootstrap/sampler.h"
#include "stats/statistic.h"

#include <stddef.h>

/* How a resample is put together: `blocks` blocks of `length` values, the last one cut
 * to `last_length`, each beginning at one of the first `starts` values; a block that
 * reaches the series' end goes on at its beginning. */
struct stats_block_plan {
    size_t length;
    size_t blocks;
    size_t last_length;
    size_t starts;
};

/* The circular block bootstrap (Politis and Romano 1992): as many values as there are,
 * blocks may begin at each of them. block_length: rounded into [1, count]. */
struct stats_block_plan stats_block_plan_circular(size_t count, double block_length);

struct stats_block_replicator;

/* values: `count` of them, copied. statistic: STATS_STATISTIC_MEAN or
 * STATS_STATISTIC_QUANTILE. Errors: DUET_E_TOO_FEW (no value), DUET_E_DOMAIN (another
 * statistic, a fraction outside [0, 1], a plan of nothing or of blocks longer than the
 * series, 2^31 values or more, one not finite), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_block_replicator_new(
    const double *values, size_t count, const struct stats_block_plan *plan,
    const struct stats_statistic *statistic,
    struct stats_block_replicator **ret_replicator, struct duet_error *reterr);
void stats_block_replicator_free(struct stats_block_replicator *replicator);

/* The statistic of the resample at a site. Of a circular plan the blocks, and so (but
 * for rounding in a mean) the replicate, are those of stats_resample(). Uses storage of
 * the replicator: one thread at a time. */
double stats_block_replicate(struct stats_block_replicator *replicator,
                             const struct stats_draw_site *site);

#endif
