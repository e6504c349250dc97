#include "cli/study/series_slice.h"

#include "base/parse.h"

#include <math.h>

bool series_slicing_take(struct series_slicing *slicing, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr)
{
    switch (id) {
    case SERIES_OPTION_POINTS:
        *ret_code =
            parse_positive(value, "--points-per-interval", &slicing->points, reterr);
        return true;
    case SERIES_OPTION_INTERVALS:
        *ret_code = parse_whole(value, "--test-intervals", 2, 1000000,
                                &slicing->intervals, reterr);
        return true;
    default:
        return false;
    }
}

enum duet_code series_slice(const struct series_slicing *slicing,
                            struct study_series *series, struct duet_error *reterr)
{
    if (series->test_points == 0 && !(slicing->points > 0.0)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "nothing says how many measurements of %s make an interval: "
            "give --points-per-interval, or how many are for tests (slices.csv, or a table's column test_points)",
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
