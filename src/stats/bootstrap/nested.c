#include "stats/bootstrap/nested.h"

#include "stats/bootstrap/draw.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { PART_VALUES = 0, PART_UNITS = 1, DRAWS_AT_ONCE = 256 };

static size_t sub_units(const struct stats_nested *data, size_t unit)
{
    return data->firsts[unit + 1] - data->firsts[unit];
}

size_t stats_nested_drawn_max(const struct stats_nested *data)
{
    size_t most = 0;
    for (size_t u = 0; u < data->units; u++) {
        most = sub_units(data, u) > most ? sub_units(data, u) : most;
    }
    return most * data->units;
}

/* Indices below `count`, several at a time; 0 without a draw where there is no choice.
 */
static void draw_indices(struct stats_source *source, size_t count, uint32_t *indices,
                         size_t wanted)
{
    if (count > 1) {
        struct stats_bound bound = stats_bound_of((uint32_t)count);
        stats_draw_indices(source, &bound, indices, wanted);
    } else {
        memset(indices, 0, wanted * sizeof *indices);
    }
}

/* Where the drawn sub-units are noted. */
struct drawn {
    size_t *offsets;
    size_t *counts;
    size_t count;
};

/* Sub-units of units[0..count), which have `size` each. */
static void draw_within(const struct stats_nested *data, struct stats_source *source,
                        const uint32_t *units, size_t count, size_t size,
                        struct drawn *drawn)
{
    uint32_t chosen[DRAWS_AT_ONCE];
    size_t held = 0;
    size_t taken = 0;
    size_t left = count * size;
    for (size_t unit = 0; unit < count; unit++) {
        for (size_t s = 0; s < size; s++) {
            if (taken == held) {
                held = left < DRAWS_AT_ONCE ? left : DRAWS_AT_ONCE;
                taken = 0;
                draw_indices(source, size, chosen, held);
            }
            size_t sub_unit = data->firsts[units[unit]] + chosen[taken++];
            drawn->offsets[drawn->count] = data->offsets[sub_unit];
            drawn->counts[drawn->count++] = data->counts[sub_unit];
            left--;
        }
    }
}

/* Which sub-units the resample has. */
static void draw_sub_units(const struct stats_nested *data,
                           const struct stats_resampling *how, size_t replicate,
                           struct drawn *drawn)
{
    struct stats_source source;
    uint32_t units[DRAWS_AT_ONCE];
    size_t expected = data->units + data->firsts[data->units];
    stats_source_init(&source, how->seed, how->stream + replicate, PART_UNITS,
                      expected / STATS_ROW_DRAWS_MAX + 2, how->simd);
    for (size_t done = 0; done < data->units;) {
        size_t left = data->units - done;
        size_t now = left < DRAWS_AT_ONCE ? left : DRAWS_AT_ONCE;
        draw_indices(&source, data->units, units, now);
        for (size_t from = 0; from < now;) {
            size_t size = sub_units(data, units[from]);
            size_t to = from + 1;
            while (to < now && sub_units(data, units[to]) == size) {
                to++;
            }
            draw_within(data, &source, units + from, to - from, size, drawn);
            from = to;
        }
        done += now;
    }
}

/* Sub-units of the same size that follow each other are drawn from together. */
static double sum_drawn(const double *values, const struct drawn *drawn, size_t total,
                        const struct stats_resampling *how, size_t replicate)
{
    struct stats_source source;
    double lanes[STATS_LANES] = {0};
    struct stats_bound bound = stats_bound_of((uint32_t)drawn->counts[0]);
    stats_source_init(&source, how->seed, how->stream + replicate, PART_VALUES,
                      stats_bound_rows(&bound, total), how->simd);
    for (size_t from = 0; from < drawn->count;) {
        size_t size = drawn->counts[from];
        size_t to = from + 1;
        while (to < drawn->count && drawn->counts[to] == size) {
            to++;
        }
        if (size != bound.bound) {
            bound = stats_bound_of((uint32_t)size);
        }
        stats_draw_sums(&source, &bound, values, drawn->offsets + from, to - from, size,
                        lanes);
        from = to;
    }
    return stats_lanes_sum(lanes);
}

