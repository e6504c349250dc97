/* Whether the mean and the slow iterations say what a typical iteration says.
 *
 * Inside a run the default estimator is a median, and bets rest on the centre of the
 * blocks. That is what decides soon, and it does not see a change of few iterations:
 * 15 % of them 30 % slower is `same` for a median and 4 % for whoever waits for the
 * program. docs/decisions/0021-mean-beside-the-median.md has the measurements. */
#ifndef DUET_ANALYSIS_AGREEMENT_H
#define DUET_ANALYSIS_AGREEMENT_H

#include "analysis/runs/used_runs.h"
#include "model/comparison.h"

enum { ANALYSIS_AGREEMENT_UNITS = 4 };

/* The change of the mean: the ratio of the sides' means over all blocks (over all runs
 * where no two make a block), each block counting once, with Student's t interval of
 * its logarithm, linearized (the ratio estimator, Cochran 1977 s.6.3, with sides as
 * numerator and denominator). p_value is the smaller of two: that its distance from the
 * mean of the blocks' log ratios is 0 (where that is 0.5 % or more, in the direction of
 * the other), and that from log_ratio, the answer; the second
 * counts the answer as known, which exaggerates its error as long as the answer is no
 * more than 1.4 times as uncertain as the mean. Fewer than ANALYSIS_AGREEMENT_UNITS
 * blocks: all NaN. Swapping the labels inverts ratio, low and high, and nothing else.
 * Errors: DUET_E_DOMAIN (confidence), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_mean_change(const struct analysis_used_runs *used,
                                                  double confidence, double log_ratio,
                                                  struct model_mean_change *ret_change,
                                                  struct duet_error *reterr);

/* Takes back a verdict that the mean or the tails contradict, says why in
 * comparison->doubt, and sets mean_change.disagrees: p_value at most 0.01, by more than
 * 0.5 %, and outside of the answer's interval. Never makes a verdict of `unsure`, so
 * that it adds no false alarm. Of *comparison are read: verdict, ratio, interval,
 * same_within, mean_change, tails. The rules are in docs/method.md, "Verdicts". */
void analysis_agreement_judge(struct model_comparison *comparison);

/* Whether the mean is as certain as the interval, so that more runs would not take a
 * verdict back: on the same side of no change, or within twice the limit of `same`.
 * False where it is not known. same_within: NaN: not asked. */
bool analysis_agreement_certain(const struct model_mean_change *mean,
                                const struct model_interval *interval,
                                double same_within);

/* Both, for pairs whose log ratios were compared; else (not `applies`) sets the fields
 * to unknown and leaves the verdict alone: a statistic that was asked for is what is
 * meant. Errors: as above. */
BASE_MUST_USE enum duet_code analysis_agreement(const struct analysis_used_runs *used,
                                                bool applies,
                                                struct model_comparison *comparison,
                                                struct duet_error *reterr);

#endif
