/* What may crash, within a library: in a process of its own. */
#ifndef DUET_BASE_APART_H
#define DUET_BASE_APART_H

#include "base/error.h"

/* Executes `run` in a child, which has copies of everything and all signals blocked,
 * and waits for it. what: "a process that ...", for the message. *ret_status: as of
 * waitpid(); 0 when somebody else has taken it. Errors: those of error_set_start(). */
BASE_MUST_USE enum duet_code apart_execute(void (*run)(void *context), void *context,
                                           const char *what, int *ret_status,
                                           struct duet_error *reterr);

#endif
