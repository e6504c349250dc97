/* A fleet as jobs of Slurm. Its jobs are known by their name, which has the fleet's id:
 * nothing about them needs to be kept (docs/fleet.md). */
#ifndef DUET_SESSION_FLEET_FLEET_SLURM_H
#define DUET_SESSION_FLEET_FLEET_SLURM_H

#include "session/fleet/fleet_state.h"

/* Submits the tasks in `array` ("1-50", "3,7-9") as a job array, of whole nodes where
 * they measure, and a job that collects their results when all have ended. Words for
 * sbatch go as they are, none through a shell or into a script. Without the second job
 * the array is cancelled, too. ret_job: the array's number. Errors: DUET_E_UNSUITABLE
 * (no Slurm here), DUET_E_WORKLOAD (what sbatch said), DUET_E_INTERRUPTED, DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_slurm_submit(const struct fleet *fleet,
                                                const char *array, int cancel_fd,
                                                char ret_job[32],
                                                struct duet_error *reterr);

/* Sets tasks of the survey that Slurm knows more of: running ones, ones that wait, with
 * Slurm's reason as their message, and ones that are lost because they have neither a
 * job nor a result. Errors: as above; then the survey is as it was. */
BASE_MUST_USE enum duet_code fleet_slurm_look(const struct fleet *fleet, int cancel_fd,
                                              struct fleet_survey *survey,
                                              struct duet_error *reterr);

/* Cancels the array's tasks, running ones too; the job that collects stays. Errors: as
 * above. */
BASE_MUST_USE enum duet_code
fleet_slurm_cancel(const struct fleet *fleet, int cancel_fd, struct duet_error *reterr);

/* The same from squeue's answer: "ARRAY INDEX STATE NODE REASON" a line, the reason
 * with blanks. Lines of another form are left out. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_slurm_take(const char *answer,
                                              struct fleet_survey *survey,
                                              struct duet_error *reterr);

#endif
