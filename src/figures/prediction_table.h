/* The answers of the study of predictions as tables and as a picture. */
#ifndef DUET_FIGURES_PREDICTION_TABLE_H
#define DUET_FIGURES_PREDICTION_TABLE_H

#include "base/text.h"
#include "study/study_prediction.h"

/* All borrowed. */
struct prediction_table {
    const struct study_prediction_plan *plan;
    const struct study_configuration *configurations;
    size_t count;
    const struct study_prediction_cell *cells; /* count x STUDY_TRAININGS */
};

/* The cell of a training of the target; its `predictions` are 0 where none was made. */
const struct study_prediction_cell *
prediction_table_cell(const struct prediction_table *table, size_t target,
                      size_t training);

/* For people: a row a predicted configuration, a column a kind of training: errors,
 * how much smaller than with a handful of points they are, and points taken. */
void prediction_table_append(struct text *text, const struct prediction_table *table);
/* For programs: a row a predicted configuration and kind of training. */
void prediction_table_append_records(struct text *csv, struct text *json,
                                     const struct prediction_table *table);

/* He 2021, figure 11: prediction.svg into a folder, which is made where it is not
 * there: a bar for each kind of training, with the standard deviation of its errors.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
prediction_picture_write(const char *folder, const struct prediction_table *table,
                         struct duet_error *reterr);

#endif
