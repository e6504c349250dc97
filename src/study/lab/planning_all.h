/* The plans of all configurations of a data set. */
#ifndef DUET_STUDY_LAB_PLANNING_ALL_H
#define DUET_STUDY_LAB_PLANNING_ALL_H

#include "study/lab/study_session.h"
#include "study/planning_answer.h"

/* Fills in answer->rows, one a configuration; what is done already stays as it is.
 * path: a file that keeps what is done (planning_state.h); NULL: none. Errors:
 * DUET_E_TOO_FEW (nothing can be planned of any), DUET_E_INTERRUPTED, and those of
 * study_planning_run() and of the file. */
BASE_MUST_USE enum duet_code planning_all(const struct planning_answer *answer,
                                          const char *path,
                                          struct study_session *session,
                                          struct duet_error *reterr);

#endif
