/* Wilcoxon's rank-sum test, also known as the Mann-Whitney U test. */
#ifndef DUET_STATS_RANKSUM_H
#define DUET_STATS_RANKSUM_H

#include "base/error.h"
#include "stats/rank/dominance.h"

#include <stdbool.h>

/* The exact distribution serves samples without ties up to so many pairs (50 and 50
 * values, say); O(pairs^2) additions, about 2 ms at the bound. */
enum { STATS_RANKSUM_EXACT_PAIRS = 2500 };

enum stats_ranksum_method {
    STATS_RANKSUM_AUTO,              /* exact where it can be, else corrected normal */
    STATS_RANKSUM_EXACT,             /* only without ties and up to the bound */
    STATS_RANKSUM_NORMAL,            /* normal approximation */
    STATS_RANKSUM_NORMAL_CONTINUITY, /* with a continuity correction of 1/2 */
};

struct stats_ranksum {
    double u;       /* of the first sample: pairs a > b, ties count 1/2 */
    double p_value; /* two-sided, in [0, 1]; 0 when below the smallest double */
    bool exact;
};

/* Two-sided test that neither sample tends to be larger. Ties take mid-ranks, and the
 * variance of the normal approximation is corrected for them; when all values are equal
 * there is nothing to see and p is 1.
 * Errors: DUET_E_DOMAIN (exact asked for with ties, or beyond the bound), DUET_E_NOMEM.
 * Sources: Mann and Whitney 1947 (recurrence of the exact counts); Hollander, Wolfe and
 * Chicken 2014 s.4.1 (normal approximation, ties). */
BASE_MUST_USE enum duet_code stats_ranksum_test(const struct stats_dominance *dominance,
                                                enum stats_ranksum_method method,
                                                struct stats_ranksum *ret_ranksum,
                                                struct duet_error *reterr);

#endif
