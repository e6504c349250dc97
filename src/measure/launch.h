/* Starting a program so that it begins to execute exactly when the other side does. */
#ifndef DUET_MEASURE_LAUNCH_H
#define DUET_MEASURE_LAUNCH_H

#include "base/error.h"
#include "measure/board.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
    /* Descriptors under which a program inherits its shared page and its bell: above
     * what programs use, below what would enlarge the kernel's descriptor table. */
    LAUNCH_PAGE_FD = 62,
    LAUNCH_BELL_FD = 63
};

/* What a child needs; all borrowed. Descriptors are the launcher's, -1: none. */
struct launch_spec {
    const char *path; /* of the executable */
    const char *const *argv;
    const char *const *envp;
    const char *folder; /* NULL: the launcher's own */
    int stdin_fd;
    int stdout_fd;
    int stderr_fd;
    int page_fd;
    int bell_fd;
    const sigset_t *mask;         /* signal mask of the program */
    struct sync_meeting *meeting; /* NULL: starts at once */
    struct sync_party *party;
    const struct sync_guard *guard; /* of the meeting; NULL: none */
    bool usage;                     /* read the CPU clock at the start */
    bool delay; /* read what others have had of its CPU until then */
};

/* The stack that children use until execve; one a launching process. */
struct launch_stack;
struct launch_stack *launch_stack_new(void);
void launch_stack_free(struct launch_stack *stack);

/* Starts a child in a process group of its own. Returns when it executes its program or
 * has failed; `*launch` (in memory that is shared even between processes) then says
 * which. Signals must be blocked by the caller. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code launch_child(const struct launch_spec *spec,
                                          struct launch_stack *stack,
                                          struct board_launch *launch, pid_t *ret_pid,
                                          struct duet_error *reterr);

/* Finds the executable that `name` means, as execvp does: as it is when it has a slash,
 * else in PATH. *ret_path: free(). Errors: DUET_E_USAGE (not found; not executable:
 * says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code launch_find(const char *name, char **ret_path,
                                         struct duet_error *reterr);

/* The same for a program that is started in `folder` (NULL: the current one), to which
 * a relative path belongs. Errors: also DUET_E_USAGE (no such folder). */
BASE_MUST_USE enum duet_code launch_find_in(const char *folder, const char *name,
                                            char **ret_path, struct duet_error *reterr);

#endif
