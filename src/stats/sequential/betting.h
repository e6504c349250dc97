/* Verdicts that may be looked at after every block: a confidence sequence from bets.
 *
 * Use: one object for a comparison, one number for a block, a look whenever wanted.
 *
 *     struct stats_betting *betting = NULL;
 *     struct stats_interval interval = {0};
 *     bool conflict = false;
 *     code = stats_betting_new(0.01, &betting, reterr);
 *     while (code == DUET_OK && stats_betting_sign(betting) == 0 && measure(&block)) {
 *         code = stats_betting_add(betting, block.log_ratio, 1.0, reterr);
 *     }
 *     if (code == DUET_OK) {
 *         stats_betting_interval(betting, &interval, &conflict);
 *     }
 *     stats_betting_free(betting);
 *
 * What is promised. Let g be the mean log ratio (new / old) of a block of two runs in
 * which the sides swap positions, the order by a fair coin. If new = old * exp(theta)
 * always, g - theta is symmetric about 0 given everything before the block, whatever
 * the noise is. Then the probability that the interval excludes theta at any look,
 * ever, is at most alpha; so one may stop when it suits. Blocks may depend on each
 * other and need not be alike. For m comparisons that are stopped one by one give alpha
 * / m to each.
 *
 * How. A gambler with one coin bets before each block that g lies above theta: his
 * money is multiplied by 1 + tanh(y) = exp(y) / cosh(y), where y is odd and increasing
 * in g - theta: y = kappa * clip((g - theta) / scale). With kappa, scale and the clip
 * fixed by earlier blocks (and by what of this block does not know of the labels: its
 * spread, stats/sequential/block_spread.h), and none of them by theta, his money is a
 * non-negative martingale with mean 1 at the true theta, and falls as theta rises; so
 * does that of several who share the coin. By Ville's inequality it reaches 2 / alpha
 * with probability at most alpha / 2, at any time. All theta at which it has are
 * excluded: a half line, because the largest money so far falls with theta as well. The
 * same from the other side. Excluded once is excluded for ever (this is the running
 * intersection, of which the inequality already speaks).
 *
 * Who bets: docs/decisions/0008-bets.md has the measurements.
 * - The bold one has 0.82 of the coin: kappa = 1.47 in the first block, 2.09 in the
 *   second if the first went his way (else 0), with the sign of g - theta in place of
 *   its size, as no scale is known yet; then max(center / scale - 1 / sqrt(n), floor)
 *   from the n earlier blocks, the first being the best kappa for normal values whose
 *   difference from 0 is what was seen (the likelihood ratio of N(m, s) and N(-m, s) is
 *   exp(2 m x / s^2)), the floor min(0.6, sqrt(2 ln(2 / alpha) / (n + 1))) the best one
 *   for the theta that is just being excluded (Waudby-Smith and Ramdas 2024).
 * - Seven steady ones share the rest: kappa = 1/64, 1/32, ..., 1, with 0.004, 0.006,
 *   0.01, 0.02, 0.04, 0.05 and 0.05.
 * The center is the median of the earlier blocks, the scale the block's spread times
 * 1.4826 times the median of the earlier blocks' deviations, each divided by its
 * spread, times n / (n - 1): with equal spreads the median absolute deviation. The clip
 * is 1 for the first two blocks, then grows to 2, so that one odd block cannot ruin
 * anybody. A scale of 0 (ties) makes the bet one on the sign.
 *
 * A block multiplies the money by less than 2, so that a bounded interval takes at
 * least ceil(log2(2 / alpha)) blocks: 8 for alpha = 0.01, which is what a clear change
 * takes.
 *
 * Sources: Ville 1939; bets on symmetric values: Efron 1969,
 * "Student's t-test under symmetry conditions", JASA 64; de la Pena 1999; Waudby-Smith
 * and Ramdas 2024, "Estimating means of bounded random variables by betting", J. R.
 * Statist. Soc. B 86. */
#ifndef DUET_STATS_BETTING_H
#define DUET_STATS_BETTING_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stdbool.h>
#include <stddef.h>

