/* The first row of a CSV file. */
#ifndef DUET_FORMATS_CSV_HEADER_H
#define DUET_FORMATS_CSV_HEADER_H

#include "formats/csv_row.h"
#include "formats/source.h"

#include <stdbool.h>
#include <stddef.h>

enum { FORMATS_WHERE_MAX = 16 };

/* "COLUMN=VALUE": only rows that have all of these. */
struct formats_where {
    const char *list[FORMATS_WHERE_MAX]; /* borrowed */
    size_t count;
    size_t columns[FORMATS_WHERE_MAX]; /* of formats_where_find() */
};
/* Adds one. Errors: DUET_E_USAGE (not of this form, too many). */
BASE_MUST_USE enum duet_code formats_where_take(struct formats_where *where,
                                                const char *value,
                                                struct duet_error *reterr);
/* Errors: DUET_E_NOT_FOUND (a column; lists those of the header). */
BASE_MUST_USE enum duet_code formats_where_find(struct formats_where *where,
                                                const struct formats_csv_row *header,
                                                const char *file,
                                                struct duet_error *reterr);
bool formats_where_holds(const struct formats_where *where,
                         const struct formats_csv_row *row);

/* "'FILE' has no WHAT; its columns: ...", DUET_E_NOT_FOUND. */
enum duet_code formats_csv_not_found(const struct formats_csv_row *header,
                                     const char *file, const char *what,
                                     struct duet_error *reterr);

/* Without the spaces around it. */
void formats_csv_trim(const char **text, size_t *length);
/* Whether a column has this name: without case, and spaces around it do not count. */
bool formats_csv_is_called(const char *text, size_t length, const char *name);
/* The name without a unit behind it, too: "time_ns" and "time (ns)" are "time". */
bool formats_csv_is_usually_called(const char *text, const char *name);

/* Reads the row with the names, behind blank lines and lines that begin with '#'.
 * *separator: 0 becomes the commonest of , ; tab in it. Errors: as
 * formats_csv_row_read(), and DUET_E_TOO_FEW (an empty file). */
BASE_MUST_USE enum duet_code formats_csv_header_read(struct formats_source *source,
                                                     char *separator,
                                                     struct formats_csv_row *row,
                                                     struct duet_error *reterr);

#endif
