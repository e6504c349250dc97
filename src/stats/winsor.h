/* Winsorization: an observation far from all others of its run becomes its nearest
 * neighbour. */
#ifndef DUET_STATS_WINSOR_H
#define DUET_STATS_WINSOR_H

#include <stdbool.h>
#include <stddef.h>

/* What "further than 20 % away from the min-max range of the remaining observations"
 * means; docs/method.md says which is the default and why. */
enum stats_winsor_rule {
    STATS_WINSOR_FACTOR, /* above 1.2 x max or below min / 1.2 of the remaining */
    STATS_WINSOR_RANGE   /* beyond the range by more than 20 % of its width */
};

/* Replaces at most one of values[0..count) and says whether it did. If both ends
 * qualify, the one whose logarithm lies further from its neighbour's is replaced, the
 * upper one in a tie. Fewer than three values stay as they are: of two, each is the
 * other's only neighbour, and nothing says which is the odd one out.
 * values: positive and finite. O(count). Source: Bulej 2020 s.7.1. */
bool stats_winsorize_one(double *values, size_t count, enum stats_winsor_rule rule);

#endif
