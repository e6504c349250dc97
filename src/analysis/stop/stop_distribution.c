/* PT4Cloud: is the whole distribution stable? He 2019 as He 2021 tells of it: a test
 * ends when another interval does not change the distribution by more than the allowed
 * error, "i.e., most of the percentiles". What that is taken to mean here: the
 * percentiles 5, 10, ... 95, each compared as Metior compares one, but by the basic
 * bootstrap, which He 2019 rests on, must all have changed by less than the error. The
 * change's interval comes from those of the two percentiles (Zou and Donner 2008,
 * "Construction of confidence intervals about effect measures", eq. 3). */
#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A percentile of the grid with its interval. */
struct known {
    double value, low, high;
};

static void fill_grid(const struct stop_test *test, size_t days, double *sorted,
                      struct known *ret_grid)
{
    size_t points = days * test->stopper->day;
    memcpy(sorted, test->values, points * sizeof *sorted);
    stats_sort(sorted, points);
    const uint32_t *ranks = &test->stopper->ranks[2 * (days - 1) * STOP_GRID];
    for (size_t i = 0; i < STOP_GRID; i++) {
        double rank = (double)((i + 1) * (points - 1)) / (STOP_GRID + 1);
        size_t below = (size_t)floor(rank);
        double value = sorted[below];
        if (below + 1 < points) {
            value += (rank - floor(rank)) * (sorted[below + 1] - sorted[below]);
        }
        ret_grid[i] =
            (struct known){value, sorted[ranks[2 * i]], sorted[ranks[2 * i + 1]]};
    }
}

/* The widest of the intervals of the percentiles' relative changes. */
static void widest_change(const struct known *before, const struct known *after,
                          double *ret_low, double *ret_high)
{
    *ret_low = 0.0;
    *ret_high = 0.0;
    for (size_t i = 0; i < STOP_GRID; i++) {
        double changed = after[i].value - before[i].value;
        double down =
            hypot(after[i].value - after[i].low, before[i].high - before[i].value);
        double up =
            hypot(after[i].high - after[i].value, before[i].value - before[i].low);
        *ret_low = fmin(*ret_low, (changed - down) / before[i].value);
        *ret_high = fmax(*ret_high, (changed + up) / before[i].value);
    }
}

enum duet_code stop_by_distribution(struct stop_test *test, struct duet_error *reterr)
{
    size_t day = test->stopper->day;
    struct known grids[2][STOP_GRID];
    double *sorted = alloc_array(test->count, sizeof *sorted);
    if (sorted == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    if (day <= test->count) {
        fill_grid(test, 1, sorted, grids[1]);
    }
    for (size_t days = 2; test->pending > 0 && days * day <= test->count; days++) {
        double low = 0.0;
        double high = 0.0;
        fill_grid(test, days, sorted, grids[days % 2]);
        widest_change(grids[(days - 1) % 2], grids[days % 2], &low, &high);
        stop_within(test, low, high, false, days * day, (days - 1) * day);
    }
    free(sorted);
    return DUET_OK;
}
