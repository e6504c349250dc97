#include "stats/statistic.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_ordered(const struct stats_statistic *statistic)
{
    return statistic->kind == STATS_STATISTIC_MEDIAN ||
           statistic->kind == STATS_STATISTIC_QUANTILE ||
           statistic->kind == STATS_STATISTIC_TRIMMED;
}

static enum duet_code check(const double *values, size_t count,
                            const struct stats_statistic *statistic,
                            struct duet_error *reterr)
{
    size_t fewest = statistic->kind == STATS_STATISTIC_CV ? 2 : 1;
    if (count < fewest) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "the statistic needs at least %zu value%s, got %zu", fewest,
                         fewest == 1 ? "" : "s", count);
    }
    if (count > UINT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a statistic takes fewer than 2^32 values, got %zu", count);
    }
    if (statistic->kind == STATS_STATISTIC_QUANTILE &&
        !(statistic->fraction >= 0.0 && statistic->fraction <= 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a quantile's probability must lie in [0, 1], got %g",
                         statistic->fraction);
    }
    if (statistic->kind == STATS_STATISTIC_TRIMMED &&
        !(statistic->fraction >= 0.0 && statistic->fraction < 0.5)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a trimmed mean drops a share in [0, 0.5) at each end, got %g",
                         statistic->fraction);
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (statistic->kind == STATS_STATISTIC_GEOMEAN && values[i] <= 0.0) {
            code = error_set(
                reterr, DUET_E_DOMAIN,
                "value %zu of %zu is %g; a geometric mean needs positive values", i + 1,
                count, values[i]);
        }
    }
    return code;
}

struct indexed {
    double value;
    uint32_t from;
};

/* Ties in the order in which they came, so that the result is the same with any sort.
 */
static int compare_indexed(const void *left, const void *right)
{
    const struct indexed *a = left;
    const struct indexed *b = right;
    int order = (a->value > b->value) - (a->value < b->value);
    return order != 0 ? order : (a->from > b->from) - (a->from < b->from);
}

static enum duet_code init_ordered(struct stats_column *column, const double *values,
                                   struct duet_error *reterr)
{
    size_t count = column->count;
    struct indexed *indexed = alloc_array(count, sizeof *indexed);
    column->sorted = alloc_array(count, sizeof *column->sorted);
    column->ranks = alloc_array(count, sizeof *column->ranks);
    if (indexed == NULL || column->sorted == NULL || column->ranks == NULL) {
        free(indexed);
        return error_set(reterr, DUET_E_NOMEM, "no memory to sort %zu values", count);
    }
    for (size_t i = 0; i < count; i++) {
        indexed[i] = (struct indexed){values[i], (uint32_t)i};
    }
    qsort(indexed, count, sizeof *indexed, compare_indexed);
    for (size_t i = 0; i < count; i++) {
        column->sorted[i] = indexed[i].value;
        column->ranks[indexed[i].from] = (uint32_t)i;
    }
    free(indexed);
    return DUET_OK;
}

static struct stats_sums sums_of_all(const struct stats_column *column)
{
    struct stats_sum values = {0};
    struct stats_sum squares = {0};
    for (size_t i = 0; i < column->count; i++) {
        stats_sum_add(&values, column->values[i]);
        if (column->squares != NULL) {
            stats_sum_add(&squares, column->squares[i]);
        }
    }
    return (struct stats_sums){column->count, stats_sum_value(&values),
                               stats_sum_value(&squares)};
}

static enum duet_code init_sums(struct stats_column *column, const double *values,
                                bool with_squares, double *room,
                                struct duet_error *reterr)
{
    size_t count = column->count;
    column->borrowed = room != NULL;
    column->values = room != NULL ? room : alloc_array(count, sizeof *column->values);
    column->squares = with_squares ? alloc_array(count, sizeof *column->squares) : NULL;
    if (column->values == NULL || (with_squares && column->squares == NULL)) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    bool logs = column->statistic.kind == STATS_STATISTIC_GEOMEAN;
    column->scale = logs ? 1.0 : stats_power_scale(values, count);
    for (size_t i = 0; i < count; i++) {
        column->values[i] = logs ? log(values[i]) : values[i] * column->scale;
    }
    enum duet_code code = stats_mean(column->values, count, &column->center, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        column->values[i] -= column->center;
        if (with_squares) {
            column->squares[i] = column->values[i] * column->values[i];
        }
    }
    column->all = sums_of_all(column);
    return code;
}

