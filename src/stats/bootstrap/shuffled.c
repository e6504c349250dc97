#include "stats/bootstrap/shuffled.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/bootstrap/draw.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Shuffles that are resampled together, under the same draws. */
enum { SHUFFLES_AT_ONCE = STATS_COLUMNS_MAX };

/* Replicates to select from below which threads cost more than they save. */
enum { SELECTED_MANY = 1 << 17 };

struct scratch {
    size_t *partner;    /* a run of `to` for each run of `from` */
    size_t *order;      /* iterations of the longer run */
    double *logs;       /* log ratios of one pair of runs */
    double *estimates;  /* runs x SHUFFLES_AT_ONCE, row by row */
    double *replicates; /* SHUFFLES_AT_ONCE x replicates */
    double *widths;     /* one a shuffle */
};

static void scratch_release(struct scratch *scratch)
{
    free(scratch->partner);
    free(scratch->order);
    free(scratch->logs);
    free(scratch->estimates);
    free(scratch->replicates);
    free(scratch->widths);
}

static enum duet_code scratch_init(struct scratch *ret_scratch, size_t runs,
                                   size_t longest, size_t shuffles, size_t replicates,
                                   struct duet_error *reterr)
{
    struct scratch made = {
        .partner = alloc_array(runs, sizeof *made.partner),
        .order = alloc_array(longest, sizeof *made.order),
        .logs = alloc_array(longest, sizeof *made.logs),
        .estimates = alloc_array(runs, SHUFFLES_AT_ONCE * sizeof *made.estimates),
        .replicates =
            alloc_array(replicates, SHUFFLES_AT_ONCE * sizeof *made.replicates),
        .widths = alloc_array(shuffles, sizeof *made.widths),
    };
    if (made.partner == NULL || made.order == NULL || made.logs == NULL ||
        made.estimates == NULL || made.replicates == NULL || made.widths == NULL) {
        scratch_release(&made);
        return error_set(reterr, DUET_E_NOMEM,
                         "no memory for the shuffled control of %zu runs", runs);
    }
    *ret_scratch = made;
    return DUET_OK;
}

/* Shuffling one side's iterations is as random as shuffling both: the longer one's, so
 * that a different part of it is left out each time. */
static enum duet_code
pair_estimate(const struct stats_run *from, const struct stats_run *to,
              enum stats_location location, struct random_stream *stream,
              struct scratch *scratch, double *ret_estimate, struct duet_error *reterr)
{
    const struct stats_run *longer = from->count > to->count ? from : to;
    const struct stats_run *shorter = longer == from ? to : from;
    double sign = longer == to ? 1.0 : -1.0;
    for (size_t i = 0; i < longer->count; i++) {
        scratch->order[i] = i;
    }
    random_shuffle(stream, scratch->order, longer->count);
    for (size_t i = 0; i < shorter->count; i++) {
        scratch->logs[i] =
            sign * (longer->values[scratch->order[i]] - shorter->values[i]);
    }
    return stats_location_estimate(location, scratch->logs, shorter->count,
                                   ret_estimate, reterr);
}

static enum duet_code shuffle(const struct stats_runs *from,
                              const struct stats_runs *to, enum stats_location location,
                              struct random_stream *stream, struct scratch *scratch,
                              size_t column, size_t columns, struct duet_error *reterr)
{
    stats_draw_derangement(stream, scratch->partner, from->count);
    for (size_t r = 0; r < from->count; r++) {
        enum duet_code code = pair_estimate(
            &from->runs[r], &to->runs[scratch->partner[r]], location, stream, scratch,
            &scratch->estimates[r * columns + column], reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}

/* The widths of the intervals of some shuffles' replicates. */
struct measuring {
    const struct scratch *scratch;
    size_t replicates;
    double level;
    double *widths;
};

static enum duet_code measure_some(void *context, size_t first, size_t end,
                                   size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct measuring *all = context;
    for (size_t column = first; column < end; column++) {
        struct stats_interval interval = {0};
        enum duet_code code = stats_interval_percentile(
            all->scratch->replicates + column * all->replicates, all->replicates,
            all->level, &interval, NULL);
        if (code != DUET_OK) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "the shuffled control has no interval of confidence %g",
                             all->level);
        }
        all->widths[column] = exp(interval.high) - exp(interval.low);
    }
    return DUET_OK;
}

