/* Programs that a session starts for itself, not to measure them. */
#ifndef DUET_SESSION_CHILD_H
#define DUET_SESSION_CHILD_H

#include "base/error.h"
#include "base/text.h"
#include "measure/guard.h"
#include "measure/hook.h"

#include <sys/types.h>

/* All borrowed. Descriptors: standard output and standard error. */
struct child_words {
    const char *path; /* of the executable */
    const char *const *argv;
    const char *const *settings; /* "NAME=VALUE", ended by NULL: in place of our own */
    const char *unset;  /* NULL, or how variables begin that are not handed on */
    const char *folder; /* NULL: the current one */
    int output_fd;
    int error_fd;
};

struct child {
    pid_t pid; /* 0: it does not run */
    char mark[GUARD_MARK_BYTES];
};

/* Starts it in a session of its own, so that it asks nothing at the terminal, with
 * /dev/null as its input; it dies with this thread. Errors: DUET_E_SYSTEM,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code child_start(const struct child_words *words,
                                         struct child *ret_child,
                                         struct duet_error *reterr);
/* Waits as hook_wait() does; when cancel_fd (-1: none) becomes readable, all that it
 * has started ends, also in other sessions. */
enum hook_end child_wait(struct child *child, int cancel_fd, int *ret_status);

/* Appends what a child has written into a file in memory (memfd_create), from its
 * beginning, up to so many bytes and at most 4 KiB more. Check text_failed(). */
void child_output_read(int fd, size_t most, struct text *text);

#endif
