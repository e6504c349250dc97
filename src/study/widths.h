/* A table of widths: one workload on one platform a row. */
#ifndef DUET_STUDY_WIDTHS_H
#define DUET_STUDY_WIDTHS_H

#include "study/study_widths.h"

#include <stdint.h>

/* Zeroed storage is an empty table. */
struct widths {
    struct study_width *rows;
    size_t count;
    size_t capacity;
    const char *source; /* who published them; NULL: nobody is named */
    double confidence;  /* of the intervals; 0: not known of all rows */
};

/* Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code widths_add(struct widths *widths,
                                        const struct study_width *row,
                                        struct duet_error *reterr);
void widths_release(struct widths *widths);

/* Its columns in a file: the names, the widths, the rest, two days; the first NEEDED
 * must be there.
 */
enum {
    WIDTHS_NAMES = 4,
    WIDTHS_NUMBERS = STUDY_WIDTH_KINDS + 5,
    WIDTHS_DAYS = 2,
    WIDTHS_COLUMNS = WIDTHS_NAMES + WIDTHS_NUMBERS + WIDTHS_DAYS,
    WIDTHS_NEEDED = WIDTHS_NAMES + STUDY_WIDTH_STANDARD + 1
};
const char *widths_column_name(size_t column);
/* Where a row has number `number` of WIDTHS_NUMBERS. */
double *widths_number(struct study_width *row, size_t number);
/* Where a row has day `day` of WIDTHS_DAYS. */
int64_t *widths_day(struct study_width *row, size_t day);

#endif
