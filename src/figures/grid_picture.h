/* The answers of the studies that draw groups, as a picture. */
#ifndef DUET_FIGURES_GRID_PICTURE_H
#define DUET_FIGURES_GRID_PICTURE_H

#include "figures/grid_table.h"
#include "report/plot/sketch.h"

/* Writes an SVG document to `path`: a heat map for each test and sampling that
 * has an answer, a row for each number of instances. Columns are numbers of trials and
 * cells the mean false positives in percent, or how many configurations need so few
 * samples; for detectable slowdowns columns are slowdowns (most trials a cell have) and
 * cells how many configurations find that one at the smallest. Then what the paper
 * shows: of false positives figure 7, of detectable slowdowns figures 9 and 10. Errors:
 * DUET_E_NOMEM, DUET_E_IO. */
BASE_MUST_USE enum duet_code grid_picture_write(const char *path,
                                                const struct grid_question *question,
                                                const struct model_dataset *dataset,
                                                const struct study_grid_cell *cells,
                                                struct duet_error *reterr);

/* What a picture of these studies draws. */
struct grid_drawing {
    struct sketch *sketch;
    const struct grid_question *question;
    struct study_grid grid;
};

/* How the false positives of the configurations are spread, a curve an environment: a
 * panel for each test and for each of the paper's five groups that there is, else for
 * the smallest and the largest of each sampling. Source: Laaber 2019, figure 7. */
void grid_picture_add_densities(const struct grid_drawing *drawing);

/* Of how many configurations a slowdown is the smallest to be found, bars for each
 * number of instances: a panel for each test and sampling. Source: Laaber 2019, figures
 * 9 and 10; deviation: slowdowns up to 5 % have bars of their own. */
void grid_picture_add_histograms(const struct grid_drawing *drawing);

#endif
