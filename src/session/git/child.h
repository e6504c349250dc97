/* Programs that a session starts for itself, not to measure them. */
#ifndef DUET_SESSION_GIT_CHILD_H
#define DUET_SESSION_GIT_CHILD_H

#include "base/error.h"

#include <stddef.h>
#include <sys/types.h>

/* All borrowed. Descriptors: standard output and standard error. */
struct child_words {
    const char *path; /* of the executable */
    const char *const *argv;
    const char *const *envp;
    const char *folder; /* NULL: the current one */
    int output_fd;
    int error_fd;
};

/* Starts it in a session of its own, so that it asks nothing at the terminal, with
 * /dev/null as its input; it dies with this thread. The caller waits, as with
 * hook_wait(). Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code child_start(const struct child_words *child,
                                         pid_t *ret_pid, struct duet_error *reterr);

/* The environment with `settings` ("NAME=VALUE", ended by NULL) in place of entries of
 * the same names: one block, free(); strings are borrowed. NULL: no memory. */
const char **child_environment(const char *const *settings);

#endif
