/* What tasks say of themselves, and what is known of all of them together. */
#ifndef DUET_SESSION_FLEET_FLEET_STATE_H
#define DUET_SESSION_FLEET_FLEET_STATE_H

#include "session/fleet/fleet_folder.h"

/* Puts a state into the fleet's folder, in place of the earlier one of the same task
 * and attempt. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_state_save(const struct fleet *fleet,
                                              const struct model_fleet_state *state,
                                              struct duet_error *reterr);

/* All of a fleet as its files show it. */
struct fleet_survey {
    /* Of each task the attempt that counts: one with a result, else the newest; with no
     * attempt at all it is MODEL_FLEET_WAITING, and MODEL_FLEET_LOST when its result is
     * not there any more. plan.tasks of them, task i at i - 1. */
    struct model_fleet_state *tasks;
    size_t count;
    size_t phases[MODEL_FLEET_PHASES]; /* tasks in each */
    size_t attempts; /* states, more than tasks where some began anew */
    char ended[32];  /* fleet_ended() */
};

/* A state that cannot be read is as if it were not there. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_survey_make(const struct fleet *fleet,
                                               struct fleet_survey *ret_survey,
                                               struct duet_error *reterr);
/* A task in another phase than its files say. */
void fleet_survey_set(struct fleet_survey *survey, size_t index,
                      enum model_fleet_phase phase);
void fleet_survey_release(struct fleet_survey *survey);

/* "3,7-9": the tasks in the phases (a bit each, 1 << phase); "" when there are none. */
void fleet_survey_list(const struct fleet_survey *survey, unsigned phases,
                       struct text *text);

/* Milliseconds until all tasks are done, if as many go on working at a time as now and
 * each takes the median of those that are done; NaN: not known. `working`: at a time.
 */
double fleet_survey_left_ms(const struct fleet_survey *survey, size_t working);

#endif
