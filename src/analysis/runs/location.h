/* What an estimator means as a location inside a run. */
#ifndef DUET_ANALYSIS_LOCATION_H
#define DUET_ANALYSIS_LOCATION_H

#include "model/comparison.h"
#include "stats/rank/order.h"

/* Of logarithms the mean is the geometric mean of the ratios; the standard method takes
 * the same location of the times themselves (Bulej 2020 s.4.1: their mean). */
static inline enum stats_location analysis_location(enum model_estimator estimator)
{
    switch (estimator) {
    case MODEL_ESTIMATOR_TRIMMED:
        return STATS_LOCATION_TRIMMED;
    case MODEL_ESTIMATOR_MEDIAN:
        return STATS_LOCATION_MEDIAN;
    case MODEL_ESTIMATOR_GEOMEAN:
    case MODEL_ESTIMATORS:
        break;
    }
    return STATS_LOCATION_MEAN;
}

#endif
