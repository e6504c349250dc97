#include "cli/inherited.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK_KIB = 256 };

static void correct_status(int unused, void *status)
{
    (void)unused;
    if (*(const int *)status < 0) {
        (void)fflush(NULL);
        _exit(CLI_EXIT_UNSUITABLE);
    }
}

/* Else what is opened later would take the place of a standard stream that is closed,
 * and get what is printed. Reading and writing there fail as before. */
static void keep_places(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void inherited_settle(const int *status)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    keep_places();
    sigset_t reported;
    (void)sigaction(SIGCHLD, &usual, NULL);
    (void)sigemptyset(&reported);
    (void)sigaddset(&reported, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &reported, NULL);
    /* Only read. */
    (void)on_exit(correct_status, (void *)(uintptr_t)status);
}

static bool has_more_rights(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}

static bool stack_fits(void)
{
    struct rlimit stack;
    return getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY ||
           stack.rlim_cur >= STACK_KIB * UINT64_C(1024);
}

bool inherited_is_fit(void)
{
    if (has_more_rights()) {
        cli_say("the file of this program has the set-user-ID or set-group-ID bit, and "
                "the programs that it starts would have its owner's rights: remove the "
                "bit with chmod ug-s");
        return false;
    }
    if (!stack_fits()) {
        cli_say("the limit of the stack is below the %d KiB that duet needs: raise it "
                "with ulimit -s 8192",
                STACK_KIB);
        return false;
    }
    return true;
}
