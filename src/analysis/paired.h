/* The answer from pairs: ratio, interval and what goes with them. */
#ifndef DUET_ANALYSIS_PAIRED_H
#define DUET_ANALYSIS_PAIRED_H

#include "analysis/runs/used_runs.h"

/* The ratio, and the interval by `options->interval` (any but `difference`). Over
 * blocks, the ratio is that of the whole blocks when there are any. Interval ends are
 * NaN where the data leaves none, and *ret_missing says why, as for
 * analysis_paired_interval(). Errors: DUET_E_USAGE, DUET_E_NOMEM.
 * Source: Bulej 2020 s.3 (ratio, percentile). */
BASE_MUST_USE enum duet_code
analysis_paired_estimate(const struct model_analysis *options,
                         const struct analysis_used_runs *used, double *ret_ratio,
                         struct model_interval *ret_interval,
                         struct duet_error *ret_missing, struct duet_error *reterr);

/* ret_comparison->interval, losses: the answer's. Fills could_have_seen,
 * measured_coverage and the three widths; NaN where there are too few runs or blocks,
 * the first also without an interval. Errors: DUET_E_NOMEM. Source: Bulej 2020 s.4.2
 * (shuffled). */
BASE_MUST_USE enum duet_code analysis_paired_describe(
    const struct model_analysis *options, const struct analysis_used_runs *used,
    struct model_comparison *ret_comparison, struct duet_error *reterr);

#endif
