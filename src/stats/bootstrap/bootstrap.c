#include "stats/bootstrap/bootstrap.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/bootstrap/draw.h"
#include "stats/bootstrap/drawsmall.h"
#include "stats/bootstrap/rows.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double resampled_sum(const double *values, const struct stats_bound *bound,
                            const struct stats_resampling *how, size_t replicate)
{
    static const size_t from_the_first = 0;
    struct stats_source source;
    double lanes[STATS_LANES] = {0};
    stats_source_init(&source, how->seed, how->stream + replicate, 0,
                      stats_bound_rows(bound, bound->bound), how->simd);
    stats_draw_sums(&source, bound, values, &from_the_first, 1, bound->bound, lanes);
    return stats_lanes_sum(lanes);
}

/* The same draws and the same order of additions, for every column. `table`: rows of
 * `width` columns, a whole number of vectors. */
static void resampled_sums(const double *table, size_t width,
                           const struct stats_bound *bound,
                           const struct stats_resampling *how, size_t replicate,
                           double *sums)
{
    uint32_t drawn[STATS_ROWS_AT_ONCE];
    double lanes[STATS_COLUMNS_MAX * STATS_LANES];
    struct stats_source source;
    stats_source_init(&source, how->seed, how->stream + replicate, 0,
                      stats_bound_rows(bound, bound->bound), how->simd);
    memset(lanes, 0, width * STATS_LANES * sizeof *lanes);
    for (uint32_t done = 0; done < bound->bound;) {
        uint32_t left = bound->bound - done;
        uint32_t draws = left < STATS_ROWS_AT_ONCE ? left : STATS_ROWS_AT_ONCE;
        stats_draw_indices(&source, bound, drawn, draws);
        stats_rows_add(table, width, drawn, draws, source.simd, lanes);
        done += draws;
    }
    stats_rows_sum(lanes, width, sums);
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
            "a bootstrap takes fewer than 2^32 values and 1 to %d columns, got %zu and %zu",
            STATS_COLUMNS_MAX, count, columns);
    }
    if (how->replicates == 0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a bootstrap needs at least one replicate");
    }
    return stats_check_summable(values, count * columns, count, reterr);
}

/* Replicates of means, of rows of columns or of one column. */
struct replication {
    const double *table;
    size_t width;
    size_t columns;
    const struct stats_bound *bound;
    const struct stats_resampling *how;
    double *replicates;
};

static void replicate(struct replication *replication, double draws, threads_body *body)
{
    threads_do(&(struct threads_loop){
        .count = replication->how->replicates,
        .threads = draws > STATS_PARALLEL_DRAWS ? threads_usual() : 1,
        .body = body,
        .context = replication});
}

static enum duet_code replicate_columns(void *context, size_t first, size_t end,
                                        size_t thread, struct duet_error *reterr)
{
    (void)thread;
    (void)reterr;
    const struct replication *all = context;
    for (size_t b = first; b < end; b++) {
        double sums[STATS_COLUMNS_MAX];
        resampled_sums(all->table, all->width, all->bound, all->how, b, sums);
        for (size_t column = 0; column < all->columns; column++) {
            all->replicates[column * all->how->replicates + b] =
                sums[column] / (double)all->bound->bound;
        }
    }
    return DUET_OK;
}

static enum duet_code means_of_columns(const double *values,
                                       const struct stats_bound *bound, size_t columns,
                                       const struct stats_resampling *how,
                                       double *ret_replicates,
                                       struct duet_error *reterr)
{
    size_t count = bound->bound;
    size_t width = stats_rows_width(columns);
    double *table = alloc_array(count, width * sizeof *table);
    if (table == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu rows of %zu columns",
                         count, columns);
    }
    for (size_t row = 0; row < count; row++) {
        memcpy(table + row * width, values + row * columns, columns * sizeof *table);
    }
    struct replication all = {table, width, columns, bound, how, ret_replicates};
    replicate(&all,
              (double)how->replicates * (double)count * (double)columns / STATS_LANES,
              replicate_columns);
    free(table);
    return DUET_OK;
}

static enum duet_code replicate_column(void *context, size_t first, size_t end,
                                       size_t thread, struct duet_error *reterr)
{
    (void)thread;
    (void)reterr;
    const struct replication *all = context;
    const struct stats_resampling *how = all->how;
    size_t count = all->bound->bound;
    bool few = count <= STATS_SMALL_MAX;
    for (size_t b = first; b < end; b++) {
        double sum = few ? stats_draw_small_sum(all->table, all->bound, how->seed,
                                                how->stream + b)
                         : resampled_sum(all->table, all->bound, how, b);
        all->replicates[b] = sum / (double)count;
    }
    return DUET_OK;
}

enum duet_code stats_bootstrap_means(const double *values, size_t count, size_t columns,
                                     const struct stats_resampling *how,
                                     double *ret_replicates, struct duet_error *reterr)
{
    enum duet_code code = check(values, count, columns, how, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_bound bound = stats_bound_of((uint32_t)count);
    if (columns > 1) {
        return means_of_columns(values, &bound, columns, how, ret_replicates, reterr);
    }
    struct replication all = {values, 1, 1, &bound, how, ret_replicates};
    replicate(&all, (double)how->replicates * (double)count, replicate_column);
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
    const double tail = (1.0 - level) / 2.0;
    const double probabilities[2] = {tail, 1.0 - tail};
    double ends[2];
    enum duet_code code =
        stats_quantiles_type7(replicates, count, probabilities, 2, ends, reterr);
    if (code == DUET_OK) {
        *ret_interval = (struct stats_interval){ends[0], ends[1]};
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
