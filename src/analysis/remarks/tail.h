/* Whether the sides differ in their slow iterations: a location does not show it. */
#ifndef DUET_ANALYSIS_TAIL_H
#define DUET_ANALYSIS_TAIL_H

#include "analysis/runs/used_runs.h"

/* For the 90th and the 99th percentile: that of new / that of old. Runs of at least
 * ANALYSIS_P90_MIN and ANALYSIS_P99_MIN iterations have percentiles of their own, whose
 * geometric mean over such runs is compared, so that no iteration need be kept; shorter
 * runs are pooled, of which each side must have ANALYSIS_P90_POOLED and
 * ANALYSIS_P99_POOLED values.
 *
 * Pairs: beside it Student's t interval of the log ratio over blocks, or, of short
 * runs, over groups of consecutive blocks that have values enough; ends are NaN with
 * fewer than ANALYSIS_TAIL_UNITS of them. Swapping the labels swaps the ends.
 * Errors: DUET_E_NOMEM. */
enum {
    ANALYSIS_P90_POOLED = 50,
    ANALYSIS_P99_POOLED = 500,
    ANALYSIS_P90_GROUP = 20,
    ANALYSIS_P99_GROUP = 200,
    ANALYSIS_TAIL_UNITS = 4
};
BASE_MUST_USE enum duet_code analysis_tails(const struct analysis_used_runs *used,
                                            bool paired, double confidence,
                                            struct model_tail ret_tails[MODEL_TAILS],
                                            struct duet_error *reterr);

/* Warns when percentiles surely changed otherwise than what is compared: names all that
 * did and recommends the one that is furthest off. The one that is compared itself is
 * not among them. Of *comparison: ratio, statistic, tails. */
void analysis_tails_warn(struct model_comparison *comparison);

#endif
