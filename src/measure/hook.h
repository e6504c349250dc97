/* Commands of the user that run once, around an experiment. */
#ifndef DUET_MEASURE_HOOK_H
#define DUET_MEASURE_HOOK_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

/* How a child came to its end. */
enum hook_end { HOOK_ENDED, HOOK_CANCELLED, HOOK_TIMED_OUT };

/* Waits until `pid`, a child, has ended by itself, and leaves it to be reaped; when
 * cancel_fd (-1: none) becomes readable or timeout_ns (0: none) have passed, its
 * process group is killed. */
enum hook_end hook_wait(pid_t pid, int cancel_fd, uint64_t timeout_ns);

/* Runs `command` (NULL: nothing) with /bin/sh and waits for it; its output goes to
 * duet's standard error, so that it cannot be taken for results. `option` names it in
 * messages. When cancel_fd (-1: none) becomes readable, the command's process group is
 * killed. Errors: DUET_E_WORKLOAD (its status), DUET_E_INTERRUPTED, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code hook_shell(const char *command, const char *option,
                                        int cancel_fd, struct duet_error *reterr);

#endif
