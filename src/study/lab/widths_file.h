/* Tables of widths as CSV: one workload on one platform a row. The columns group,
 * platform, suite, workload, duet, shuffled, standard must be there, in any order;
 * those of the other widths and together_ratio, runs, iterations, together_low,
 * together_high, first_day, last_day may; others are skipped. Widths are in percent,
 * days in UTC; an empty field is unknown. */
#ifndef DUET_STUDY_LAB_WIDTHS_FILE_H
#define DUET_STUDY_LAB_WIDTHS_FILE_H

#include "study/widths.h"

/* Appends the file's rows. Errors: DUET_E_NOT_FOUND, DUET_E_IO, DUET_E_FORMAT (says
 * file, line, column), DUET_E_NOMEM; the table then holds what it held before. */
BASE_MUST_USE enum duet_code widths_read(const char *path, struct widths *widths,
                                         struct duet_error *reterr);

/* The same for the widths that Bulej 2020 published (s.7.2), which are built in. */
BASE_MUST_USE enum duet_code widths_published(struct widths *widths,
                                              struct duet_error *reterr);

#endif