void stats_nested_resample(const struct stats_nested *data,
                           const double *const *columns, size_t column_count,
                           const struct stats_resampling *how, size_t replicate,
                           size_t *scratch, double *ret_sums, size_t *ret_count)
{
    struct drawn drawn = {.offsets = scratch,
                          .counts = scratch + stats_nested_drawn_max(data)};
    size_t total = 0;
    draw_sub_units(data, how, replicate, &drawn);
    for (size_t s = 0; s < drawn.count; s++) {
        total += drawn.counts[s];
    }
    for (size_t c = 0; c < column_count; c++) {
        ret_sums[c] = sum_drawn(columns[c], &drawn, total, how, replicate);
    }
    *ret_count = total;
}

void stats_nested_means(const struct stats_nested *data, const double *values,
                        const struct stats_resampling *how, size_t *scratch,
                        double *ret_means)
{
    for (size_t b = 0; b < how->replicates; b++) {
        double sum = 0;
        size_t count = 0;
        stats_nested_resample(data, &values, 1, how, b, scratch, &sum, &count);
        ret_means[b] = sum / (double)count;
    }
}

/* Sums of squares, and the sizes that the expected ones depend on. */
struct analysis_of_variance {
    size_t values;
    size_t sub_units;
    struct stats_moments all;
    double within;
    double between_sub_units;
    double between_units;
    double sub_unit_squares; /* sum of n_s^2 */
    double unit_squares;     /* sum of n_u^2 */
    double shares;           /* sum over units of (sum of n_s^2) / n_u */
};

/* What merging groups adds to the squares is what lies between them. */
static void add_unit(const struct stats_nested *data, const double *values, size_t unit,
                     struct analysis_of_variance *found)
{
    struct stats_moments whole = {0};
    double within = 0;
    double squares = 0;
    for (size_t s = data->firsts[unit]; s < data->firsts[unit + 1]; s++) {
        struct stats_moments moments =
            stats_moments_of(values + data->offsets[s], data->counts[s]);
        double size = (double)data->counts[s];
        within += moments.squares;
        squares += size * size;
        stats_moments_merge(&whole, &moments);
    }
    double size = (double)whole.count;
    found->values += whole.count;
    found->sub_units += sub_units(data, unit);
    found->within += within;
    found->between_sub_units += fmax(0.0, whole.squares - within);
    found->sub_unit_squares += squares;
    found->unit_squares += size * size;
    found->shares += squares / size;
    double before = found->all.squares;
    stats_moments_merge(&found->all, &whole);
    found->between_units += fmax(0.0, found->all.squares - before - whole.squares);
}

static double known(double variance)
{
    return isnan(variance) ? 0.0 : variance;
}

static struct stats_nested_components solve(const struct stats_nested *data,
                                            const struct analysis_of_variance *found)
{
    double n = (double)found->values;
    double b = (double)found->sub_units;
    double a = (double)data->units;
    /* Also below 0: with 0 in its place that of the units would be too small. */
    double sub_units = 0.0;
    struct stats_nested_components made = {.mean = found->all.mean,
                                           .values = (double)NAN,
                                           .sub_units = (double)NAN,
                                           .units = (double)NAN};
    if (found->values > found->sub_units) {
        made.values = found->within / (n - b);
    }
    if (found->sub_units > data->units) {
        double mean_square = found->between_sub_units / (b - a);
        double size = (n - found->shares) / (b - a);
        sub_units = (mean_square - known(made.values)) / size;
        made.sub_units = fmax(0.0, sub_units);
    }
    if (data->units > 1) {
        double mean_square = found->between_units / (a - 1);
        double sub_unit_size = (found->shares - found->sub_unit_squares / n) / (a - 1);
        double unit_size = (n - found->unit_squares / n) / (a - 1);
        made.units =
            fmax(0.0, (mean_square - known(made.values) - sub_unit_size * sub_units) /
                          unit_size);
    }
    return made;
}

enum duet_code stats_nested_components(const struct stats_nested *data,
                                       const double *values,
                                       struct stats_nested_components *ret_components,
                                       struct duet_error *reterr)
{
    struct analysis_of_variance found = {0};
    for (size_t u = 0; u < data->units; u++) {
        add_unit(data, values, u, &found);
    }
    if (found.values < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "components of variance need two values, got %zu",
                         found.values);
    }
    *ret_components = solve(data, &found);
    return DUET_OK;
}
