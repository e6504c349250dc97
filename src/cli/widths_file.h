/* Tables of widths as CSV: one workload on one platform a row. The columns group,
 * platform, suite, workload, duet, shuffled, standard must be there, in any order;
 * those of the other widths and together_ratio, runs, iterations may; others are
 * skipped. Widths are in percent; an empty field is unknown. */
#ifndef DUET_CLI_WIDTHS_FILE_H
#define DUET_CLI_WIDTHS_FILE_H

#include "base/text.h"
#include "study/study_widths.h"

/* Zeroed storage is an empty table. */
struct widths {
    struct study_width *rows;
    size_t count;
    size_t capacity;
};

/* Appends the file's rows. Errors: DUET_E_NOT_FOUND, DUET_E_IO, DUET_E_FORMAT (says
 * file, line, column), DUET_E_NOMEM; the table then holds what it held before. */
BASE_MUST_USE enum duet_code widths_read(const char *path, struct widths *widths,
                                         struct duet_error *reterr);

/* The same for the widths that Bulej 2020 published (s.7.2), which are built in. */
BASE_MUST_USE enum duet_code widths_published(struct widths *widths,
                                              struct duet_error *reterr);

/* What table 1 of Bulej 2020 prints for a platform ("Average": all of them) and suite;
 * NaN: nothing. */
double widths_printed_gain(const char *platform, const char *suite);

BASE_MUST_USE enum duet_code widths_add(struct widths *widths,
                                        const struct study_width *row,
                                        struct duet_error *reterr);
void widths_release(struct widths *widths);

/* The table in the same form, RFC 4180. */
void widths_append_csv(struct text *text, const struct widths *widths);

#endif
