#include "stats/dominance_sorted.h"

#include <math.h>

static double cubes(double group)
{
    return group * group * group - group;
}

struct stats_sorted stats_sorted_of(const double *values, size_t count)
{
    double ties = 0;
    for (size_t from = 0; from < count;) {
        size_t to = from + 1;
        while (to < count && values[to] <= values[from]) {
            to++;
        }
        ties += cubes((double)(to - from));
        from = to;
    }
    return (struct stats_sorted){values, count, ties};
}

/* How many of the values times `scale` are below `limit`. */
static size_t below(const double *values, size_t count, double scale, double limit)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] * scale < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct merge {
    const double *a;
    const double *b;
    double scale;
    size_t i, a_count;
    size_t j, b_count;
    uint64_t greater;
    uint64_t less;
    double ties; /* what groups across the samples add to those within them */
};

/* A value that both have, as often as each has it. */
static void take_equal(struct merge *merge, double value)
{
    size_t i = merge->i;
    size_t j = merge->j;
    while (i < merge->a_count && merge->a[i] * merge->scale <= value) {
        i++;
    }
    while (j < merge->b_count && merge->b[j] <= value) {
        j++;
    }
    size_t of_a = i - merge->i;
    size_t of_b = j - merge->j;
    merge->greater += (uint64_t)of_a * merge->j;
    merge->less += (uint64_t)of_b * merge->i;
    merge->ties +=
        cubes((double)(of_a + of_b)) - cubes((double)of_a) - cubes((double)of_b);
    merge->i = i;
    merge->j = j;
}

/* Which sample the next value comes from is anybody's guess: no branch asks it. */
static void take_overlap(struct merge *merge)
{
    const double *a = merge->a;
    const double *b = merge->b;
    while (merge->i < merge->a_count && merge->j < merge->b_count) {
        size_t i = merge->i;
        size_t j = merge->j;
        uint64_t greater = 0;
        uint64_t less = 0;
        double x = a[i] * merge->scale;
        double y = b[j];
        while (x < y || y < x) {
            size_t from_a = x < y;
            size_t from_b = 1 - from_a;
            greater += from_a * j;
            less += from_b * i;
            i += from_a;
            j += from_b;
            if (i == merge->a_count || j == merge->b_count) {
                break;
            }
            x = a[i] * merge->scale;
            y = b[j];
        }
        merge->i = i;
        merge->j = j;
        merge->greater += greater;
        merge->less += less;
        if (i < merge->a_count && j < merge->b_count) {
            take_equal(merge, y);
        }
    }
}

struct stats_dominance stats_dominance_sorted(const struct stats_sorted *first,
                                              double scale,
                                              const struct stats_sorted *second)
{
    struct merge merge = {
        .a = first->values,
        .b = second->values,
        .scale = scale,
        .a_count = first->count,
        .b_count = second->count,
    };
    /* Values below all of the other sample's add no pair yet. */
    merge.i = below(first->values, first->count, scale, second->values[0]);
    if (merge.i == 0) {
        merge.j = below(second->values, second->count, 1.0, first->values[0] * scale);
    }
    take_overlap(&merge);
    merge.greater += (uint64_t)(first->count - merge.i) * second->count;
    merge.less += (uint64_t)(second->count - merge.j) * first->count;
    double ties = first->tie_groups + second->tie_groups + merge.ties;
    return (struct stats_dominance){
        .first_count = first->count,
        .second_count = second->count,
        .greater = merge.greater,
        .less = merge.less,
        .tied = ties > 0,
        .ties = ties,
        .first_squares = (double)NAN,
        .second_squares = (double)NAN,
        .pair_squares = (double)NAN,
    };
}
