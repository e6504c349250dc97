/* The answer about a statistic of each side: the sides as groups of values, or of pairs
 * of values, that are resampled on the levels they were measured on. */
#ifndef DUET_ANALYSIS_GROUPED_H
#define DUET_ANALYSIS_GROUPED_H

#include "analysis/runs/used_runs.h"

struct analysis_grouped {
    double ratio; /* statistic of new / statistic of old; NaN: it does not exist */
    struct model_interval interval; /* ends NaN where the data leaves none */
    double could_have_seen;         /* a fraction; NaN without an interval */
};

/* What a run has to keep for these options. */
enum analysis_keep analysis_grouped_keep(const struct model_analysis *options);

/* options->statistic (none: the mean) by options->interval (percentile, basic, bca,
 * studentized, block). Paired: pairs are drawn together. Runs are drawn, and then
 * iterations within them, except for blocks (of the series of runs, or of iterations
 * where each run has one or there are no runs) and the studentized interval, which take
 * a run as one value. *ret_missing: why there is no interval;
 * unpaired sides of one run each have none. Errors: DUET_E_TOO_FEW (a
 * side has no value), DUET_E_USAGE (a block bootstrap of runs of several iterations for
 * what is no mean), DUET_E_NOMEM. Cost: every value times options->replicates. */
BASE_MUST_USE enum duet_code
analysis_grouped_estimate(const struct model_analysis *options,
                          const struct analysis_used_runs *used, bool paired,
                          struct analysis_grouped *ret_grouped,
                          struct duet_error *ret_missing, struct duet_error *reterr);

/* The same statistic of each side by itself, with its interval. Errors: as above. */
BASE_MUST_USE enum duet_code
analysis_grouped_sides(const struct model_analysis *options,
                       const struct analysis_used_runs *used, bool paired,
                       struct model_statistic_result *ret_statistic,
                       struct duet_error *reterr);

#endif
