/* A cell of study_grid.h as the numbers that a book keeps. */
#ifndef DUET_STUDY_STUDY_GRID_PAGE_H
#define DUET_STUDY_STUDY_GRID_PAGE_H

#include "study/grid/study_grid.h"

enum { STUDY_GRID_PAGE_NUMBERS = 1 + 2 * STUDY_TESTS * STUDY_SLOWDOWNS_MAX };

/* Its tests, and for each of them and each slowdown the draws that changed, and in
 * which it got faster. numbers: room for STUDY_GRID_PAGE_NUMBERS. Returns how many
 * there are.
 */
size_t study_grid_page_write(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cell, double *numbers);

/* From number *at of the page on, which moves behind them; false: these cannot be a
 * cell's. */
bool study_grid_page_read(const struct study_grid_plan *plan,
                          const struct study_page *page, size_t *at,
                          struct study_grid_cell *ret_cell);

#endif
