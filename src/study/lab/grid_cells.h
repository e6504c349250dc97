/* The studies that draw groups: which cells, and drawing them. */
#ifndef DUET_STUDY_LAB_GRID_CELLS_H
#define DUET_STUDY_LAB_GRID_CELLS_H

#include "study/grid/study_grid.h"
#include "study/lab/study_session.h"

struct grid_sizes {
    size_t sizes[STUDY_SIZES_MAX];
    size_t count; /* 0: those of the paper */
};

struct grid_wish {
    struct grid_sizes instances;
    struct grid_sizes trials;
    unsigned samplings; /* bit s: sampling s; 0: those that the data allows */
    bool few_trials;    /* otherwise: one number of trials for each sampling */
};

/* Fills in the cells of the plan, which has room for them. paired: whether the data has
 * both sides. Source of the defaults: Laaber 2019 s.5.3 and s.5.4.1. */
void grid_cells_make(const struct grid_wish *wish, bool paired,
                     struct study_grid_plan *plan);

/* study_grid_run() with the session's share of the units. Errors: those of both. */
BASE_MUST_USE enum duet_code grid_cells_draw(const struct model_dataset *dataset,
                                             struct study_grid_plan *plan,
                                             struct study_session *session,
                                             struct study_grid_cell *ret_cells,
                                             struct duet_error *reterr);

#endif
