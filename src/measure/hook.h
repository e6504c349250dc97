/* Commands of the user that run once, around an experiment. */
#ifndef DUET_MEASURE_HOOK_H
#define DUET_MEASURE_HOOK_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

/* How a child came to its end. */
enum hook_end { HOOK_ENDED, HOOK_CANCELLED, HOOK_TIMED_OUT };

/* Waits until `pid`, a child, has ended by itself; when cancel_fd (-1: none) becomes
 * readable or timeout_ns (0: none) have passed, its process group is killed, and all
 * that has its mark ("": none; measure/guard.h). It is reaped, unless it may not be
 * killed (it is another user's) or does not end (reap_killed()). *ret_status: as
 * waitpid() gives it; 0 where it was not reaped. */
enum hook_end hook_wait(pid_t pid, const char *mark, int cancel_fd, uint64_t timeout_ns,
                        int *ret_status);

/* Runs `command` (NULL: nothing) with /bin/sh in `folder` (NULL: the current one) and
 * waits for it; its output goes to duet's standard error, so that it cannot be taken
 * for results. Its standard input is duet's, and it has no /dev/tty. `option` names it
 * in messages. When cancel_fd (-1: none) becomes readable, the command and all that it
 * has started is killed, also what has left its process group (measure/guard.h).
 * Errors: DUET_E_WORKLOAD (its status), DUET_E_INTERRUPTED, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code hook_shell(const char *command, const char *option,
                                        const char *folder, int cancel_fd,
                                        struct duet_error *reterr);

/* The same for a clean-up: it runs after an interruption too, and one more request to
 * stop (measure/cancel.h) ends it. After two it is not begun. */
BASE_MUST_USE enum duet_code hook_clean(const char *command, const char *option,
                                        const char *folder, int cancel_fd,
                                        struct duet_error *reterr);

#endif
