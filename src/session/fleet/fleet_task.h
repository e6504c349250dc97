/* One task of a fleet: what is around the measurement of the suite, or a part of the
 * study. */
#ifndef DUET_SESSION_FLEET_FLEET_TASK_H
#define DUET_SESSION_FLEET_FLEET_TASK_H

#include "session/fleet/fleet_answers.h"
#include "session/fleet/fleet_state.h"
#include "session/scratch.h"

struct fleet_task {
    const struct fleet *fleet;
    struct model_fleet_state state;
    struct scratch scratch;
    char *suite;             /* its file, absolute; NULL: a study */
    char *store;             /* to measure into, or for the part, on this machine's own
                                disk */
    struct model_words args; /* of `duet suite` or the study, its name first */
    char not_wanted[160];    /* why there is nothing to do; "": there is */
};

/* The fleet's settings for its answers. */
struct fleet_question fleet_question_of(const struct fleet *fleet,
                                        enum fleet_strata strata);

/* Says in the fleet's folder that task `number` has begun on this machine, goes to the
 * folder where tasks run, and names this instance in the environment
 * (MACHINE_INSTANCE_VARIABLE). attempt: NULL: that of Slurm's job, else the time and
 * the process. Release in any case. Errors: DUET_E_USAGE (no such task; the suite's
 * file has changed since the fleet was submitted), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_task_begin(const struct fleet *fleet,
                                              uint64_t number, const char *attempt,
                                              struct fleet_task *ret_task,
                                              struct duet_error *reterr);

/* Publishes what was measured, and says that the task has ended; wrong (NULL: nothing)
 * is why it failed. Where every benchmark failed there is no result. Errors: as
 * fleet_result_publish(), and *wrong. */
BASE_MUST_USE enum duet_code fleet_task_end(struct fleet_task *task,
                                            const struct duet_error *wrong,
                                            struct duet_error *reterr);
/* listener: warned when its scratch folder cannot be removed. */
void fleet_task_release(struct fleet_task *task, const struct listener *listener);

/* Ends a fleet that stops early if its verdicts are certain: no task begins any more,
 * and Slurm's are cancelled. Errors: DUET_E_IO, DUET_E_NOMEM. A failing scancel is
 * none: tasks then end by themselves. */
BASE_MUST_USE enum duet_code fleet_decide(const struct fleet *fleet, bool *ret_decided,
                                          struct duet_error *reterr);

/* Lets no task begin any more, for this reason (one word). Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code fleet_end(const struct fleet *fleet, const char *why,
                                       struct duet_error *reterr);

#endif
