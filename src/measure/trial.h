/* One execution of a side outside of the measurement, to look at what it yields. What
 * it has started and left ends with it. */
#ifndef DUET_MEASURE_TRIAL_H
#define DUET_MEASURE_TRIAL_H

#include "base/error.h"
#include "measure/streams.h"
#include "model/plan.h"

/* What came of it. */
struct trial_result {
    int status;              /* exit status, or 128 + signal */
    struct stream_tail tail; /* of standard error, where the plan keeps it (pipe) */
};

/* Executes the side's program once as the plan says (prepare and conclude, input, time
 * limit), with its standard output to output_fd, a file, which holds nothing else
 * afterwards and is at its beginning. cancel_fd: readable: stop (-1: none). Errors:
 * DUET_E_WORKLOAD (a hook), DUET_E_TIMEOUT, DUET_E_INTERRUPTED, DUET_E_USAGE (no such
 * program), DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code measure_trial(const struct model_plan *plan,
                                           enum model_side side, int cancel_fd,
                                           int output_fd,
                                           struct trial_result *ret_result,
                                           struct duet_error *reterr);

/* The same; a benchmark program is told to do one iteration and to print nothing of its
 * own times, so that what comes out depends on the program alone. */
BASE_MUST_USE enum duet_code measure_trial_quiet(const struct model_plan *plan,
                                                 enum model_side side, int cancel_fd,
                                                 int output_fd,
                                                 struct trial_result *ret_result,
                                                 struct duet_error *reterr);

/* Executes the side's program once more, at most for 10 s, to keep the end of what it
 * prints on standard output; without its hooks, and killed when that is more than 16
 * MiB. *ret_status: as above. Errors: as above. */
BASE_MUST_USE enum duet_code measure_trial_output(const struct model_plan *plan,
                                                  enum model_side side, int cancel_fd,
                                                  struct stream_tail *ret_tail,
                                                  int *ret_status,
                                                  struct duet_error *reterr);

/* The same of a shell command that reads input_fd from its beginning; what it prints
 * goes to duet's standard error. *ret_status: as above. */
BASE_MUST_USE enum duet_code measure_trial_judge(const char *command, int input_fd,
                                                 uint64_t timeout_ns, int cancel_fd,
                                                 int *ret_status,
                                                 struct duet_error *reterr);

#endif
