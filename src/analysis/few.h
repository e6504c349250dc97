/* Too few values for an answer: of sides that were measured apart, and of pairs for a
 * statistic of all times. */
#ifndef DUET_ANALYSIS_FEW_H
#define DUET_ANALYSIS_FEW_H

#include "analysis/runs/used_runs.h"

#include <stdbool.h>

enum {
    /* A default bootstrap decides from so many independent values a side on: with fewer
     * its false verdicts are several times as frequent as it says (docs/method.md). */
    ANALYSIS_BOOTSTRAP_MIN = 30,
    /* Of pairs from so many runs on: of fewer than 8 blocks nothing else is bounded. */
    ANALYSIS_BOOTSTRAP_PAIRS_MIN = 16,
    /* Of a quantile, with so many values of a side beyond it: with fewer it is hardly
     * more than the largest value, of which a bootstrap draws no larger one. */
    ANALYSIS_BEYOND_MIN = 3,
    /* Below so many, an answer says how many would do. */
    ANALYSIS_FEW = 8
};

/* Whether a side has fewer than two independent values: one run, of however many
 * iterations, or without runs one value. *ret_missing then says which and what to do.
 */
bool analysis_few_lacks(const struct model_analysis *options,
                        const struct analysis_used_runs *used,
                        struct duet_error *ret_missing);

/* How many independent values the side with fewer of them has. */
size_t analysis_few_units(const struct model_analysis *options,
                          const struct analysis_used_runs *used);

/* Whether each value is independent of the others: none shares its run with another. */
bool analysis_few_are_single(const struct model_analysis *options,
                             const struct analysis_used_runs *used);

/* How often `difference`, and of pairs the bootstraps of a mean, cover with so many
 * values of a side, as measured on normal ones (stats/bootstrap/coverage.h); NaN for
 * runs of several iterations, with which they cover more, for another location than the
 * mean, and for what was not measured.
 */
double analysis_few_coverage(const struct model_analysis *options,
                             const struct analysis_used_runs *used, bool paired);

/* Makes a verdict `unsure` that rests on a bootstrap nobody asked for by name and on
 * fewer than ANALYSIS_BOOTSTRAP_MIN values of a side, of pairs
 * ANALYSIS_BOOTSTRAP_PAIRS_MIN, or on a quantile with fewer than ANALYSIS_BEYOND_MIN
 * values beyond it, and says so in a warning. `t` covers at every number and is left
 * alone. Not for the log ratios of pairs, whose default is no bootstrap. */
void analysis_few_withhold(const struct model_analysis *options,
                           const struct analysis_used_runs *used, bool paired,
                           struct model_comparison *comparison);

/* Says how many values a side would decide, where there are fewer than ANALYSIS_FEW and
 * the verdict is `unsure`. needed: of struct analysis_standard. */
void analysis_few_advise(const struct model_analysis *options, size_t count,
                         size_t needed, struct model_comparison *comparison);

#endif
