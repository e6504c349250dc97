/* What a study of groups has done so far, kept in a file. */
#ifndef DUET_STUDY_LAB_GRID_STATE_H
#define DUET_STUDY_LAB_GRID_STATE_H

#include "study/lab/study_state.h"
#include "study/study_grid.h"

struct grid_state {
    struct study_state kept;
    const struct model_dataset *dataset;
    const struct study_grid_plan *plan;
    struct study_grid_cell *cells; /* of all configurations */
};

/* Takes what the file has, if there is one. Errors: DUET_E_USAGE (the file belongs to
 * another study, other data or other options), DUET_E_FORMAT, DUET_E_IO. */
BASE_MUST_USE enum duet_code grid_state_begin(struct grid_state *state,
                                              struct duet_error *reterr);
/* Writes the file, as a whole or not at all; every few seconds only, unless `now`.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code grid_state_keep(struct grid_state *state, bool now,
                                             struct duet_error *reterr);

#endif
