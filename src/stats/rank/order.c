#include "stats/rank/order.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double trimmed_fraction = 0.2;

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

void stats_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

/* Ranges up to this length are partitioned without sampling first. */
enum { SAMPLED_LENGTH_MIN = 600, ROUNDS_MAX = 200 };

static void swap(double *values, ptrdiff_t i, ptrdiff_t j)
{
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
}

/* Where a sample around `rank` of the range [low, high] should lie for its own order
 * statistic to be a pivot close to the rank, on the side of the shorter part (Floyd and
 * Rivest 1975, algorithm 489). */
static void narrow_to_sample(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t rank)
{
    double length = (double)(*high - *low + 1);
    double before = (double)(rank - *low + 1);
    double logarithm = log(length);
    double size = 0.5 * exp(2.0 * logarithm / 3.0);
    double spread = 0.5 * sqrt(logarithm * size * (length - size) / length);
    double shift = before < length / 2.0 ? -spread : spread;
    ptrdiff_t from = rank - (ptrdiff_t)(before * size / length - shift);
    ptrdiff_t to = rank + (ptrdiff_t)((length - before) * size / length + shift);
    *low = from > *low ? from : *low;
    *high = to < *high ? to : *high;
}

/* One partition of [low, high] by the value at `rank`; returns where that value is
 * then, with nothing larger before it and nothing smaller behind it. */
static ptrdiff_t partition(double *values, ptrdiff_t low, ptrdiff_t high,
                           ptrdiff_t rank)
{
    double pivot = values[rank];
    ptrdiff_t i = low;
    ptrdiff_t j = high;
    swap(values, low, rank);
    bool ends_low = values[high] > pivot;
    if (ends_low) {
        swap(values, low, high);
    }
    while (i < j) {
        swap(values, i, j);
        i++;
        j--;
        while (values[i] < pivot) {
            i++;
        }
        while (values[j] > pivot) {
            j--;
        }
    }
    if (ends_low) {
        swap(values, low, j);
        return j;
    }
    swap(values, j + 1, high);
    return j + 1;
}

static void select_between(double *values, ptrdiff_t low, ptrdiff_t high,
                           ptrdiff_t rank)
{
    for (int rounds = 0; low < high; rounds++) {
        if (rounds == ROUNDS_MAX) { /* no contrived input may take quadratic time */
            stats_sort(values + low, (size_t)(high - low + 1));
            return;
        }
        if (high - low >= SAMPLED_LENGTH_MIN) {
            ptrdiff_t sample_low = low;
            ptrdiff_t sample_high = high;
            narrow_to_sample(&sample_low, &sample_high, rank);
            select_between(values, sample_low, sample_high, rank);
        }
        ptrdiff_t middle = partition(values, low, high, rank);
        if (middle <= rank) {
            low = middle + 1;
        }
        if (rank <= middle) {
            high = middle - 1;
        }
    }
}

void stats_select(double *values, size_t count, size_t rank)
{
    select_between(values, 0, (ptrdiff_t)count - 1, (ptrdiff_t)rank);
}

/* In four lanes: one would wait for itself. count >= 1. */
static double least(const double *values, size_t count)
{
    double lanes[4] = {values[0], values[0], values[0], values[0]};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t lane = 0; lane < 4; lane++) {
            lanes[lane] =
                values[i + lane] < lanes[lane] ? values[i + lane] : lanes[lane];
        }
    }
    for (; i < count; i++) {
        lanes[0] = values[i] < lanes[0] ? values[i] : lanes[0];
    }
    double low = lanes[1] < lanes[0] ? lanes[1] : lanes[0];
    double high = lanes[3] < lanes[2] ? lanes[3] : lanes[2];
    return high < low ? high : low;
}

double stats_interpolate(double low, double high, double share)
{
    double apart = high - low;
    return isfinite(apart) ? low + share * apart : (1.0 - share) * low + share * high;
}

/* values[sorted - 1] is in its place, nothing before it larger and nothing behind it
 * smaller, and `probability` not below the one it was put there for. Returns the new
 * `sorted`. */
