#include "formats/configuration_table.h"

#include "base/alloc.h"
#include "formats/csv_header.h"
#include "formats/scan.h"
#include "formats/series_folder.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a column is; the others are features. */
enum role {
    ROLE_CONFIGURATION,
    ROLE_BENCHMARK,
    ROLE_SERIES,
    ROLE_VALUES,
    ROLE_TEST_POINTS,
    ROLE_TRUTH,
    ROLES
};
static const char *const role_names[ROLES] = {"configuration", "benchmark",   "series",
                                              "values",        "test_points", "truth"};
enum { NOWHERE = FORMATS_CSV_FIELDS_MAX };

struct reader {
    struct formats_source *source;
    const char *path;
    struct formats_csv_row row;
    char separator;
    size_t columns;
    size_t roles[ROLES]; /* column; NOWHERE: none */
    size_t features[FORMATS_CONFIGURATION_FEATURES_MAX];
    struct formats_configuration_table *table;
    size_t capacity;
};

static void row_release(struct formats_configuration *row)
{
    free(row->benchmark);
    free(row->name);
    free(row->features);
    free(row->values);
}

void formats_configuration_table_release(struct formats_configuration_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        row_release(&table->rows[i]);
    }
    free(table->rows);
    *table = (struct formats_configuration_table){.count = 0};
}

/* "FILE:LINE:COLUMN: MESSAGE" about a field of the row. */
static enum duet_code wrong(const struct reader *reader, size_t column,
                            struct duet_error *reterr, const char *message)
{
    const struct formats_csv_field *field = &reader->row.fields[column];
    return formats_source_error(reader->source, field->line, field->column, reterr,
                                "%s", message);
}

/* A field without the blanks around it. */
static const char *field_of(const struct reader *reader, size_t column,
                            size_t *ret_length)
{
    const char *text = formats_csv_row_text(&reader->row, column);
    *ret_length = reader->row.fields[column].length;
    formats_csv_trim(&text, ret_length);
    return text;
}

static bool is_role(const char *text, size_t length, enum role *ret_role)
{
    for (size_t r = 0; r < ROLES; r++) {
        if (formats_csv_is_called(text, length, role_names[r])) {
            *ret_role = (enum role)r;
            return true;
        }
    }
    return false;
}

static enum duet_code take_column(struct reader *reader, size_t column,
                                  struct duet_error *reterr)
{
    size_t length = 0;
    const char *text = field_of(reader, column, &length);
    enum role role = ROLES;
    if (is_role(text, length, &role)) {
        if (reader->roles[role] != NOWHERE) {
            return wrong(reader, column, reterr, "a second column of this name");
        }
        reader->roles[role] = column;
        return DUET_OK;
    }
    if (reader->table->features == FORMATS_CONFIGURATION_FEATURES_MAX) {
        return wrong(reader, column, reterr, "more than 16 columns are features");
    }
    reader->features[reader->table->features++] = column;
    return DUET_OK;
}

