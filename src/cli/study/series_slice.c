#include "cli/study/series_slice.h"

#include <math.h>

enum duet_code series_slice(const struct series_slicing *slicing,
                            struct study_series *series, struct duet_error *reterr)
{
    if (series->test_points == 0 && !(slicing->points > 0.0)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "unknown how many measurements of %s make an interval: give "
            "--points-per-interval, or the number of test points (slices.csv, or a "
            "table's column test_points)",
            series->name);
    }
    if (series->test_points == 0) {
        double points = floor((double)slicing->intervals * slicing->points);
        series->test_points =
            points < (double)series->count ? (size_t)points : series->count;
    }
    series->interval = slicing->points > 0.0
                           ? slicing->points
                           : (double)series->test_points / (double)slicing->intervals;
    return DUET_OK;
}
