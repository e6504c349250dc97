/* The answer about sides that are taken by themselves: by Welch's t, or by the standard
 * method's bootstrap (Bulej 2020 s.4.1). */
#ifndef DUET_ANALYSIS_STANDARD_H
#define DUET_ANALYSIS_STANDARD_H

#include "analysis/runs/used_runs.h"

struct analysis_standard {
    double ratio; /* mean of new / mean of old, means over runs */
    /* NaN with fewer than two runs of a side, and an open end. `difference`: 1 +
     * difference / mean of old. `t`: of the ratio (stats_welch_ratio()). */
    double low;
    double high;
    enum model_unit unit;
    double width;   /* of the difference / mean over all observations */
    double p_value; /* stats_welch_ratio(), of both; NaN as could_have_seen */
    double
        could_have_seen; /* fraction of old; NaN with fewer than two runs of a side */
    size_t count;        /* independent values of the side with fewer */
    /* So many a side would tell a difference as large as this one; 0: more than anybody
     * has, or unknown. Of `t` only. */
    size_t needed;
};

/* The summaries must have been made for the standard method. options->interval: `t` or
 * `difference`. *ret_missing: why there is no interval, code DUET_OK when there is one.
 * Cost of `difference`: every observation (or group of them) times options->replicates.
 * Errors: DUET_E_TOO_FEW (a side has no run), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_standard_estimate(const struct model_analysis *options,
                           const struct analysis_used_runs *used,
                           struct analysis_standard *ret_standard,
                           struct duet_error *ret_missing, struct duet_error *reterr);

#endif