static enum duet_code take_header(struct reader *reader, struct duet_error *reterr)
{
    enum duet_code code = formats_csv_header_read(reader->source, &reader->separator,
                                                  &reader->row, reterr);
    reader->columns = reader->row.count;
    for (size_t r = 0; r < ROLES; r++) {
        reader->roles[r] = NOWHERE;
    }
    for (size_t i = 0; i < reader->columns && code == DUET_OK; i++) {
        code = take_column(reader, i, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    if (reader->roles[ROLE_CONFIGURATION] == NOWHERE) {
        return wrong(reader, 0, reterr, "no column is called 'configuration'");
    }
    if ((reader->roles[ROLE_SERIES] == NOWHERE) ==
        (reader->roles[ROLE_VALUES] == NOWHERE)) {
        return wrong(reader, 0, reterr,
                     "one column must be called 'series' or 'values'");
    }
    if (reader->table->features == 0) {
        return wrong(reader, 0, reterr,
                     "no column is left that describes a configuration");
    }
    return DUET_OK;
}

/* A copy of the field; `none` where there is no such column. */
static enum duet_code take_name(const struct reader *reader, enum role role,
                                const char *none, char **ret_name,
                                struct duet_error *reterr)
{
    size_t length = strlen(none);
    const char *text = none;
    if (reader->roles[role] != NOWHERE) {
        text = field_of(reader, reader->roles[role], &length);
        if (length == 0) {
            return wrong(reader, reader->roles[role], reterr, "a name is missing");
        }
    }
    *ret_name = alloc_string_n(text, length);
    return *ret_name == NULL ? error_set(reterr, DUET_E_NOMEM, "no memory for a name")
                             : DUET_OK;
}

static enum duet_code take_features(const struct reader *reader,
                                    struct formats_configuration *made,
                                    struct duet_error *reterr)
{
    made->features = alloc_array(reader->table->features, sizeof *made->features);
    if (made->features == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for features");
    }
    for (size_t i = 0; i < reader->table->features; i++) {
        size_t length = 0;
        const char *text = field_of(reader, reader->features[i], &length);
        if (!formats_scan_number(text, length, &made->features[i])) {
            return wrong(reader, reader->features[i], reterr,
                         "a feature must be a number");
        }
    }
    return DUET_OK;
}

/* Test points and truth, where they are said. */
static enum duet_code take_optional(const struct reader *reader,
                                    struct formats_configuration *made,
                                    struct duet_error *reterr)
{
    size_t points_at = reader->roles[ROLE_TEST_POINTS];
    size_t truth_at = reader->roles[ROLE_TRUTH];
    uint64_t points = 0;
    size_t length = 0;
    const char *text = points_at == NOWHERE ? "" : field_of(reader, points_at, &length);
    if (length > 0 && (!formats_scan_whole(text, length, &points) || points == 0)) {
        return wrong(reader, points_at, reterr,
                     "test_points must be a whole number above 0");
    }
    made->test_points = (size_t)points;
    length = 0;
    text = truth_at == NOWHERE ? "" : field_of(reader, truth_at, &length);
    if (length > 0 &&
        (!formats_scan_number(text, length, &made->truth) || !(made->truth > 0.0))) {
        return wrong(reader, truth_at, reterr, "truth must be a number above 0");
    }
    return DUET_OK;
}

/* Numbers between blanks or semicolons. */
static enum duet_code take_values(const struct reader *reader,
                                  struct formats_configuration *made,
                                  struct duet_error *reterr)
{
    static const char between[] = " \t\r\n;";
    size_t column = reader->roles[ROLE_VALUES];
    const char *text = formats_csv_row_text(&reader->row, column);
    /* No more numbers than every second byte. */
    made->values =
        alloc_array(reader->row.fields[column].length / 2 + 1, sizeof *made->values);
    if (made->values == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for values");
    }
    for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
        size_t length = strcspn(text, between);
        if (!formats_scan_number(text, length, &made->values[made->count])) {
            return wrong(reader, column, reterr,
                         "values are numbers between blanks or semicolons");
        }
        made->count++;
        text += length;
    }
    return DUET_OK;
}

/* The path of a series, relative to the table's folder. */
static char *path_of(const struct reader *reader, const char *text, size_t length)
{
    const char *slash = strrchr(reader->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - reader->path + 1);
    return text[0] == '/'
               ? alloc_string_n(text, length)
               : alloc_format("%.*s%.*s", folder, reader->path, (int)length, text);
}

static enum duet_code take_series(const struct reader *reader,
                                  struct formats_configuration *made,
                                  struct duet_error *reterr)
{
    size_t column = reader->roles[ROLE_SERIES];
    size_t length = 0;
    const char *text = field_of(reader, column, &length);
    struct formats_series_folder folder = {0};
    struct duet_error error = {0};
    char *path = path_of(reader, text, length);
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a path");
    }
    enum duet_code code = formats_series_folder_read_file(path, &folder, &error);
    free(path);
    if (code == DUET_E_NOMEM) {
        return error_set(reterr, code, "%s", error.message);
    }
    if (code != DUET_OK) {
        return wrong(reader, column, reterr, error.message);
    }
    made->values = folder.series[0].values;
    made->count = folder.series[0].count;
    folder.series[0].values = NULL;
    formats_series_folder_release(&folder);
    return DUET_OK;
}

