/* A statistic of one series, and what it may be off by. */
#ifndef DUET_ANALYSIS_SERIES_ESTIMATE_H
#define DUET_ANALYSIS_SERIES_ESTIMATE_H

#include "base/error.h"
#include "stats/statistic.h"

#include <stddef.h>
#include <stdint.h>

struct analysis_series_estimate {
    double value;
    double low; /* the interval; NaN: fewer than two values */
    double high;
    double
        error; /* the farther end's distance, as a share of the value; NaN: as above */
    double block_length;
};

/* The mean or a quantile (type 7) with its circular-block-bootstrap percentile
 * interval; Politis-White blocks (of one value where the series is too short for it).
 * values: in the order of measuring, positive, borrowed. Errors: DUET_E_TOO_FEW (no
 * value), DUET_E_DOMAIN (statistic, confidence, a value that is not finite),
 * DUET_E_NOMEM. Source: He 2021 s.III-B for the bootstrap. */
BASE_MUST_USE enum duet_code
analysis_series_estimate(const struct stats_statistic *statistic, const double *values,
                         size_t count, double confidence, size_t replicates,
                         uint64_t seed, struct analysis_series_estimate *ret_estimate,
                         struct duet_error *reterr);

#endif