static size_t quantile_behind(double *values, size_t count, size_t sorted,
                              double probability, double *ret_quantile)
{
    double position = (double)(count - 1) * probability;
    size_t below = (size_t)position;
    if (below >= sorted) {
        stats_select(values + sorted, count - sorted, below - sorted);
    }
    double quantile = values[below];
    double share = position - (double)below;
    if (share > 0.0) {
        double above = least(values + below + 1, count - below - 1);
        quantile = stats_interpolate(quantile, above, share);
    }
    *ret_quantile = quantile;
    return below + 1 > sorted ? below + 1 : sorted;
}

enum duet_code stats_quantiles_type7(double *values, size_t count,
                                     const double *probabilities, size_t quantiles,
                                     double *ret_quantiles, struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a quantile needs at least one value");
    }
    for (size_t q = 0; q < quantiles; q++) {
        if (!(probabilities[q] >= (q == 0 ? 0.0 : probabilities[q - 1]) &&
              probabilities[q] <= 1.0)) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "a quantile's probability must lie in [0, 1] and not below the one before it, got %g",
                probabilities[q]);
        }
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t sorted = 0;
    for (size_t q = 0; q < quantiles; q++) {
        sorted =
            quantile_behind(values, count, sorted, probabilities[q], &ret_quantiles[q]);
    }
    return DUET_OK;
}

enum duet_code stats_quantile_type7(double *values, size_t count, double probability,
                                    double *ret_quantile, struct duet_error *reterr)
{
    return stats_quantiles_type7(values, count, &probability, 1, ret_quantile, reterr);
}

size_t stats_trimmed_cut(size_t count)
{
    return (size_t)(trimmed_fraction * (double)count);
}

struct weighted {
    double value;
    uint32_t weight;
};

static int compare_weighted(const void *left, const void *right)
{
    double a = ((const struct weighted *)left)->value;
    double b = ((const struct weighted *)right)->value;
    return (a > b) - (a < b);
}

enum duet_code stats_weighted_median(const double *values, const uint32_t *weights,
                                     size_t count, double *ret_median,
                                     struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a median needs at least one value");
    }
    struct weighted *sorted = alloc_array(count, sizeof *sorted);
    if (sorted == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    uint64_t whole = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct weighted){values[i], weights[i]};
        whole += weights[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_weighted);
    size_t lower = 0;
    uint64_t up_to = sorted[0].weight;
    while (2 * up_to < whole) {
        up_to += sorted[++lower].weight;
    }
    size_t upper = lower + (2 * up_to == whole ? 1 : 0);
    *ret_median = 0.5 * sorted[lower].value + 0.5 * sorted[upper].value;
    free(sorted);
    return DUET_OK;
}

static enum duet_code mean_between(double *values, size_t count, size_t cut,
                                   double *ret_mean, struct duet_error *reterr)
{
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t kept = count - 2 * cut;
    if (cut > 0) {
        stats_select(values, count, cut);
        stats_select(values + cut, count - cut, kept - 1);
    }
    return stats_mean(values + cut, kept, ret_mean, reterr);
}

enum duet_code stats_location_estimate(enum stats_location location, double *values,
                                       size_t count, double *ret_location,
                                       struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a location needs at least one value");
    }
    switch (location) {
    case STATS_LOCATION_MEAN:
        return stats_mean(values, count, ret_location, reterr);
    case STATS_LOCATION_TRIMMED:
        return mean_between(values, count, stats_trimmed_cut(count), ret_location,
                            reterr);
    case STATS_LOCATION_MEDIAN:
        return stats_quantile_type7(values, count, 0.5, ret_location, reterr);
    }
    return error_set(reterr, DUET_E_INTERNAL, "unknown location %d", (int)location);
}

void stats_sorted_insert(double *sorted, size_t count, double value)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(sorted + low + 1, sorted + low, (count - low) * sizeof *sorted);
    sorted[low] = value;
}
