#include "cli/inherited.h"

#include "cli/cli.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void correct_status(int unused, void *status)
{
    (void)unused;
    if (*(const int *)status < 0) {
        (void)fflush(NULL);
        _exit(CLI_EXIT_UNSUITABLE);
    }
}

void inherited_settle(const int *status)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(SIGCHLD, &usual, NULL);
    /* Only read. */
    (void)on_exit(correct_status, (void *)(uintptr_t)status);
}

bool inherited_rights(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}

bool inherited_stack_fits(void)
{
    struct rlimit stack;
    return getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY ||
           stack.rlim_cur >= INHERITED_STACK_KIB * UINT64_C(1024);
}
