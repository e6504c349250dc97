/* Which measurements of a series are for tests, and how many make an interval. */
#ifndef DUET_STUDY_LAB_SERIES_SLICE_H
#define DUET_STUDY_LAB_SERIES_SLICE_H

#include "formats/configuration_table.h"
#include "study/study_prediction.h"
#include "study/study_stopping.h"

struct series_slicing {
    double points;      /* of an interval; 0: by the test points */
    uint64_t intervals; /* that tests may use */
};

/* Fills the test points and the interval of a series: test points as they are, or, when
 * they are 0, so many intervals, at most all points. Errors: DUET_E_USAGE (nothing says
 * how many points make an interval). */
BASE_MUST_USE enum duet_code series_slice(const struct series_slicing *slicing,
                                          struct study_series *series,
                                          struct duet_error *reterr);

/* A row of a table as a configuration, which borrows from it: tests read its first
 * values, the others are the truth, unless the table tells it. Errors: as above;
 * DUET_E_DOMAIN (too few measurements), and those of study_truth_of(). */
BASE_MUST_USE enum duet_code series_slice_row(
    const struct series_slicing *slicing, const struct formats_configuration *row,
    struct study_configuration *ret_configuration, struct duet_error *reterr);

#endif
