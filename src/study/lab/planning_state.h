/* The answer of duet study planning, kept while it is being made. */
#ifndef DUET_STUDY_LAB_PLANNING_STATE_H
#define DUET_STUDY_LAB_PLANNING_STATE_H

#include "study/lab/study_state.h"
#include "study/planning_answer.h"

/* Takes what the file has, if there is one. state: its path is set. Errors: those of
 * study_state_open(). */
BASE_MUST_USE enum duet_code planning_state_begin(struct study_state *state,
                                                  const struct planning_answer *answer,
                                                  struct duet_error *reterr);
/* Writes the file, every few seconds only, unless `now`. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code planning_state_keep(struct study_state *state,
                                                 const struct planning_answer *answer,
                                                 bool now, struct duet_error *reterr);

#endif
