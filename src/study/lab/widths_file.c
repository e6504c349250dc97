#include "study/lab/widths_file.h"

#include "base/day.h"
#include "formats/csv_row.h"
#include "formats/scan.h"
#include "study/lab/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which field of the file holds each column; SIZE_MAX: none does. */
struct head {
    size_t fields[WIDTHS_COLUMNS];
};

static enum duet_code head_of(const struct formats_source *source,
                              const struct formats_csv_row *row, struct head *ret_head,
                              struct duet_error *reterr)
{
    for (size_t column = 0; column < WIDTHS_COLUMNS; column++) {
        ret_head->fields[column] = SIZE_MAX;
        for (size_t field = 0; field < row->count; field++) {
            if (strcmp(formats_csv_row_text(row, field), widths_column_name(column)) ==
                0) {
                ret_head->fields[column] = field;
            }
        }
        if (column < WIDTHS_NEEDED && ret_head->fields[column] == SIZE_MAX) {
            return formats_source_error(
                source, 1, 1, reterr,
                "no column '%s'; the columns are group, platform, suite, workload, duet, "
                "shuffled and standard",
                widths_column_name(column));
        }
    }
    return DUET_OK;
}

static enum duet_code take_name(const struct formats_source *source,
                                const struct formats_csv_row *row, size_t field,
                                struct study_width *width, size_t column,
                                struct duet_error *reterr)
{
    char *const names[WIDTHS_NAMES] = {width->group, width->platform, width->suite,
                                       width->workload};
    const size_t sizes[WIDTHS_NAMES] = {sizeof width->group, sizeof width->platform,
                                        sizeof width->suite, sizeof width->workload};
    const struct formats_csv_field *where = &row->fields[field];
    if (where->length >= sizes[column]) {
        return formats_source_error(source, where->line, where->column, reterr,
                                    "a name of %zu bytes; at most %zu are kept",
                                    where->length, sizes[column] - 1);
    }
    memcpy(names[column], formats_csv_row_text(row, field), where->length + 1);
    return DUET_OK;
}

static enum duet_code take_number(const struct formats_source *source,
                                  const struct formats_csv_row *row, size_t field,
                                  double *ret_number, struct duet_error *reterr)
{
    const struct formats_csv_field *where = &row->fields[field];
    const char *text = formats_csv_row_text(row, field);
    *ret_number = (double)NAN;
    if (where->length == 0) {
        return DUET_OK;
    }
    if (!formats_scan_number(text, where->length, ret_number) || !(*ret_number > 0)) {
        return formats_source_error(source, where->line, where->column, reterr,
                                    "'%s' is not a number above 0", text);
    }
    return DUET_OK;
}

static enum duet_code take_day(const struct formats_source *source,
                               const struct formats_csv_row *row, size_t field,
                               int64_t *ret_utc_ms, struct duet_error *reterr)
{
    const struct formats_csv_field *where = &row->fields[field];
    const char *text = formats_csv_row_text(row, field);
    if (where->length != 0 && !day_read(text, ret_utc_ms)) {
        return formats_source_error(source, where->line, where->column, reterr,
                                    "'%s' is not a day: write it as 2026-11-22", text);
    }
    return DUET_OK;
}

/* Whether the row has the field of a column. */
static enum duet_code field_of(const struct formats_source *source,
                               const struct formats_csv_row *row, size_t field,
                               struct duet_error *reterr)
{
    return field < row->count
               ? DUET_OK
               : formats_source_error(source, row->fields[0].line, 1, reterr,
                                      "%zu fields, but the header has more",
                                      row->count);
}

static enum duet_code take_row(const struct formats_source *source,
                               const struct formats_csv_row *row,
                               const struct head *head, struct study_width *ret_width,
                               struct duet_error *reterr)
{
    struct study_width width = {0};
    enum duet_code code = DUET_OK;
    for (size_t column = 0; column < WIDTHS_NAMES && code == DUET_OK; column++) {
        size_t field = head->fields[column];
        code = field_of(source, row, field, reterr);
        if (code == DUET_OK) {
            code = take_name(source, row, field, &width, column, reterr);
        }
    }
    for (size_t number = 0; number < WIDTHS_NUMBERS && code == DUET_OK; number++) {
        size_t field = head->fields[WIDTHS_NAMES + number];
        *widths_number(&width, number) = (double)NAN;
        if (field == SIZE_MAX) {
            continue;
        }
        code = field_of(source, row, field, reterr);
        if (code == DUET_OK) {
            code =
                take_number(source, row, field, widths_number(&width, number), reterr);
        }
    }
    for (size_t day = 0; day < WIDTHS_DAYS && code == DUET_OK; day++) {
        size_t field = head->fields[WIDTHS_NAMES + WIDTHS_NUMBERS + day];
        if (field == SIZE_MAX) {
            continue;
        }
        code = field_of(source, row, field, reterr);
        if (code == DUET_OK) {
            code = take_day(source, row, field, widths_day(&width, day), reterr);
        }
    }
    *ret_width = width;
    return code;
}

static enum duet_code read_rows(struct formats_source *source, struct widths *widths,
                                struct duet_error *reterr)
{
    struct formats_csv_row row = {0};
    struct head head = {{0}};
    bool more = false;
    size_t before = widths->count;
    enum duet_code code = formats_csv_row_read(source, ',', &row, &more, reterr);
    if (code == DUET_OK && !more) {
        code = formats_source_error(source, 1, 1, reterr, "the file is empty");
    }
    if (code == DUET_OK) {
        code = head_of(source, &row, &head, reterr);
    }
    while (code == DUET_OK && more) {
        struct study_width width;
        code = formats_csv_row_read(source, ',', &row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(source, &row, &head, &width, reterr);
        }
        if (code == DUET_OK && more) {
            code = widths_add(widths, &width, reterr);
        }
    }
    formats_csv_row_release(&row);
    if (code == DUET_OK && widths->count == before) {
        code = formats_source_error(source, 2, 1, reterr, "there is no row");
    }
    if (code != DUET_OK) {
        widths->count = before;
    }
    return code;
}

enum duet_code widths_read(const char *path, struct widths *widths,
                           struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    enum duet_code code = formats_source_open(path, &source, reterr);
    if (code == DUET_OK) {
        code = read_rows(source, widths, reterr);
        widths->confidence = 0.0; /* a file does not say */
        formats_source_close(source);
    }
    return code;
}

enum duet_code widths_published(struct widths *widths, struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    /* fmemopen() takes no const, and writes nothing when it opens for reading. */
    union {
        const unsigned char *given;
        void *taken;
    } bytes = {.given = published_widths};
    FILE *file = fmemopen(bytes.taken, published_widths_size, "r");
    if (file == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code =
        formats_source_of(file, "the published widths", &source, reterr);
    if (code != DUET_OK) {
        (void)fclose(file);
        return code;
    }
    code = read_rows(source, widths, reterr);
    widths->source = "Bulej et al. 2020";
    widths->confidence = 0.99;
    formats_source_close(source);
    return code;
}
