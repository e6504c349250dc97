/* The answer of duet study variability, as a picture. */
#ifndef DUET_FIGURES_VARIABILITY_PICTURE_H
#define DUET_FIGURES_VARIABILITY_PICTURE_H

#include "base/error.h"
#include "model/dataset.h"
#include "study/study_variability.h"

/* Writes an SVG document: the CVs of table 5 of Laaber 2019 as a heat map (with a
 * frame: an interval wider than 60 % of the CV); then for each environment figure 5 (CV
 * in a trial and on an instance, mean with standard deviation, beside that of all
 * values), and what iterations, trials and instances add by themselves. Errors:
 * DUET_E_NOMEM, DUET_E_IO. */
BASE_MUST_USE enum duet_code
variability_picture_write(const char *path, const struct model_dataset *dataset,
                          const struct study_variability_row *rows,
                          struct duet_error *reterr);

#endif