static enum duet_code check_row(const struct reader *reader,
                                const struct formats_configuration *made,
                                struct duet_error *reterr)
{
    size_t series = reader->roles[ROLE_SERIES];
    size_t at = series == NOWHERE ? reader->roles[ROLE_VALUES] : series;
    for (size_t i = 0; i < reader->table->count; i++) {
        if (strcmp(reader->table->rows[i].name, made->name) == 0 &&
            strcmp(reader->table->rows[i].benchmark, made->benchmark) == 0) {
            return wrong(reader, reader->roles[ROLE_CONFIGURATION], reterr,
                         "this configuration is there twice");
        }
    }
    for (size_t i = 0; i < made->count; i++) {
        if (!(made->values[i] > 0.0)) {
            return wrong(reader, at, reterr, "a measurement is not above 0");
        }
    }
    return made->count > 0 ? DUET_OK
                           : wrong(reader, at, reterr, "there is no measurement");
}

static enum duet_code read_row(const struct reader *reader,
                               struct formats_configuration *made,
                               struct duet_error *reterr)
{
    enum duet_code code =
        take_name(reader, ROLE_CONFIGURATION, "", &made->name, reterr);
    if (code == DUET_OK) {
        code = take_name(reader, ROLE_BENCHMARK, "-", &made->benchmark, reterr);
    }
    if (code == DUET_OK) {
        code = take_features(reader, made, reterr);
    }
    if (code == DUET_OK) {
        code = take_optional(reader, made, reterr);
    }
    if (code == DUET_OK) {
        code = reader->roles[ROLE_SERIES] == NOWHERE
                   ? take_values(reader, made, reterr)
                   : take_series(reader, made, reterr);
    }
    return code == DUET_OK ? check_row(reader, made, reterr) : code;
}

static enum duet_code add_row(struct reader *reader, struct duet_error *reterr)
{
    struct formats_configuration_table *table = reader->table;
    if (formats_csv_row_text(&reader->row, 0)[0] == '#') {
        return DUET_OK;
    }
    if (reader->row.count != reader->columns) {
        return wrong(reader, 0, reterr,
                     "a row has as many fields as the first one has columns");
    }
    struct formats_configuration *rows =
        alloc_grow(table->rows, table->count, &reader->capacity, sizeof *rows);
    if (rows == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for more than %zu rows",
                         table->count);
    }
    table->rows = rows;
    struct formats_configuration made = {.truth = (double)NAN};
    enum duet_code code = read_row(reader, &made, reterr);
    if (code != DUET_OK) {
        row_release(&made);
        return code;
    }
    table->rows[table->count++] = made;
    return DUET_OK;
}

enum duet_code
formats_configuration_table_read(const char *path,
                                 struct formats_configuration_table *ret_table,
                                 struct duet_error *reterr)
{
    struct formats_configuration_table table = {.count = 0};
    struct reader reader = {.path = path, .table = &table};
    bool more = true;
    enum duet_code code = formats_source_open(path, &reader.source, reterr);
    if (code == DUET_OK) {
        code = take_header(&reader, reterr);
    }
    while (code == DUET_OK && more) {
        code = formats_csv_row_read(reader.source, reader.separator, &reader.row, &more,
                                    reterr);
        if (code == DUET_OK && more) {
            code = add_row(&reader, reterr);
        }
    }
    if (code == DUET_OK && table.count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "'%s' holds no configuration", path);
    }
    formats_csv_row_release(&reader.row);
    formats_source_close(reader.source);
    if (code != DUET_OK) {
        formats_configuration_table_release(&table);
        return code;
    }
    *ret_table = table;
    return DUET_OK;
}
