#include "measure/hook.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void hook_child(const char *command)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid;
}

/* true: the command has ended; false: cancelled. Where the kernel has no pidfd (before
 * Linux 5.3; forbidden in some containers) it is looked after every so often. */
static bool wait_or_cancel(pid_t pid, int cancel_fd)
{
    enum { LOOK_MS = 10 };
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd watched[2] = {{.fd = pidfd, .events = POLLIN},
                                {.fd = cancel_fd, .events = POLLIN}};
    bool ended = false;
    bool cancelled = false;
    while (!ended && !cancelled) {
        int ready = poll(watched, 2, pidfd >= 0 ? -1 : LOOK_MS);
        ended = has_ended(pid);
        cancelled = ready > 0 && watched[1].revents != 0;
    }
    if (pidfd >= 0) {
        (void)close(pidfd);
    }
    return ended;
}

enum duet_code hook_shell(const char *command, const char *option, int cancel_fd,
                          struct duet_error *reterr)
{
    if (command == NULL) {
        return DUET_OK;
    }
    pid_t pid = fork();
    if (pid < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot start the %s command", option);
    }
    if (pid == 0) {
        hook_child(command);
    }
    bool ended = cancel_fd < 0 || wait_or_cancel(pid, cancel_fd);
    if (!ended) {
        (void)kill(-pid, SIGKILL);
        (void)kill(pid, SIGKILL);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended) {
        return error_set(reterr, DUET_E_INTERRUPTED,
                         "interrupted during the %s command", option);
    }
    if (status != 0) {
        return error_set(
            reterr, DUET_E_WORKLOAD, "the %s command ended with status %d: '%s'",
            option, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            command);
    }
    return DUET_OK;
}
