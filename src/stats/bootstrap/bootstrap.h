/* The bootstrap of a mean, and the percentile interval of any replicates.
 *
 * Replicate b draws from its own random stream, and every sum runs in one fixed order,
 * so that results are the same for any number of threads and any compiler. Resampling
 * (who is drawn) and intervals (what is made of the replicates) are separate: another
 * interval takes the same replicates, another resampling feeds the same intervals. */
#ifndef DUET_STATS_BOOTSTRAP_H
#define DUET_STATS_BOOTSTRAP_H

#include "base/error.h"
#include "base/simd.h"

#include <stddef.h>
#include <stdint.h>

struct stats_interval {
    double low;
    double high;
};

struct stats_resampling {
    uint64_t seed;
    uint64_t stream;   /* the first of the random streams that belong to this use */
    size_t replicates; /* >= 1 */
    /* Never changes a result; tests and measurements choose. */
    enum simd_level simd;
};

/* Draws below which threads cost more than they save: starting one takes as long as
 * about 40,000 draws. */
enum { STATS_PARALLEL_DRAWS = 1 << 20 };

enum { STATS_COLUMNS_MAX = 32 };

/* Means of resamples, for several columns of data under the same draws.
 * values: count rows of `columns` values each; rows are drawn with replacement.
 * ret_replicates: `columns` rows of how->replicates means.
 * Streams: how->stream + b for replicate b. O(count * replicates * columns).
 * Errors: DUET_E_TOO_FEW (count 0), DUET_E_DOMAIN (no replicate, columns outside
 * 1..STATS_COLUMNS_MAX, 2^32 values or more, one not finite or too large to be added
 * up), DUET_E_NOMEM (several columns: a copy of the values). */
BASE_MUST_USE enum duet_code stats_bootstrap_means(const double *values, size_t count,
                                                   size_t columns,
                                                   const struct stats_resampling *how,
                                                   double *ret_replicates,
                                                   struct duet_error *reterr);

/* The central `level` of the replicates, by type 7 quantiles. `replicates` is
 * reordered. Errors: DUET_E_TOO_FEW (no replicate), DUET_E_DOMAIN (level outside (0,
 * 1)). */
BASE_MUST_USE enum duet_code
stats_interval_percentile(double *replicates, size_t count, double level,
                          struct stats_interval *ret_interval,
                          struct duet_error *reterr);

/* Percentile-bootstrap interval of the mean. values: count >= 2, borrowed; with the log
 * ratios of runs this is the paper's interval on the logarithmic scale.
 * Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN, DUET_E_NOMEM.
 * Source: Bulej 2020, section 3, step 5. Deviation: quantiles are interpolated between
 * logarithms, not between ratios. */
BASE_MUST_USE enum duet_code
stats_bootstrap_percentile(const double *values, size_t count, double level,
                           const struct stats_resampling *how,
                           struct stats_interval *ret_interval,
                           struct duet_error *reterr);

#endif
