/* Which commit is the first slow one? Posterior matching with e-processes.
 *
 * Commits 0, 1, ..., n in the order of history: 0 is fast, n is slow, and somewhere
 * between them the centre of a block's log ratio (commit / commit 0) goes across the
 * threshold m, once. A candidate is a number b in 1, ..., n: commits below b lie at or
 * below m, b and those after it at or above.
 *
 * Each candidate has an e-process K_b of evidence against it, at first 1, and the
 * weight w_b proportional to 1 / K_b. P(i) is the sum of w_b over b <= i. A block of
 * commit i with the log ratio g and t = tanh(kappa (g - m) / s) multiplies K_b by 1 +
 * P(i) t for b > i, which say that i is fast, and by 1 - (1 - P(i)) t for b <= i. Kappa
 * and s come from earlier blocks: s is 1.4826 / sqrt(2) times the median of |g - g'|
 * over pairs of blocks of the same commit, one after the other, and kappa is m / s,
 * with which the fewest blocks are needed (docs/decisions/0031-bisect.md). A candidate
 * whose K_b has reached 2 / alpha is dropped for ever.
 *
 * Why that holds. Let b be the true one and let the noise of a block be symmetric about
 * its commit's own centre, as it is where a coin assigns the sides. Then the mean of t,
 * given everything before, is at most 0 for i < b and at least 0 for i >= b, as tanh is
 * odd and increases. So each factor of K_b has a conditional mean of at most 1, K_b is
 * a non-negative supermartingale, and by Ville's inequality it ever reaches 2 / alpha
 * with probability at most alpha / 2: whatever is measured next, and whenever one
 * stops. Where no candidate is left, it was not one step across m.
 *
 * Which commit is next: stay while min(P(i), 1 - P(i)) >= eta, else the commit that can
 * be measured with P nearest to 1/2. A small eta changes commits (builds) less often.
 *
 * Sources: posterior matching: Shayevitz and Feder 2011, IEEE Trans. Inf. Theory 57;
 * noisy bisection: Horstein 1963, IEEE Trans. Inf. Theory 9; Ville 1939; bets on
 * symmetric values: as stats/sequential/betting.h. docs/bisect.md has the measurements.
 */
#ifndef DUET_STATS_BISECT_H
#define DUET_STATS_BISECT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { STATS_BISECT_COMMITS_MAX = 1000000 };

struct stats_bisect_options {
    double alpha;     /* in (0, 1): the true candidate is dropped with probability at
                         most alpha / 2 */
    double threshold; /* m, > 0: a log ratio */
    double eta;       /* in [0, 0.5]: 0.2, or less where changing the commit is dear */
};

enum stats_bisect_outcome {
    STATS_BISECT_OPEN,  /* several candidates, and a commit that tells them apart */
    STATS_BISECT_ONE,   /* one candidate is left */
    STATS_BISECT_GROUP, /* those left differ by commits that cannot be measured */
    STATS_BISECT_NONE   /* none is left: it was not one step across the threshold */
};

/* Candidates first and last, and `count` of those between them, are alive. All 0 where
 * none is. */
struct stats_bisect_left {
    enum stats_bisect_outcome outcome;
    size_t first;
    size_t last;
    size_t count;
};

struct stats_bisect;

/* last: n, the slow commit, from 1 to STATS_BISECT_COMMITS_MAX. *ret_bisect: to be
 * released with stats_bisect_free(). Errors: DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_bisect_new(size_t last, const struct stats_bisect_options *options,
                 struct stats_bisect **ret_bisect, struct duet_error *reterr);
void stats_bisect_free(struct stats_bisect *bisect);

/* The next block, of commit `at` in 1, ..., n - 1: evidence by the spread so far, then
 * learned. On failure the object is as before. O(n + blocks). Errors: DUET_E_DOMAIN (a
 * log ratio that is not finite, a commit out of range), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_bisect_add(struct stats_bisect *bisect, size_t at,
                                              double log_ratio,
                                              struct duet_error *reterr);
/* Commit `at` in 1, ..., n - 1 cannot be measured (it does not build). It stays a
 * candidate. */
void stats_bisect_skip(struct stats_bisect *bisect, size_t at);

/* O(n). */
struct stats_bisect_left stats_bisect_left(const struct stats_bisect *bisect);
/* The commit to measure next, when `at` (0: none) was the last one. 0: the outcome is
 * not STATS_BISECT_OPEN. O(n). */
size_t stats_bisect_next(const struct stats_bisect *bisect, size_t at);

/* w_b in [0, 1], of b in 1, ..., n: 0 when it was dropped. */
double stats_bisect_weight(const struct stats_bisect *bisect, size_t candidate);
/* What is not known, in bits: log2 of as many equally likely candidates. Source:
 * Shannon 1948. O(n). */
double stats_bisect_entropy_bits(const struct stats_bisect *bisect);
/* Blocks added. */
size_t stats_bisect_blocks(const struct stats_bisect *bisect);

#endif
