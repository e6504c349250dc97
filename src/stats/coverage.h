/* How often the percentile-bootstrap interval really covers, as measured. */
#ifndef DUET_STATS_COVERAGE_H
#define DUET_STATS_COVERAGE_H

#include <stddef.h>

/* Share of samples of `count` independent normal values whose percentile-bootstrap
 * interval of the mean holds the true mean: from a table measured by simulation, linear
 * between its rows. NaN for what was not measured: a confidence other than 0.99, fewer
 * than 2 or more than 100 values. */
double stats_coverage_percentile(size_t count, double level);

#endif
