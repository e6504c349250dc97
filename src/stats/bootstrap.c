#include "stats/bootstrap.h"

#include "base/alloc.h"
#include "stats/draw.h"
#include "stats/moments.h"
#include "stats/order.h"

#include <stdbool.h>
#include <stdlib.h>

enum { DRAWS_AT_ONCE = 64 };

static double resampled_sum(const double *values, uint32_t count,
                            struct random_stream *stream)
{
    uint32_t drawn[DRAWS_AT_ONCE];
    double sum = 0.0;
    for (uint32_t done = 0; done < count;) {
        uint32_t draws = count - done < DRAWS_AT_ONCE ? count - done : DRAWS_AT_ONCE;
        stats_draw_indices(stream, count, drawn, draws);
        for (uint32_t i = 0; i < draws; i++) {
            sum += values[drawn[i]];
        }
        done += draws;
    }
    return sum;
}

/* The same draws and the same order of additions, for every column. */
static void resampled_sums(const double *values, uint32_t count, size_t columns,
                           struct random_stream *stream, double *sums)
{
    uint32_t drawn[DRAWS_AT_ONCE];
    for (size_t column = 0; column < columns; column++) {
        sums[column] = 0.0;
    }
    for (uint32_t done = 0; done < count;) {
        uint32_t draws = count - done < DRAWS_AT_ONCE ? count - done : DRAWS_AT_ONCE;
        stats_draw_indices(stream, count, drawn, draws);
        for (uint32_t i = 0; i < draws; i++) {
            const double *row = values + drawn[i] * columns;
            for (size_t column = 0; column < columns; column++) {
                sums[column] += row[column];
            }
        }
        done += draws;
    }
}

static enum duet_code check(const double *values, size_t count, size_t columns,
                            const struct stats_resampling *how,
                            struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a bootstrap needs at least one value");
    }
    if (count > UINT32_MAX || columns == 0 || columns > STATS_COLUMNS_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a bootstrap takes fewer than 2^32 values and 1 to %d columns, "
            "got %zu and %zu",
            STATS_COLUMNS_MAX, count, columns);
    }
    if (how->replicates == 0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a bootstrap needs at least one replicate");
    }
    return stats_check_finite(values, count * columns, reterr);
}

enum duet_code stats_bootstrap_means(const double *values, size_t count, size_t columns,
                                     const struct stats_resampling *how,
                                     double *ret_replicates, struct duet_error *reterr)
{
    enum duet_code code = check(values, count, columns, how, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t replicates = how->replicates;
    bool many = (double)replicates * (double)count > STATS_PARALLEL_DRAWS;
#pragma omp parallel for schedule(static) if (many)
    for (size_t b = 0; b < replicates; b++) {
        struct random_stream stream = random_stream_at(how->seed, how->stream + b);
        if (columns == 1) {
            double sum = resampled_sum(values, (uint32_t)count, &stream);
            ret_replicates[b] = sum / (double)count;
            continue;
        }
        double sums[STATS_COLUMNS_MAX];
        resampled_sums(values, (uint32_t)count, columns, &stream, sums);
        for (size_t column = 0; column < columns; column++) {
            ret_replicates[column * replicates + b] = sums[column] / (double)count;
        }
    }
    return DUET_OK;
}

enum duet_code stats_interval_percentile(double *replicates, size_t count, double level,
                                         struct stats_interval *ret_interval,
                                         struct duet_error *reterr)
{
    if (!(level > 0.0 && level < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "an interval's confidence must lie between 0 and 1, got %g",
                         level);
    }
    double tail = (1.0 - level) / 2.0;
    struct stats_interval interval = {0};
    enum duet_code code =
        stats_quantile_type7(replicates, count, tail, &interval.low, reterr);
    if (code == DUET_OK) {
        code =
            stats_quantile_type7(replicates, count, 1.0 - tail, &interval.high, reterr);
    }
    if (code == DUET_OK) {
        *ret_interval = interval;
    }
    return code;
}

enum duet_code stats_bootstrap_percentile(const double *values, size_t count,
                                          double level,
                                          const struct stats_resampling *how,
                                          struct stats_interval *ret_interval,
                                          struct duet_error *reterr)
{
    if (count < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a bootstrap interval needs at least two values, got %zu",
                         count);
    }
    double *replicates = alloc_array(how->replicates, sizeof *replicates);
    if (replicates == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu bootstrap replicates",
                         how->replicates);
    }
    enum duet_code code =
        stats_bootstrap_means(values, count, 1, how, replicates, reterr);
    if (code == DUET_OK) {
        code = stats_interval_percentile(replicates, how->replicates, level,
                                         ret_interval, reterr);
    }
    free(replicates);
    return code;
}
