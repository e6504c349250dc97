/* CSV, row by row (RFC 4180). */
#ifndef DUET_FORMATS_CSV_ROW_H
#define DUET_FORMATS_CSV_ROW_H

#include "formats/source.h"

#include <stdbool.h>
#include <stddef.h>

enum { FORMATS_CSV_FIELDS_MAX = 4096, FORMATS_CSV_FIELD_BYTES_MAX = 1 << 20 };

struct formats_csv_field {
    size_t start;  /* in the row's bytes; NUL-terminated there */
    size_t length; /* without the NUL; fields hold no NUL of their own */
    uint64_t line; /* where it begins in the file */
    uint64_t column;
};

/* Zeroed storage is an empty row; formats_csv_row_release() frees it. */
struct formats_csv_row {
    char *bytes;
    size_t length;
    size_t capacity;
    struct formats_csv_field *fields;
    size_t count;
    size_t fields_capacity;
};

/* The next row that is not blank. Lines end in LF or CR LF; a field in quotes may hold
 * separators, line breaks and doubled quotes. *ret_more: false at the end of the file.
 * Errors: DUET_E_FORMAT (with file, line, column: quote not closed, text behind a
 * closing quote, a quote within a field without quotes, a NUL byte, too long, too many
 * fields), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_csv_row_read(struct formats_source *source,
                                                  char separator,
                                                  struct formats_csv_row *row,
                                                  bool *ret_more,
                                                  struct duet_error *reterr);

static inline const char *formats_csv_row_text(const struct formats_csv_row *row,
                                               size_t field)
{
    return row->bytes + row->fields[field].start;
}

void formats_csv_row_release(struct formats_csv_row *row);

#endif
