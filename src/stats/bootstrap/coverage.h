/* How often the bootstrap intervals really cover, as measured. */
#ifndef DUET_STATS_COVERAGE_H
#define DUET_STATS_COVERAGE_H

#include <stddef.h>

enum stats_coverage_of {
    STATS_COVERAGE_NONE, /* nothing was measured, or it covers what it says */
    STATS_COVERAGE_PERCENTILE,
    STATS_COVERAGE_BASIC,
    STATS_COVERAGE_BCA,
    STATS_COVERAGE_STUDENTIZED,
    STATS_COVERAGE_BLOCK,      /* circular blocks, Politis and White's length */
    STATS_COVERAGE_DIFFERENCE, /* of two samples of `count` each */
    STATS_COVERAGES
};

/* Share of samples of `count` independent normal values whose interval of the mean
 * holds the true mean: from a table measured by simulation, linear between its rows.
 * NaN for what was not measured: a confidence other than 0.99, fewer values than the
 * first row has (2, where the interval can be made) or more than 100. */
double stats_coverage_measured(enum stats_coverage_of interval, size_t count,
                               double level);

#endif
