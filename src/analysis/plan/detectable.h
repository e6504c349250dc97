/* The smallest change that an experiment could have shown, from how wide its interval
 * came out. */
#ifndef DUET_ANALYSIS_DETECTABLE_H
#define DUET_ANALYSIS_DETECTABLE_H

#include "stats/gaussian.h"

/* With which power. */
#define ANALYSIS_POWER 0.9

/* Of an interval that is as wide as a normal one: half of its width is z(1 - alpha/2)
 * standard errors, and a change of z(power) more is seen with that power. */
static inline double analysis_detectable_of_width(double width, double confidence)
{
    double to_end = stats_gaussian_quantile(0.5 + confidence / 2.0);
    return width / 2.0 * (1.0 + stats_gaussian_quantile(ANALYSIS_POWER) / to_end);
}

#endif
