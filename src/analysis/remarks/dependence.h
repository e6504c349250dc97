/* Whether what an interval takes for independent is. */
#ifndef DUET_ANALYSIS_DEPENDENCE_H
#define DUET_ANALYSIS_DEPENDENCE_H

#include "analysis/runs/used_runs.h"

/* Warns when the series behind the interval (runs' or blocks' log ratios; unpaired each
 * side's runs, or its iterations where options->iterations_alone) has a lag-1
 * autocorrelation above 0 that is significant at 1 %. Nothing where the interval is of
 * blocks of a series, or the series is shorter than STATS_LAG1_MIN or constant. Errors:
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_dependence_warn(
    const struct model_analysis *options, const struct analysis_used_runs *used,
    bool paired, struct model_comparison *comparison, struct duet_error *reterr);

#endif
