/* Commands of the user that run once, around an experiment. */
#ifndef DUET_MEASURE_HOOK_H
#define DUET_MEASURE_HOOK_H

#include "base/error.h"

/* Runs `command` (NULL: nothing) with /bin/sh and waits for it; its output goes to
 * duet's standard error, so that it cannot be taken for results. `option` names it in
 * messages. When cancel_fd (-1: none) becomes readable, the command's process group is
 * killed. Errors: DUET_E_WORKLOAD (its status), DUET_E_INTERRUPTED, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code hook_shell(const char *command, const char *option,
                                        int cancel_fd, struct duet_error *reterr);

#endif
