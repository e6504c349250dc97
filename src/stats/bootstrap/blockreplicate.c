#include "stats/bootstrap/blockreplicate.h"

#include "base/alloc.h"
#include "stats/bootstrap/draw.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As the samplers of blocks: all starts from one source, the last block's from another.
 */
enum { PART_STARTS = 0, PART_LAST = 1, STARTS_AT_ONCE = 256 };

/* The tail that is counted is what the quantile needs in the sample itself and as much
 * again; a resample that has less of it is counted whole. */
static const double tail_times = 1.5;
enum { TAIL_SPARE = 8 };

struct stats_block_replicator {
    struct stats_block_plan plan;
    size_t count;
    size_t total; /* values of a resample */
    bool is_mean;
    /* Means: sums of the blocks by their start. */
    double *whole;
    double *last;
    /* Quantiles: the values from the quantile's end of the series inwards, and of all
     * places (the series twice in a row) the ranks in that order. The first `tail`
     * ranks are the tail: tail_ranks lists those of the tail's places one after the
     * other, and tail_from[i] how many stand before place i. */
    double *ordered;
    uint32_t *ranks;
    uint32_t *tail_ranks;
    uint32_t *tail_from;
    uint32_t *times;
    size_t tail;
    bool from_top;
    size_t rank;  /* of the nearer of the two order statistics, from that end */
    double share; /* of the farther one */
};

struct stats_block_plan stats_block_plan_circular(size_t count, double block_length)
{
    double whole = fmin(fmax(round(block_length), 1.0), (double)count);
    size_t length = (size_t)whole;
    size_t blocks = length == 0 ? 0 : (count + length - 1) / length;
    return (struct stats_block_plan){
        length, blocks, blocks == 0 ? 0 : count - (blocks - 1) * length, count};
}

static enum duet_code check(const double *values, size_t count,
                            const struct stats_block_plan *plan,
                            const struct stats_statistic *statistic,
                            struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "no value to draw blocks from");
    }
    bool is_quantile = statistic->kind == STATS_STATISTIC_QUANTILE;
    if (is_quantile && !(statistic->fraction >= 0.0 && statistic->fraction <= 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a quantile's probability lies in [0, 1], got %g",
                         statistic->fraction);
    }
    if (!is_quantile && statistic->kind != STATS_STATISTIC_MEAN) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "blocks are resampled for means and quantiles only");
    }
    if (count > INT32_MAX || plan->blocks == 0 || plan->blocks > INT32_MAX ||
        plan->length == 0 || plan->length > count || plan->last_length == 0 ||
        plan->last_length > plan->length || plan->starts == 0 || plan->starts > count) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "%zu blocks of %zu values from %zu places do not fit into a series of %zu",
            plan->blocks, plan->length, plan->starts, count);
    }
    return stats_check_summable(values, count, plan->blocks * plan->length, reterr);
}

/* Sums of `length` values from each start, by a difference of compensated sums. */
static void fill_sums(const double *values, size_t count, size_t starts, size_t length,
                      double *ret_sums)
{
    struct stats_sum sum = {0};
    for (size_t i = 0; i < length; i++) {
        stats_sum_add(&sum, values[i < count ? i : i - count]);
    }
    for (size_t start = 0; start < starts; start++) {
        size_t next = start + length;
        ret_sums[start] = stats_sum_value(&sum);
        stats_sum_add(&sum, -values[start]);
        stats_sum_add(&sum, values[next < count ? next : next - count]);
    }
}

/* Which order statistics the quantile lies between, and from which end of the order it
 * is nearer to count. */