/* Shuffles may all be the same one: of two runs of an iteration there is no other. */
static bool are_alike(const double *estimates, size_t runs, size_t columns)
{
    for (size_t i = 0; i < runs * columns; i++) {
        double first = estimates[i - i % columns];
        if (!(estimates[i] >= first && estimates[i] <= first)) {
            return false;
        }
    }
    return true;
}

/* The widths of shuffles first..first + columns - 1. */
static enum duet_code widths_of(const struct stats_runs *from,
                                const struct stats_runs *to,
                                enum stats_location location, size_t first,
                                size_t columns, double level,
                                const struct stats_resampling *how,
                                struct scratch *scratch, struct duet_error *reterr)
{
    for (size_t column = 0; column < columns; column++) {
        struct random_stream stream =
            random_stream_at(how->seed, how->stream + how->replicates + first + column);
        enum duet_code code =
            shuffle(from, to, location, &stream, scratch, column, columns, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    size_t shuffles = columns;
    if (are_alike(scratch->estimates, from->count, columns)) {
        columns = 1;
        for (size_t r = 0; r < from->count; r++) {
            scratch->estimates[r] = scratch->estimates[r * shuffles];
        }
    }
    enum duet_code code = stats_bootstrap_means(
        scratch->estimates, from->count, columns, how, scratch->replicates, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool many = columns * how->replicates > SELECTED_MANY;
    struct measuring all = {scratch, how->replicates, level, scratch->widths + first};
    const struct threads_loop loop = {.count = columns,
                                      .threads = many ? threads_usual() : 1,
                                      .body = measure_some,
                                      .context = &all};
    code = threads_for(&loop, reterr);
    for (size_t i = columns; code == DUET_OK && i < shuffles; i++) {
        scratch->widths[first + i] = scratch->widths[first];
    }
    return code;
}

static enum duet_code check(const struct stats_runs *from, const struct stats_runs *to,
                            size_t shuffles, size_t *ret_longest,
                            struct duet_error *reterr)
{
    if (from->count < 2 || from->count != to->count) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "shuffling needs the same number of runs of both sides, at least two, got %zu and %zu",
            from->count, to->count);
    }
    if (shuffles == 0) {
        return error_set(reterr, DUET_E_DOMAIN, "at least one shuffle is needed");
    }
    size_t longest = 0;
    for (size_t r = 0; r < from->count; r++) {
        longest = from->runs[r].count > longest ? from->runs[r].count : longest;
        longest = to->runs[r].count > longest ? to->runs[r].count : longest;
    }
    *ret_longest = longest;
    return DUET_OK;
}

enum duet_code stats_shuffled_width(const struct stats_runs *from,
                                    const struct stats_runs *to,
                                    enum stats_location location, size_t shuffles,
                                    double level, const struct stats_resampling *how,
                                    double *ret_width, struct duet_error *reterr)
{
    size_t longest = 0;
    struct scratch scratch = {0};
    enum duet_code code = check(from, to, shuffles, &longest, reterr);
    if (code == DUET_OK) {
        code = scratch_init(&scratch, from->count, longest, shuffles, how->replicates,
                            reterr);
    }
    for (size_t first = 0; first < shuffles && code == DUET_OK;
         first += SHUFFLES_AT_ONCE) {
        size_t left = shuffles - first;
        size_t columns = left < SHUFFLES_AT_ONCE ? left : SHUFFLES_AT_ONCE;
        code =
            widths_of(from, to, location, first, columns, level, how, &scratch, reterr);
    }
    if (code == DUET_OK) {
        code = stats_quantile_type7(scratch.widths, shuffles, 0.5, ret_width, reterr);
    }
    scratch_release(&scratch);
    return code;
}
