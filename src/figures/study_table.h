/* The answers of studies as tables. */
#ifndef DUET_FIGURES_STUDY_TABLE_H
#define DUET_FIGURES_STUDY_TABLE_H

#include "base/text.h"
#include "study/study_coverage.h"

#include <stddef.h>

/* For people: a row a model and size, a column a method, coverage in percent. Cells
 * without a sample are blank; "unbounded" where no interval had two ends. */
void study_table_append(struct text *text, const struct study_coverage_cell *cells,
                        size_t count, const struct study_coverage_plan *plan);

/* For programs: a row a cell that has samples. */
void study_table_append_records(struct text *csv, struct text *json,
                                const struct study_coverage_cell *cells, size_t count,
                                const struct study_coverage_plan *plan);

#endif
