/* A folder of series: one file a series, one measurement a line. */
#ifndef DUET_FORMATS_SERIES_FOLDER_H
#define DUET_FORMATS_SERIES_FOLDER_H

#include "base/error.h"

#include <stddef.h>

struct formats_series {
    char *name;  /* of the file, without its ending */
    char *group; /* the name's part before its first '-' */
    double *values;
    size_t count;
    size_t test_points; /* by slices.csv; 0: not said */
};

/* What a folder holds, by name. */
struct formats_series_folder {
    struct formats_series *series;
    size_t count;
};

/* All *.txt and *.csv of a folder, or one such file. A file holds a number a line, or
 * is CSV with a header, of which the column "value" counts, else the last one; lines
 * that begin with '#' are left out. slices.csv in the folder (columns file,
 * test_points) says how many of a series' first values are for tests. Errors:
 * DUET_E_NOT_FOUND, DUET_E_FORMAT (no number; with file, line, column), DUET_E_TOO_FEW
 * (no series, an empty one), DUET_E_IO, DUET_E_NOMEM. Release with
 * formats_series_folder_release(). */
BASE_MUST_USE enum duet_code
formats_series_folder_read(const char *path, struct formats_series_folder *ret_folder,
                           struct duet_error *reterr);
/* One such file that another file names: it has to be a regular one. Errors as above.
 */
BASE_MUST_USE enum duet_code
formats_series_folder_read_file(const char *path,
                                struct formats_series_folder *ret_folder,
                                struct duet_error *reterr);
void formats_series_folder_release(struct formats_series_folder *folder);

#endif
