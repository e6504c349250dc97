/* What may crash or never end, within a library that cannot be asked to stop: in a
 * process of its own. */
#ifndef DUET_BASE_APART_H
#define DUET_BASE_APART_H

#include "base/error.h"

/* Executes `run` in a child, which has copies of everything and all signals blocked,
 * and waits for it. limit_ms: so much time of a CPU it has, then SIGPROF ends it; 0:
 * any. what: "a process that ...", for the message. *ret_status: as of waitpid(); 0
 * when somebody else has taken it. Errors: those of error_set_start(). */
BASE_MUST_USE enum duet_code apart_execute(void (*run)(void *context), void *context,
                                           unsigned limit_ms, const char *what,
                                           int *ret_status, struct duet_error *reterr);

#endif
