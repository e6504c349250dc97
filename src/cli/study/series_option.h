/* Options of the studies that replay tests: a struct series_slicing. */
#ifndef DUET_CLI_SERIES_OPTION_H
#define DUET_CLI_SERIES_OPTION_H

#include "base/field.h"
#include "cli/options/option.h"
#include "study/lab/series_slice.h"

/* told_by: where a user says how many points are for tests. */
#define SERIES_SLICING_ROWS(told_by)                                          \
    {"points-per-interval", 0, "X", CLI_OPTION_SETTING,                       \
     "Count X measurements as an interval, a day in the cloud. Default: the " \
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

#endif
