/* The answers of `duet study sequential` as tables. */
#ifndef DUET_FIGURES_SEQUENTIAL_TABLE_H
#define DUET_FIGURES_SEQUENTIAL_TABLE_H

#include "base/text.h"
#include "study/study_sequential.h"

/* For people: a row a model that was asked for; blank where no sample is done. cells:
 * STUDY_SEQUENTIAL_MODELS of them. */
void sequential_table_append(struct text *text,
                             const struct study_sequential_cell *cells,
                             const struct study_sequential_plan *plan);

/* For programs: a row a model that has samples, header first, RFC 4180; an empty field
 * is a number of runs that was not enough. */
void sequential_table_append_csv(struct text *text,
                                 const struct study_sequential_cell *cells,
                                 const struct study_sequential_plan *plan);

#endif
