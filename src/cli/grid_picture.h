/* The answers of the studies that draw groups, as a picture. */
#ifndef DUET_CLI_GRID_PICTURE_H
#define DUET_CLI_GRID_PICTURE_H

#include "cli/grid_study.h"

/* Appends an SVG document: a heat map for each test and sampling that has an answer, a
 * row for each number of instances. Columns are numbers of trials and cells the mean
 * false positives in percent, or how many configurations need so few samples; for
 * detectable slowdowns columns are slowdowns (most trials a cell have) and cells how
 * many configurations find that one at the smallest. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code grid_picture_append(struct text *svg,
                                                 const struct grid_request *request,
                                                 const struct model_dataset *dataset,
                                                 const struct study_grid_cell *cells,
                                                 struct duet_error *reterr);

#endif
