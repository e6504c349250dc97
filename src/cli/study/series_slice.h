/* Which measurements of a series are for tests, and how many make an interval: options
 * of the studies that replay tests. */
#ifndef DUET_CLI_SERIES_SLICE_H
#define DUET_CLI_SERIES_SLICE_H

#include "base/field.h"
#include "cli/options/option.h"
#include "study/study_stopping.h"

struct series_slicing {
    double points;      /* of an interval; 0: by the test points */
    uint64_t intervals; /* that tests may use */
};

/* told_by: where a user says how many points are for tests. */
#define SERIES_SLICING_ROWS(told_by)                                          \
    {"points-per-interval", 0, "X", CLI_OPTION_SETTING,                       \
     "Count N measurements as an interval, a day in the cloud. Default: the " \
     "test points that " told_by " tells, by --test-intervals."},             \
    {                                                                         \
        "test-intervals", 0, "N", CLI_OPTION_SETTING,                         \
            "Use the first N intervals for tests; the rest is the truth. "    \
            "Default: 21."                                                    \
    }

/* The fields of a request that has a struct series_slicing `slicing`. */
#define SERIES_SLICING_FIELDS(type, slicing)                                        \
    FIELD_DOUBLE("--points-per-interval", FIELD_IS_POSITIVE, type, slicing.points), \
        FIELD_WHOLE("--test-intervals", type, slicing.intervals, 2, 1000000)

/* Fills the test points and the interval of a series: test points as they are, or, when
 * they are 0, so many intervals, at most all points. Errors: DUET_E_USAGE (nothing says
 * how many points make an interval). */
BASE_MUST_USE enum duet_code series_slice(const struct series_slicing *slicing,
                                          struct study_series *series,
                                          struct duet_error *reterr);

#endif
