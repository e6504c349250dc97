#include "analysis/series_estimate.h"

#include "analysis/random_uses.h"
#include "analysis/stop/stop_rule.h"
#include "base/alloc.h"
#include "base/simd.h"
#include "stats/bootstrap/blocklength.h"
#include "stats/bootstrap/blockreplicate.h"
#include "stats/bootstrap/bootstrap.h"

#include <math.h>
#include <stdlib.h>

static enum duet_code
interval_of(const struct stats_statistic *statistic, const double *values, size_t count,
            double block_length, double confidence, size_t replicates, uint64_t seed,
            struct stats_interval *ret_interval, struct duet_error *reterr)
{
    struct stats_block_replicator *replicator = NULL;
    struct stats_block_plan plan = stats_block_plan_circular(count, block_length);
    double *made = alloc_array(replicates, sizeof *made);
    if (made == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu replicates",
                         replicates);
    }
    enum duet_code code = stats_block_replicator_new(values, count, &plan, statistic,
                                                     &replicator, reterr);
    enum simd_level simd = simd_usable(SIMD_BEST);
    for (size_t b = 0; b < replicates && code == DUET_OK; b++) {
        struct stats_draw_site site = {seed, analysis_stream(ANALYSIS_USE_SERIES) + b,
                                       0, simd};
        made[b] = stats_block_replicate(replicator, &site);
    }
    if (code == DUET_OK) {
        code = stats_interval_percentile(made, replicates, confidence, ret_interval,
                                         reterr);
    }
    stats_block_replicator_free(replicator);
    free(made);
    return code;
}

enum duet_code analysis_series_estimate(const struct stats_statistic *statistic,
                                        const double *values, size_t count,
                                        double confidence, size_t replicates,
                                        uint64_t seed,
                                        struct analysis_series_estimate *ret_estimate,
                                        struct duet_error *reterr)
{
    struct analysis_series_estimate made = {.low = (double)NAN,
                                            .high = (double)NAN,
                                            .error = (double)NAN,
                                            .block_length = 1.0};
    struct stats_block_lengths lengths = {1.0, 1.0, 0.0};
    struct stats_interval interval = {(double)NAN, (double)NAN};
    enum duet_code code =
        analysis_stop_statistic(statistic, values, count, &made.value, reterr);
    if (code == DUET_OK && count >= STATS_BLOCK_LENGTH_VALUES_MIN) {
        code = stats_block_lengths_estimate(values, count, &lengths, reterr);
    }
    if (code == DUET_OK && count > 1) {
        code = interval_of(statistic, values, count, lengths.circular, confidence,
                           replicates, seed, &interval, reterr);
    }
    if (code == DUET_OK) {
        made.block_length = lengths.circular;
        made.low = interval.low;
        made.high = interval.high;
        made.error =
            fmax(made.value - interval.low, interval.high - made.value) / made.value;
        *ret_estimate = made;
    }
    return code;
}
