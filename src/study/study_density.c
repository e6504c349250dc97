#include "study/study_density.h"

#include "stats/spread.h"

enum duet_code study_density_of(double *values, size_t count, size_t points,
                                double *ret_at, double *ret_density,
                                struct duet_error *reterr)
{
    return stats_density_of(values, count, points, ret_at, ret_density, reterr);
}