enum duet_code stats_column_init(const double *values, size_t count,
                                 const struct stats_statistic *statistic,
                                 bool with_squares, double *room,
                                 struct stats_column *ret_column,
                                 struct duet_error *reterr)
{
    enum duet_code code = check(values, count, statistic, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_column column = {.statistic = *statistic, .count = count};
    if (statistic->kind == STATS_STATISTIC_MEDIAN) {
        column.statistic.fraction = 0.5;
    }
    code = is_ordered(statistic)
               ? init_ordered(&column, values, reterr)
               : init_sums(&column, values,
                           with_squares || statistic->kind == STATS_STATISTIC_CV, room,
                           reterr);
    if (code != DUET_OK) {
        stats_column_release(&column);
        return code;
    }
    *ret_column = column;
    return DUET_OK;
}

void stats_column_release(struct stats_column *column)
{
    if (column != NULL) {
        if (!column->borrowed) {
            free(column->values);
        }
        free(column->squares);
        free(column->sorted);
        free(column->ranks);
        *column = (struct stats_column){0};
    }
}

static double variance_of(const struct stats_sums *sums)
{
    double count = (double)sums->count;
    double about_mean = sums->squares - sums->values * sums->values / count;
    return fmax(about_mean, 0.0) / (count - 1.0);
}

double stats_column_of_sums(const struct stats_column *column,
                            const struct stats_sums *sums)
{
    double mean = column->center + sums->values / (double)sums->count;
    if (column->statistic.kind == STATS_STATISTIC_GEOMEAN) {
        return exp(mean);
    }
    if (column->statistic.kind == STATS_STATISTIC_CV) {
        return mean != 0.0 ? sqrt(variance_of(sums)) / mean : (double)NAN;
    }
    return mean / column->scale;
}

double stats_column_error(const struct stats_column *column,
                          const struct stats_sums *sums)
{
    double error = sqrt(variance_of(sums) / (double)sums->count);
    return column->statistic.kind == STATS_STATISTIC_GEOMEAN
               ? error * stats_column_of_sums(column, sums)
               : error / column->scale;
}

double stats_tally_mean(const double *sorted, const uint32_t *times, size_t first,
                        size_t last)
{
    double sum = 0.0;
    size_t before = 0;
    for (size_t i = 0; before <= last; i++) {
        size_t behind = before + times[i];
        size_t from = before > first ? before : first;
        size_t to = behind < last + 1 ? behind : last + 1;
        if (to > from) {
            sum += sorted[i] * (double)(to - from);
        }
        before = behind;
    }
    return sum / (double)(last - first + 1);
}

/* The order statistics `rank` and rank + 1 (the last twice, at the end); found from the
 * nearer end. */
static void tally_two_at(const double *sorted, const uint32_t *times, size_t count,
                         size_t total, size_t rank, double *ret_two)
{
    size_t i = 0;
    size_t behind = 0; /* values up to and with sorted[i] */
    if (rank < total / 2) {
        behind = times[0];
        while (behind <= rank) {
            behind += times[++i];
        }
    } else {
        size_t before = total;
        i = count;
        while (before > rank) {
            behind = before;
            before -= times[--i];
        }
    }
    ret_two[0] = sorted[i];
    if (rank + 1 >= behind && rank + 1 < total) {
        do {
            i++;
        } while (times[i] == 0);
    }
    ret_two[1] = sorted[i];
}

static double between(const double *two, double position)
{
    return stats_interpolate(two[0], two[1], position - floor(position));
}

double stats_column_of_tally(const struct stats_column *column, const uint32_t *times,
                             size_t total)
{
    double fraction = column->statistic.fraction;
    if (column->statistic.kind == STATS_STATISTIC_TRIMMED) {
        size_t cut = (size_t)(fraction * (double)total);
        return stats_tally_mean(column->sorted, times, cut, total - 1 - cut);
    }
    double position = (double)(total - 1) * fraction;
    double two[2];
    tally_two_at(column->sorted, times, column->count, total, (size_t)position, two);
    return between(two, position);
}

/* sorted[] with the value at rank `missing` taken out. */
static double sorted_without(const struct stats_column *column, size_t missing,
                             size_t rank)
{
    return column->sorted[rank + (rank >= missing)];
}

static double ordered_without(const struct stats_column *column, size_t missing,
                              size_t total)
{
    double fraction = column->statistic.fraction;
    if (column->statistic.kind == STATS_STATISTIC_TRIMMED) {
        size_t cut = (size_t)(fraction * (double)total);
        struct stats_sum sum = {0};
        for (size_t rank = cut; rank < total - cut; rank++) {
            stats_sum_add(&sum, sorted_without(column, missing, rank));
        }
        return stats_sum_value(&sum) / (double)(total - 2 * cut);
    }
    double position = (double)(total - 1) * fraction;
    size_t rank = (size_t)position;
    double two[2] = {
        sorted_without(column, missing, rank),
        sorted_without(column, missing, rank + 1 < total ? rank + 1 : rank)};
    return between(two, position);
}

double stats_column_of_all(const struct stats_column *column)
{
    if (is_ordered(&column->statistic)) {
        return ordered_without(column, column->count, column->count);
    }
    return stats_column_of_sums(column, &column->all);
}

double stats_column_without(const struct stats_column *column, size_t which)
{
    if (is_ordered(&column->statistic)) {
        return ordered_without(column, column->ranks[which], column->count - 1);
    }
    struct stats_sums sums = {.count = column->count - 1,
                              .values = column->all.values - column->values[which]};
    if (column->squares != NULL) {
        sums.squares = column->all.squares - column->squares[which];
    }
    return stats_column_of_sums(column, &sums);
}
