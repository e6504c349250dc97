/* How often a value of one sample exceeds a value of another: what the rank-sum test
 * and Cliff's delta are both made of. */
#ifndef DUET_STATS_DOMINANCE_H
#define DUET_STATS_DOMINANCE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Over all pairs of a value a of the first sample and b of the second one. The integers
 * are exact; the variances follow from exact integers and round once. */
struct stats_dominance {
    size_t first_count;
    size_t second_count;
    uint64_t greater; /* pairs with a > b */
    uint64_t less;    /* pairs with a < b */
    bool tied;        /* some value occurs twice in the samples together */
    double ties;      /* sum of t^3 - t over the groups of t equal values */
    /* Sums of squared deviations from the mean dominance (greater - less) / pairs: of
     * each first value's own mean, of each second value's, and of the single pairs. */
    double first_squares;
    double second_squares;
    double pair_squares;
};

enum { STATS_DOMINANCE_COUNT_MAX = 0x7fffffff };

/* first, second: 1 to STATS_DOMINANCE_COUNT_MAX values each, borrowed. Two sorts, side
 * by side when the samples are large, and one merge: O(n). Memory: 8 bytes a value, and
 * what the sorts take. Errors: DUET_E_TOO_FEW (a sample is empty), DUET_E_DOMAIN (too
 * many values, or one is not finite: says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_dominance_count(const double *first, size_t first_count, const double *second,
                      size_t second_count, struct stats_dominance *ret_dominance,
                      struct duet_error *reterr);

/* The same without copies: first and second are sorted. Beyond them, memory for two
 * sorts: at most 34 MiB. */
BASE_MUST_USE enum duet_code stats_dominance_count_in_place(
    double *first, size_t first_count, double *second, size_t second_count,
    struct stats_dominance *ret_dominance, struct duet_error *reterr);

#endif
