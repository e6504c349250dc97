#include "stats/rank/dominance_sorted.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Both samples, or a part of them, from i and j on. The scale is always first's. */
struct merge {
    const double *a;
    const double *b;
    double scale;
    size_t i, a_count;
    size_t j, b_count;
    uint64_t greater;
    uint64_t equal;
    double ties; /* what groups across the samples add to those within them */
};

/* Merged side by side, where the samples are large enough. */
enum { PARTS = 4, PARTED_LEAST = 256, STEPS_LEAST = 8 };

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
    merge->equal += (uint64_t)of_a * of_b;
    merge->ties +=
        cubes((double)(of_a + of_b)) - cubes((double)of_a) - cubes((double)of_b);
    merge->i = i;
    merge->j = j;
}

/* Which sample the next value comes from is anybody's guess: no branch asks it. What is
 * less than a value of the other sample follows at the end from what is greater. */
static void take_overlap(struct merge *merge)
{
    while (merge->i < merge->a_count && merge->j < merge->b_count) {
        double x = merge->a[merge->i] * merge->scale;
        double y = merge->b[merge->j];
        if (x < y || y < x) {
            size_t from_a = x < y;
            merge->greater += merge->j & (0 - from_a);
            merge->i += from_a;
            merge->j += 1 - from_a;
        } else {
            take_equal(merge, y);
        }
    }
    merge->greater += (uint64_t)(merge->a_count - merge->i) * merge->b_count;
    merge->i = merge->a_count;
}

/* Steps that no part can run out of values in. */
static size_t safe_steps(const struct merge parts[PARTS])
{
    size_t steps = SIZE_MAX;
    for (size_t p = 0; p < PARTS; p++) {
        size_t of_a = parts[p].a_count - parts[p].i;
        size_t of_b = parts[p].b_count - parts[p].j;
        size_t least = of_a < of_b ? of_a : of_b;
        steps = least < steps ? least : steps;
    }
    return steps;
}

/* One step of every part, `steps` times: a step waits for the one before it, and the
 * parts do not wait for each other. Returns false at a value that both samples have. */
static bool step_together(struct merge parts[PARTS], size_t steps)
{
    double scale = parts[0].scale;
    const double *a = parts[0].a;
    const double *b = parts[0].b;
    size_t i[PARTS];
    size_t j[PARTS];
    uint64_t greater[PARTS];
    bool apart = true;
    for (size_t p = 0; p < PARTS; p++) {
        i[p] = parts[p].i;
        j[p] = parts[p].j;
        greater[p] = parts[p].greater;
    }
    while (steps-- > 0 && apart) {
#pragma GCC unroll 4
        for (size_t p = 0; p < PARTS; p++) {
            double x = a[i[p]] * scale;
            double y = b[j[p]];
            size_t from_a = x < y;
            size_t from_b = y < x;
            greater[p] += j[p] & (0 - from_a);
            i[p] += from_a;
            j[p] += from_b;
            apart = apart & (from_a != from_b);
        }
    }
    for (size_t p = 0; p < PARTS; p++) {
        parts[p].i = i[p];
        parts[p].j = j[p];
        parts[p].greater = greater[p];
    }
    return apart;
}

static void take_parts(struct merge parts[PARTS])
{
    size_t steps = safe_steps(parts);
    while (steps >= STEPS_LEAST) {
        if (!step_together(parts, steps)) {
            break; /* ties are rare, or everywhere */
        }
        steps = safe_steps(parts);
    }
    for (size_t p = 0; p < PARTS; p++) {
        take_overlap(&parts[p]);
    }
}

/* The overlap in parts that no group of equal values lies across. */
static void divide(const struct merge *all, struct merge parts[PARTS])
{
    size_t i = all->i;
    size_t j = all->j;
    for (size_t p = 0; p < PARTS; p++) {
        parts[p] = *all;
        parts[p].i = i;
        parts[p].j = j;
        parts[p].greater = 0;
        if (p + 1 < PARTS) {
            size_t cut = all->i + (all->a_count - all->i) * (p + 1) / PARTS;
            double border = all->a[cut] * all->scale;
            size_t to_i = below(all->a, all->a_count, all->scale, border);
            size_t to_j = below(all->b, all->b_count, 1.0, border);
            i = to_i > i ? to_i : i;
            j = to_j > j ? to_j : j;
            parts[p].a_count = i;
            parts[p].b_count = j;
        }
    }
}

static void count_overlap(struct merge *merge)
{
    struct merge parts[PARTS];
    size_t left = merge->a_count - merge->i + merge->b_count - merge->j;
    if (left < PARTED_LEAST || merge->i == merge->a_count ||
        merge->j == merge->b_count) {
        take_overlap(merge);
        return;
    }
    divide(merge, parts);
    take_parts(parts);
    for (size_t p = 0; p < PARTS; p++) {
        merge->greater += parts[p].greater;
        merge->equal += parts[p].equal;
        merge->ties += parts[p].ties;
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
    count_overlap(&merge);
    uint64_t pairs = (uint64_t)first->count * second->count;
    double ties = first->tie_groups + second->tie_groups + merge.ties;
    return (struct stats_dominance){
        .first_count = first->count,
        .second_count = second->count,
        .greater = merge.greater,
        .less = pairs - merge.greater - merge.equal,
        .tied = ties > 0,
        .ties = ties,
        .first_squares = (double)NAN,
        .second_squares = (double)NAN,
        .pair_squares = (double)NAN,
    };
}
