#include "study/study_density.h"

#include "stats/spread.h"

#include <math.h>

enum duet_code study_density_of(double *values, size_t count, size_t points,
                                double *ret_at, double *ret_density,
                                struct duet_error *reterr)
{
    return stats_density_of(values, count, points, ret_at, ret_density, reterr);
}

struct study_reach study_reach_of(double mean, double sd)
{
    return (struct study_reach){isnan(sd) ? sd : fmax(mean - sd, 0.0), mean + sd};
}
