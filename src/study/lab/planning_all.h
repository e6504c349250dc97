/* The plans of all configurations of a data set. */
#ifndef DUET_STUDY_LAB_PLANNING_ALL_H
#define DUET_STUDY_LAB_PLANNING_ALL_H

#include "study/lab/study_session.h"
#include "study/planning_answer.h"

/* Fills in answer->rows, one a configuration, each of which is a unit of the session's
 * share. Errors: DUET_E_TOO_FEW (nothing can be planned of any), DUET_E_INTERRUPTED,
 * those of study_planning_run() and of the session. */
BASE_MUST_USE enum duet_code planning_all(const struct planning_answer *answer,
                                          struct study_session *session,
                                          struct duet_error *reterr);

#endif
