#include "formats/series_folder.h"

#include "base/alloc.h"
#include "formats/csv_row.h"
#include "formats/scan.h"
#include "formats/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char description[] = "slices.csv";

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name);
    size_t wanted = strlen(ending);
    return length > wanted && strcasecmp(name + length - wanted, ending) == 0;
}

static int is_series(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, description) != 0 &&
           (ends_with(entry->d_name, ".txt") || ends_with(entry->d_name, ".csv"));
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

void formats_series_folder_release(struct formats_series_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->series[i].name);
        free(folder->series[i].group);
        free(folder->series[i].values);
    }
    free(folder->series);
    *folder = (struct formats_series_folder){0};
}

static enum duet_code append_value(struct formats_series *series, size_t *capacity,
                                   double value, struct duet_error *reterr)
{
    double *values =
        alloc_grow(series->values, series->count, capacity, sizeof *values);
    if (values == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for more than %zu values",
                         series->count);
    }
    series->values = values;
    series->values[series->count++] = value;
    return DUET_OK;
}

/* Where the values of a file with this header stand. */
static size_t value_column(const struct formats_csv_row *header)
{
    for (size_t i = 0; i < header->count; i++) {
        if (strcasecmp(formats_csv_row_text(header, i), "value") == 0) {
            return i;
        }
    }
    return header->count - 1;
}

/* One row: a value, the header, or a comment. */
static enum duet_code take_row(const struct formats_source *source,
                               const struct formats_csv_row *row, bool first,
                               size_t *column, struct formats_series *series,
                               size_t *capacity, struct duet_error *reterr)
{
    double value = 0.0;
    if (formats_csv_row_text(row, 0)[0] == '#') {
        return DUET_OK;
    }
    size_t at = *column < row->count ? *column : row->count - 1;
    const struct formats_csv_field *field = &row->fields[at];
    if (formats_scan_number(formats_csv_row_text(row, at), field->length, &value)) {
        return append_value(series, capacity, value, reterr);
    }
    if (first) {
        *column = value_column(row);
        return DUET_OK;
    }
    return formats_source_error(source, field->line, field->column, reterr,
                                "'%.40s' is not a number",
                                formats_csv_row_text(row, at));
}

typedef enum duet_code open_source(const char *path, struct formats_source **ret_source,
                                   struct duet_error *reterr);

static enum duet_code read_values(const char *path, open_source *open,
                                  struct formats_series *series,
                                  struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    struct formats_csv_row row = {0};
    enum duet_code code = open(path, &source, reterr);
    size_t column = 0;
    size_t capacity = 0;
    bool more = code == DUET_OK;
    for (bool first = true; more && code == DUET_OK; first = false) {
        code = formats_csv_row_read(source, ',', &row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(source, &row, first, &column, series, &capacity, reterr);
        }
    }
    if (code == DUET_OK && series->count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "'%s' holds no number", path);
    }
    formats_csv_row_release(&row);
    formats_source_close(source);
    return code;
}

static enum duet_code read_series(const char *path, const char *file, open_source *open,
                                  struct formats_series *ret_series,
                                  struct duet_error *reterr)
{
    struct formats_series made = {0};
    size_t length = strlen(file);
    const char *dot = strrchr(file, '.');
    made.name = alloc_string_n(file, dot == NULL ? length : (size_t)(dot - file));
    made.group = alloc_string_n(file, strcspn(file, "-."));
    enum duet_code code = DUET_OK;
    if (made.name == NULL || made.group == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for a series");
    } else {
        code = read_values(path, open, &made, reterr);
    }
    if (code != DUET_OK) {
        free(made.name);
        free(made.group);
        free(made.values);
        return code;
    }
    *ret_series = made;
    return DUET_OK;
}

/* "FILE,POINTS": to the series of that file, where there is one. */
static enum duet_code take_slice(const struct formats_source *source,
                                 const struct formats_csv_row *row,
                                 struct formats_series_folder *folder,
                                 struct duet_error *reterr)
{
    uint64_t points = 0;
    if (row->count < 2 || !formats_scan_whole(formats_csv_row_text(row, 1),
                                              row->fields[1].length, &points)) {
        return formats_source_error(
            source, row->fields[0].line, row->fields[0].column, reterr,
            "a row is the name of a file and its number of test points");
    }
    const char *file = formats_csv_row_text(row, 0);
    const char *dot = strrchr(file, '.');
    size_t length = dot == NULL ? strlen(file) : (size_t)(dot - file);
    for (size_t i = 0; i < folder->count; i++) {
        struct formats_series *series = &folder->series[i];
        if (strlen(series->name) == length &&
            strncmp(series->name, file, length) == 0) {
            series->test_points = (size_t)points;
        }
    }
    return DUET_OK;
}

