/* The answer of duet study variability. */
#ifndef DUET_FIGURES_VARIABILITY_TABLE_H
#define DUET_FIGURES_VARIABILITY_TABLE_H

#include "base/text.h"
#include "model/dataset.h"
#include "study/study_cleaning.h"
#include "study/study_variability.h"

/* For people: table 5 of Laaber 2019 (a row a benchmark, a column an environment), the
 * sources of each configuration's variability, and what dominates. Rows that are not
 * done are left out. utf8: circles for the widths. */
void variability_table_append(struct text *text, const struct model_dataset *dataset,
                              const struct study_variability_row *rows,
                              const struct study_variability_plan *plan, bool utf8);

/* For programs. cleaned: one a configuration. */
void variability_table_append_records(struct text *csv, struct text *json,
                                      const struct model_dataset *dataset,
                                      const struct study_cleaned *cleaned,
                                      const struct study_variability_row *rows,
                                      const struct study_variability_plan *plan);

#endif
