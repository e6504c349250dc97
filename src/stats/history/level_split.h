/* Where a series changes its level: the clearest split of it, and how often a stable
 * series has one as clear.
 *
 * The values become van der Waerden scores a_i = q(r_i / (n + 1)), q the normal
 * quantile and r_i the rank (ties share their mean rank), less their mean. A split
 * before value k, with at least STATS_SPLIT_LEAST values on either side, has
 *
 *     T(k) = |a_0 + ... + a_(k-1)| / sqrt(k (n - k) / n),
 *
 * and the clearest is the one with the largest T. Its p value is that of the largest T
 * among random orders of the values, in which blocks of neighbours stay together, so
 * that every order of blocks is as likely when nothing has changed. A block is one
 * value long where the scores, less the mean of their side of the split, do not follow
 * their neighbours (lag-1 autocorrelation r), else so long that r^length is at most
 * 0.01, or an eighth of the series. Random orders are drawn until STATS_SPLIT_ENOUGH
 * are as clear.
 *
 * Sources: the search over splits with a permutation test, Matteson and James 2014, J.
 * Am. Stat. Assoc. 109 (E-divisive); rank scores in place of their distances between
 * values, since only the level is asked for and one wild value must not count for more
 * than its rank: van der Waerden 1952; when to stop drawing: Besag and Clifford 1991,
 * Biometrika 78. docs/decisions/0034-change-points.md has the measured error rates. */
#ifndef DUET_STATS_LEVEL_SPLIT_H
#define DUET_STATS_LEVEL_SPLIT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { STATS_SPLIT_LEAST = 3, STATS_SPLIT_ENOUGH = 100 };

struct stats_split_options {
    size_t replicates; /* random orders at most; the p value is at least 1 / (1 + it) */
    uint64_t seed;
    uint64_t stream; /* of base/random.h; one is used */
};

struct stats_split {
    size_t at;        /* the first value behind it */
    double statistic; /* T(at) */
    double p_value;
    size_t block; /* values that stay together */
};

/* values: `count`, in order. O(count * replicates). Errors: DUET_E_TOO_FEW (below 2 *
 * STATS_SPLIT_LEAST), DUET_E_DOMAIN (a value that is not finite), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_split_find(const double *values, size_t count,
                                              const struct stats_split_options *options,
                                              struct stats_split *ret_split,
                                              struct duet_error *reterr);

#endif