static enum duet_code read_slices(const char *path,
                                  struct formats_series_folder *folder,
                                  struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    struct formats_csv_row row = {0};
    struct duet_error error = {0};
    enum duet_code code = formats_source_open_plain(path, &source, &error);
    if (code == DUET_E_NOT_FOUND) {
        return DUET_OK;
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    bool more = true;
    code = formats_csv_row_read(source, ',', &row, &more, reterr); /* the header */
    while (code == DUET_OK && more) {
        code = formats_csv_row_read(source, ',', &row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_slice(source, &row, folder, reterr);
        }
    }
    formats_csv_row_release(&row);
    formats_source_close(source);
    return code;
}

/* A file of the folder as the next of its series. */
static enum duet_code add_entry(const char *path, const char *file,
                                struct formats_series_folder *folder,
                                struct duet_error *reterr)
{
    char *whole = alloc_format("%s/%s", path, file);
    if (whole == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a path");
    }
    enum duet_code code = read_series(whole, file, formats_source_open_plain,
                                      &folder->series[folder->count], reterr);
    folder->count += code == DUET_OK ? 1 : 0;
    free(whole);
    return code;
}

static enum duet_code read_entries(const char *path, struct dirent **entries, int count,
                                   struct formats_series_folder *folder,
                                   struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "'%s' holds no series: files named *.txt or *.csv", path);
    }
    folder->series = alloc_array((size_t)count, sizeof *folder->series);
    if (folder->series == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %d series", count);
    }
    enum duet_code code = DUET_OK;
    for (int i = 0; i < count && code == DUET_OK; i++) {
        code = add_entry(path, entries[i]->d_name, folder, reterr);
    }
    return code;
}

static enum duet_code read_one(const char *path, open_source *open,
                               struct formats_series_folder *folder,
                               struct duet_error *reterr)
{
    const char *slash = strrchr(path, '/');
    folder->series = alloc_array(1, sizeof *folder->series);
    if (folder->series == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a series");
    }
    enum duet_code code = read_series(path, slash == NULL ? path : slash + 1, open,
                                      &folder->series[0], reterr);
    folder->count = code == DUET_OK ? 1 : 0;
    return code;
}

static enum duet_code read_folder(const char *path, struct dirent **entries, int count,
                                  struct formats_series_folder *folder,
                                  struct duet_error *reterr)
{
    enum duet_code code = read_entries(path, entries, count, folder, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *slices = alloc_format("%s/%s", path, description);
    if (slices == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a path");
    }
    code = read_slices(slices, folder, reterr);
    free(slices);
    return code;
}

enum duet_code formats_series_folder_read_file(const char *path,
                                               struct formats_series_folder *ret_folder,
                                               struct duet_error *reterr)
{
    struct formats_series_folder folder = {0};
    enum duet_code code = read_one(path, formats_source_open_plain, &folder, reterr);
    if (code != DUET_OK) {
        formats_series_folder_release(&folder);
        return code;
    }
    *ret_folder = folder;
    return DUET_OK;
}

enum duet_code formats_series_folder_read(const char *path,
                                          struct formats_series_folder *ret_folder,
                                          struct duet_error *reterr)
{
    struct formats_series_folder folder = {0};
    struct dirent **entries = NULL;
    enum duet_code code = DUET_OK;
    int count = scandir(path, &entries, is_series, by_name);
    if (count < 0 && errno == ENOTDIR) {
        code = read_one(path, formats_source_open, &folder, reterr);
    } else if (count < 0) {
        enum duet_code why = errno == ENOENT ? DUET_E_NOT_FOUND : DUET_E_IO;
        code = error_set_errno(reterr, why, errno, "cannot read '%s'", path);
    } else {
        code = read_folder(path, entries, count, &folder, reterr);
    }
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    if (code != DUET_OK) {
        formats_series_folder_release(&folder);
        return code;
    }
    *ret_folder = folder;
    return DUET_OK;
}