static void take_quantile(struct stats_block_replicator *made, double probability)
{
    double rank = probability * (double)(made->total - 1);
    size_t below = (size_t)floor(rank);
    double share = rank - floor(rank);
    made->from_top = probability > 0.5;
    made->rank = below;
    made->share = share;
    if (made->from_top) {
        made->rank = made->total - 1 - below;
        if (share > 0.0) {
            made->rank--;
            made->share = 1.0 - share;
        }
    }
    double needed =
        (double)(made->rank + 2) * (double)made->count / (double)made->total;
    size_t tail = (size_t)(tail_times * needed) + TAIL_SPARE;
    made->tail = tail < made->count ? tail : made->count;
}

static enum duet_code fill_order(struct stats_block_replicator *made,
                                 const double *values,
                                 const struct stats_statistic *statistic,
                                 struct duet_error *reterr)
{
    size_t count = made->count;
    struct stats_column column = {0};
    enum duet_code code =
        stats_column_init(values, count, statistic, false, NULL, &column, reterr);
    if (code != DUET_OK) {
        return code;
    }
    uint32_t listed = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        size_t sorted = column.ranks[i < count ? i : i - count];
        uint32_t rank = (uint32_t)(made->from_top ? count - 1 - sorted : sorted);
        made->ordered[rank] = column.sorted[sorted];
        made->ranks[i] = rank;
        made->tail_from[i] = listed;
        if (rank < made->tail) {
            made->tail_ranks[listed++] = rank;
        }
    }
    made->tail_from[2 * count] = listed;
    stats_column_release(&column);
    return DUET_OK;
}

static enum duet_code fill(struct stats_block_replicator *made, const double *values,
                           const struct stats_statistic *statistic,
                           struct duet_error *reterr)
{
    size_t count = made->count;
    size_t starts = made->plan.starts;
    if (made->is_mean) {
        made->whole = alloc_array(starts, sizeof(double));
        made->last = alloc_array(starts, sizeof(double));
        if (made->whole == NULL || made->last == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "no memory for the sums of blocks");
        }
        fill_sums(values, count, starts, made->plan.length, made->whole);
        fill_sums(values, count, starts, made->plan.last_length, made->last);
        return DUET_OK;
    }
    made->ordered = alloc_array(count, sizeof(double));
    made->ranks = alloc_array(2 * count, sizeof(uint32_t));
    made->tail_ranks = alloc_array(2 * count, sizeof(uint32_t));
    made->tail_from = alloc_array(2 * count + 1, sizeof(uint32_t));
    made->times = alloc_array(count, sizeof(uint32_t));
    if (made->ordered == NULL || made->ranks == NULL || made->tail_ranks == NULL ||
        made->tail_from == NULL || made->times == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the ranks of %zu values",
                         count);
    }
    return fill_order(made, values, statistic, reterr);
}

