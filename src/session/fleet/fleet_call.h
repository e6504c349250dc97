/* Programs that a fleet needs beside duet itself: those of Slurm, and cp. */
#ifndef DUET_SESSION_FLEET_FLEET_CALL_H
#define DUET_SESSION_FLEET_FLEET_CALL_H

#include "base/error.h"
#include "base/text.h"
#include "model/fleet.h"

/* Runs words.list[0], found as execvp() does, without a shell and without a terminal,
 * under our environment, and waits for it. ret_output: what it printed is appended, at
 * most 64 MiB; NULL: not wanted. log_fd: where all that it prints goes instead; -1:
 * nowhere. cancel_fd (-1: none) ends it when it is readable. Errors: DUET_E_UNSUITABLE
 * (no such program), DUET_E_WORKLOAD (it failed: the message is the last line that it
 * said), DUET_E_INTERRUPTED, DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_call(const struct model_words *words, int log_fd,
                                        int cancel_fd, struct text *ret_output,
                                        struct duet_error *reterr);

/* Appends words, up to a NULL. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_words(struct model_words *words,
                                         struct duet_error *reterr, ...)
    __attribute__((sentinel));

#endif
