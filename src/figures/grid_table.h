/* The answers of the studies that draw groups. */
#ifndef DUET_FIGURES_GRID_TABLE_H
#define DUET_FIGURES_GRID_TABLE_H

#include "base/text.h"
#include "model/dataset.h"
#include "study/grid/study_grid_summary.h"

#include <stdbool.h>

enum grid_kind { GRID_FALSE_POSITIVES, GRID_SAMPLES, GRID_DETECTABLE };

/* What was asked. */
struct grid_question {
    enum grid_kind kind;
    struct study_grid_plan plan;
    double found_least; /* of the draws, for a slowdown that is found reliably */
    bool details;       /* a table of each benchmark, too */
};

/* For people. cells: of all configurations; what is not done is left out. */
void grid_table_append(struct text *text, const struct grid_question *question,
                       const struct model_dataset *dataset,
                       const struct study_grid_cell *cells);

/* For programs: a row a configuration, sampling and test, and where there are several
 * of them a cell and a slowdown. */
void grid_table_append_records(struct text *csv, struct text *json,
                               const struct grid_question *question,
                               const struct model_dataset *dataset,
                               const struct study_grid_cell *cells);

#endif