struct stats_betting;

/* Log ratios further away from 0 are refused. */
#define STATS_BETTING_LARGEST 1e100

/* alpha in (0, 1): 1 - confidence. *ret_betting: no block yet; to be released with
 * stats_betting_free(). Errors: DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_betting_new(double alpha,
                                               struct stats_betting **ret_betting,
                                               struct duet_error *reterr);
void stats_betting_free(struct stats_betting *betting);

/* Forgets all blocks, keeps alpha and the storage. */
void stats_betting_reset(struct stats_betting *betting);

/* The next block's mean log ratio (natural logarithm, new / old), and how widely such a
 * block spreads beside others: in any unit, by what does not change when the labels are
 * swapped (stats_block_spread_add(), or always 1). On failure the object is as before.
 * O(blocks) up to 256 blocks, O(1) on average beyond (there center and scale are
 * renewed whenever the number of blocks has grown by 2 %). 64 bytes a block. Errors:
 * DUET_E_DOMAIN (not finite, or beyond STATS_BETTING_LARGEST; a spread that is not
 * positive), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_betting_add(struct stats_betting *betting,
                                               double log_ratio, double spread,
                                               struct duet_error *reterr);

/* How widely an earlier block spreads, now that more is known: for the bets to come and
 * the center. Its own bet was made. */
void stats_betting_set_spread(struct stats_betting *betting, size_t block,
                              double spread);

/* Blocks so far. */
size_t stats_betting_count(const struct stats_betting *betting);

/* The interval of theta, as log ratio: all that no look has excluded. An end that is
 * not bounded (too few blocks) is -INFINITY or INFINITY. A function of the blocks in
 * their order, not of when it was asked. It never widens, except in one case: when no
 * theta is left, which at a constant theta has a probability of at most alpha, and
 * otherwise means that theta changed while it was measured. Then *ret_conflict is set,
 * and the interval spans what the two sides say, from the high end of the one to the
 * low end of the other.
 * The ends are found to 10^-12 of the calmest block's scale or to 13 digits. About 90
 * passes over the blocks, 5 ms for 1,000: a rule that waits for a width need not look
 * after each of many thousand blocks. The sign and the p value cost nothing. */
void stats_betting_interval(const struct stats_betting *betting,
                            struct stats_interval *ret_interval, bool *ret_conflict);

/* The same of the last look alone: wider, and it stays around the centre where the
 * blocks have moved since. */
void stats_betting_interval_now(const struct stats_betting *betting,
                                struct stats_interval *ret_interval);

/* The centre of the blocks, calm ones counting more: the theta at which the sum of
 * tanh(u) / spread, u = (g - theta) / scale, over all blocks is 0, with the scale of
 * all of them: the maximum-likelihood centre of logistic values of these scales, which
 * no single block can move far. Where most blocks are alike, their median; NaN without
 * a block. Changes its sign with the blocks. About 65 passes over the blocks. */
double stats_betting_center(const struct stats_betting *betting);

/* Whether a look has excluded theta: 1 when theta is too small (the interval lies
 * above), -1 when it is too large, 0 when neither or, a conflict, both. O(blocks). */
int stats_betting_excludes(const struct stats_betting *betting, double theta);

/* stats_betting_excludes(betting, 0) in O(1): 1 new is slower, -1 new is faster, 0 not
 * known. 1 exactly when the interval's low end is above 0 (without a conflict). */
int stats_betting_sign(const struct stats_betting *betting);

/* Two-sided p value of theta = 0 that holds at any look: twice 1 / the largest money so
 * far of either side, at most 1. Never grows. At most alpha exactly when 0 has been
 * excluded. O(1). */
double stats_betting_p_value(const struct stats_betting *betting);

/* The natural logarithm of the money that a gambler against theta = 0 has now, having
 * begun with 1: the e-value of no change. ret_log[0]: of who bets that new is slower,
 * [1]: faster. 2 / alpha excludes 0. O(1). */
void stats_betting_log_evidence(const struct stats_betting *betting, double ret_log[2]);

#endif
