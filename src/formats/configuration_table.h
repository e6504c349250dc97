/* A table of machines' configurations and what was measured on each: CSV. */
#ifndef DUET_FORMATS_CONFIGURATION_TABLE_H
#define DUET_FORMATS_CONFIGURATION_TABLE_H

#include "base/error.h"

#include <stddef.h>

enum { FORMATS_CONFIGURATION_FEATURES_MAX = 16 };

struct formats_configuration {
    char *benchmark; /* "-" where no column says it */
    char *name;
    double *features;
    double *values; /* in the order of measurement, > 0 */
    size_t count;
    size_t test_points; /* the first ones, which tests may use; 0: not said */
    double truth;       /* the mean that is known beside the values; NaN: not said */
};

struct formats_configuration_table {
    struct formats_configuration *rows; /* as in the file */
    size_t count;
    size_t features;
};

/* A row a configuration. Columns by the names in the first row: "configuration";
 * "series" (a file in the form that formats_series_folder_read_file() takes, relative
 * to the table's folder) or "values" (numbers between blanks or semicolons); where
 * there are such, "benchmark", "test_points" and "truth" (a cell may be empty); every
 * other column is a feature, a number in each row. Lines that begin with '#' are left
 * out. Errors: DUET_E_FORMAT (with file, line, column: a column is missing or there
 * twice, a cell is no number, a configuration is there twice, a series cannot be read),
 * DUET_E_TOO_FEW (no row), DUET_E_NOT_FOUND (the table), DUET_E_IO, DUET_E_NOMEM.
 * Release with formats_configuration_table_release(). */
BASE_MUST_USE enum duet_code
formats_configuration_table_read(const char *path,
                                 struct formats_configuration_table *ret_table,
                                 struct duet_error *reterr);
void formats_configuration_table_release(struct formats_configuration_table *table);

#endif