enum duet_code stats_block_replicator_new(
    const double *values, size_t count, const struct stats_block_plan *plan,
    const struct stats_statistic *statistic,
    struct stats_block_replicator **ret_replicator, struct duet_error *reterr)
{
    enum duet_code code = check(values, count, plan, statistic, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_block_replicator *made = alloc_array(1, sizeof *made);
    if (made == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to draw blocks");
    }
    made->plan = *plan;
    made->count = count;
    made->total = (plan->blocks - 1) * plan->length + plan->last_length;
    made->is_mean = statistic->kind == STATS_STATISTIC_MEAN;
    if (!made->is_mean) {
        take_quantile(made, statistic->fraction);
    }
    code = fill(made, values, statistic, reterr);
    if (code != DUET_OK) {
        stats_block_replicator_free(made);
        return code;
    }
    *ret_replicator = made;
    return DUET_OK;
}

void stats_block_replicator_free(struct stats_block_replicator *replicator)
{
    if (replicator != NULL) {
        free(replicator->whole);
        free(replicator->last);
        free(replicator->ordered);
        free(replicator->ranks);
        free(replicator->tail_ranks);
        free(replicator->tail_from);
        free(replicator->times);
        free(replicator);
    }
}

static double mean_of(const struct stats_block_replicator *replicator,
                      struct stats_source *source, const struct stats_bound *bound,
                      uint32_t last)
{
    static const size_t from_the_first = 0;
    double lanes[STATS_LANES] = {0};
    if (replicator->plan.blocks > 1) {
        stats_draw_sums(source, bound, replicator->whole, &from_the_first, 1,
                        replicator->plan.blocks - 1, lanes);
    }
    return (stats_lanes_sum(lanes) + replicator->last[last]) /
           (double)replicator->total;
}

/* Counts the drawn values of the tail, or (whole) all of them; how many there were. */
static size_t tally_block(struct stats_block_replicator *replicator, uint32_t start,
                          size_t length, bool whole)
{
    uint32_t *times = replicator->times;
    size_t from = whole ? start : replicator->tail_from[start];
    size_t to = whole ? start + length : replicator->tail_from[start + length];
    const uint32_t *ranks = whole ? replicator->ranks : replicator->tail_ranks;
    for (size_t i = from; i < to; i++) {
        times[ranks[i]]++;
    }
    return to - from;
}

static size_t tally(struct stats_block_replicator *replicator,
                    struct stats_source *source, const struct stats_bound *bound,
                    uint32_t last, bool whole)
{
    const struct stats_block_plan *plan = &replicator->plan;
    uint32_t starts[STARTS_AT_ONCE];
    size_t counted = tally_block(replicator, last, plan->last_length, whole);
    size_t left = plan->blocks - 1;
    while (left > 0) {
        size_t now = left < STARTS_AT_ONCE ? left : STARTS_AT_ONCE;
        stats_draw_indices(source, bound, starts, now);
        for (size_t i = 0; i < now; i++) {
            counted += tally_block(replicator, starts[i], plan->length, whole);
        }
        left -= now;
    }
    return counted;
}

/* The quantile of what was tallied, of which there is enough. */
static double quantile_of(const struct stats_block_replicator *replicator)
{
    const uint32_t *times = replicator->times;
    size_t needed = replicator->rank + 1;
    size_t rank = 0;
    size_t seen = times[0];
    while (seen < needed) {
        seen += times[++rank];
    }
    double near = replicator->ordered[rank];
    if (!(replicator->share > 0.0)) {
        return near;
    }
    while (seen < needed + 1) {
        seen += times[++rank];
    }
    double far = replicator->ordered[rank];
    return replicator->from_top ? stats_interpolate(far, near, 1.0 - replicator->share)
                                : stats_interpolate(near, far, replicator->share);
}

/* Begins the replicate's draws: the last block's, then the source of all others. */
static uint32_t begin(const struct stats_block_replicator *replicator,
                      const struct stats_draw_site *site,
                      const struct stats_bound *bound, struct stats_source *source)
{
    uint32_t last = 0;
    stats_source_init(source, site->seed, site->stream, site->part + PART_LAST, 1,
                      site->simd);
    stats_draw_indices(source, bound, &last, 1);
    stats_source_init(source, site->seed, site->stream, site->part + PART_STARTS,
                      stats_bound_rows(bound, replicator->plan.blocks), site->simd);
    return last;
}

double stats_block_replicate(struct stats_block_replicator *replicator,
                             const struct stats_draw_site *site)
{
    struct stats_bound bound = stats_bound_of((uint32_t)replicator->plan.starts);
    struct stats_source source;
    uint32_t last = begin(replicator, site, &bound, &source);
    if (replicator->is_mean) {
        return mean_of(replicator, &source, &bound, last);
    }
    size_t needed = replicator->rank + 1 + (replicator->share > 0.0 ? 1 : 0);
    memset(replicator->times, 0, replicator->tail * sizeof *replicator->times);
    if (tally(replicator, &source, &bound, last, false) < needed) {
        memset(replicator->times, 0, replicator->count * sizeof *replicator->times);
        last = begin(replicator, site, &bound, &source);
        (void)tally(replicator, &source, &bound, last, true);
    }
    return quantile_of(replicator);
}
