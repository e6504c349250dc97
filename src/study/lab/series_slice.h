/* Which measurements of a series are for tests, and how many make an interval. */
#ifndef DUET_STUDY_LAB_SERIES_SLICE_H
#define DUET_STUDY_LAB_SERIES_SLICE_H

#include "formats/configuration_table.h"
#include "formats/series_folder.h"
#include "study/study_prediction.h"
#include "study/study_stopping.h"

struct series_slicing {
    double points;      /* of an interval; 0: by the test points */
    uint64_t intervals; /* that tests may use */
};

/* The series of a folder: test points as it says, or, where it does not, so many
 * intervals, at most all points. What they hold is borrowed from the folder; free() the
 * list. Errors: DUET_E_USAGE (nothing says how many points make an interval),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
series_slice_folder(const struct series_slicing *slicing,
                    const struct formats_series_folder *folder,
                    struct study_series **ret_series, struct duet_error *reterr);

/* The rows of a table likewise: tests read a row's first values, the others are the
 * truth, unless the table tells it. Errors: as above; DUET_E_DOMAIN (too few
 * measurements), and those of study_truth_of(). */
BASE_MUST_USE enum duet_code
series_slice_table(const struct series_slicing *slicing,
                   const struct formats_configuration_table *table,
                   struct study_configuration **ret_configurations,
                   struct duet_error *reterr);

#endif
