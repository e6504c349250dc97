/* Which column of a data set's CSV is what. */
#ifndef DUET_FORMATS_DATASET_COLUMNS_H
#define DUET_FORMATS_DATASET_COLUMNS_H

#include "formats/csv_row.h"
#include "formats/dataset_csv.h"

#include <stdbool.h>
#include <stddef.h>

struct formats_dataset_list {
    size_t *columns; /* owned */
    size_t count;
};

/* Zeroed storage is empty. */
struct formats_dataset_columns {
    char **header; /* owned: the names */
    size_t count_of_header;
    struct formats_dataset_list names[MODEL_LEVELS];
    struct formats_dataset_list values; /* none: pairs */
    struct formats_dataset_list old_side;
    struct formats_dataset_list new_side;
    struct formats_dataset_list count;
    struct formats_where where;
    bool has_commit; /* pa's: all rows must have the same */
    size_t commit;
    bool has_mode; /* pa's: "thrpt" is a throughput */
    size_t mode;
};

/* row: the header. Errors: DUET_E_NOT_FOUND (says which columns there are),
 * DUET_E_NOMEM; release in any case. */
BASE_MUST_USE enum duet_code
formats_dataset_columns_find(const struct formats_csv_row *row, const char *file,
                             const struct formats_dataset_options *options,
                             struct formats_dataset_columns *ret_columns,
                             struct duet_error *reterr);
void formats_dataset_columns_release(struct formats_dataset_columns *columns);

#endif
