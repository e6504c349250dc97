/* The answers of the studies that draw groups. */
#ifndef DUET_CLI_GRID_TABLE_H
#define DUET_CLI_GRID_TABLE_H

#include "cli/grid_study.h"

/* For people. cells: of all configurations; what is not done is left out. */
void grid_table_append(struct text *text, const struct grid_request *request,
                       const struct model_dataset *dataset,
                       const struct study_grid_cell *cells);

/* For programs: a row a configuration, sampling and test, and where there are several
 * of them a cell and a slowdown. */
void grid_table_append_records(struct text *csv, struct text *json,
                               const struct grid_request *request,
                               const struct model_dataset *dataset,
                               const struct study_grid_cell *cells);

#endif
