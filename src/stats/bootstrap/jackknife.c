#include "base/alloc.h"
#include "stats/bootstrap/resample_private.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>

/* The statistic without a unit of several values. times: scratch, one a value. */
static double without_many(const struct stats_column *column, size_t first,
                           size_t count, uint32_t *times)
{
    size_t left = column->count - count;
    if (column->values == NULL) {
        for (size_t i = 0; i < column->count; i++) {
            times[column->ranks[i]] = i < first || i >= first + count;
        }
        return stats_column_of_tally(column, times, left);
    }
    struct stats_sum values = {0};
    struct stats_sum squares = {0};
    for (size_t i = first; i < first + count; i++) {
        stats_sum_add(&values, column->values[i]);
        stats_sum_add(&squares, column->squares != NULL ? column->squares[i] : 0.0);
    }
    struct stats_sums sums = {left, column->all.values - stats_sum_value(&values),
                              column->all.squares - stats_sum_value(&squares)};
    return stats_column_of_sums(column, &sums);
}

static double group_without(const struct resample_group *group, size_t unit,
                            uint32_t *times)
{
    size_t count = 0;
    if (stats_sampler_units(group->drawn_by) == group->column.count) {
        return stats_column_without(&group->column, unit);
    }
    size_t first = stats_sampler_unit(group->drawn_by, unit, &count);
    return without_many(&group->column, first, count, times);
}

/* The contrast without unit `unit` of group `which`; of both groups when paired. */
static double estimate_without(const struct resample_plan *plan, size_t which,
                               size_t unit, const double *full, uint32_t *times)
{
    struct resample_value groups[2] = {{full[0], 0.0}, {full[1], 0.0}};
    for (size_t g = 0; g < plan->group_count; g++) {
        if (g == which || plan->question->paired) {
            groups[g].value = group_without(&plan->groups[g], unit, times);
        }
    }
    return resample_contrast(plan, groups).value;
}

/* The group's influence values (n - 1) (mean - estimate without unit) / n. */
static enum duet_code influences_of(const struct resample_plan *plan, size_t which,
                                    const double *full, uint32_t *times,
                                    double *ret_influences, struct duet_error *reterr)
{
    size_t units = stats_sampler_units(plan->groups[which].drawn_by);
    if (units < 2) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "the BCa interval leaves out one unit at a time and needs at least two of the first level");
    }
    for (size_t unit = 0; unit < units; unit++) {
        ret_influences[unit] = estimate_without(plan, which, unit, full, times);
    }
    double mean = 0.0;
    enum duet_code code = stats_mean(ret_influences, units, &mean, reterr);
    for (size_t unit = 0; unit < units && code == DUET_OK; unit++) {
        double count = (double)units;
        ret_influences[unit] = (count - 1.0) * (mean - ret_influences[unit]) / count;
    }
    return code;
}

/* Sum of cubes / (6 * (sum of squares)^1.5), in which no scale matters; 0 where there
 * is nothing but rounding. */
static double acceleration_of(const double *influences, size_t count, double rounding)
{
    double scale = stats_power_scale(influences, count);
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(influences[i]));
    }
    if (largest <= rounding) {
        return 0.0;
    }
    double cubes = 0.0;
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        double influence = influences[i] * scale;
        squares += influence * influence;
        cubes += influence * influence * influence;
    }
    return squares > 0.0 ? cubes / (6.0 * pow(squares, 1.5)) : 0.0;
}

enum duet_code resample_acceleration(const struct resample_plan *plan, double rounding,
                                     double *ret_acceleration,
                                     struct duet_error *reterr)
{
    double full[2] = {0};
    size_t longest = 0;
    size_t groups = plan->question->paired ? 1 : plan->group_count;
    size_t units[2] = {0};
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct stats_column *column = &plan->groups[g].column;
        full[g] = stats_column_of_all(column);
        longest = column->count > longest ? column->count : longest;
        units[g] = g < groups ? stats_sampler_units(plan->groups[g].drawn_by) : 0;
    }
    uint32_t *times = alloc_array(longest, sizeof *times);
    double *influences = alloc_array(units[0] + units[1], sizeof *influences);
    enum duet_code code = DUET_OK;
    if (times == NULL || influences == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for a jackknife of %zu units",
                         units[0] + units[1]);
    }
    for (size_t g = 0; g < groups && code == DUET_OK; g++) {
        code = influences_of(plan, g, full, times, influences + g * units[0], reterr);
    }
    if (code == DUET_OK) {
        *ret_acceleration = acceleration_of(influences, units[0] + units[1], rounding);
    }
    free(times);
    free(influences);
    return code;
}
