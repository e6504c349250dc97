/* Winsorization: an observation far from all others of its run becomes its nearest
 * neighbour. */
#ifndef DUET_STATS_WINSOR_H
#define DUET_STATS_WINSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What "further than 20 % away from the min-max range of the remaining observations"
 * means; docs/method.md says which is the default and why. */
enum stats_winsor_rule {
    STATS_WINSOR_FACTOR, /* above 1.2 x max or below min / 1.2 of the remaining */
    STATS_WINSOR_RANGE   /* beyond the range by more than 20 % of its width */
};

/* The two smallest and two largest of values that come one after the other, and where
 * the extremes are. Zeroed storage has none. */
struct stats_ends {
    uint64_t count;
    uint64_t lowest_at;
    uint64_t highest_at;
    double lowest;
    double second_lowest;
    double highest;
    double second_highest;
};
void stats_ends_add(struct stats_ends *ends, double value);

/* Whether stats_winsorize_one() replaces one of them: which, and by what. */
bool stats_ends_winsorized(const struct stats_ends *ends, enum stats_winsor_rule rule,
                           uint64_t *ret_at, double *ret_value);

/* Replaces at most one of values[0..count) and says whether it did. If both ends
 * qualify, the one whose logarithm lies further from its neighbour's is replaced, the
 * upper one in a tie. Fewer than three values stay as they are: of two, each is the
 * other's only neighbour, and nothing says which is the odd one out.
 * values: positive and finite. O(count). Source: Bulej 2020 s.7.1. */
bool stats_winsorize_one(double *values, size_t count, enum stats_winsor_rule rule);

#endif
