#include "measure/hook.h"

#include "sync/clock.h"

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

/* Milliseconds to wait, rounded up; -1: for ever. */
static int left_ms(uint64_t deadline_ns)
{
    enum { LONGEST_MS = 60000, NS_PER_MS = 1000000 };
    if (deadline_ns == UINT64_MAX) {
        return -1;
    }
    uint64_t now_ns = clock_mono_ns();
    uint64_t left = deadline_ns > now_ns ? (deadline_ns - now_ns) / NS_PER_MS + 1 : 0;
    return left < LONGEST_MS ? (int)left : LONGEST_MS;
}

/* Where the kernel has no pidfd (before Linux 5.3; forbidden in some containers) it is
 * looked after every so often. */
enum hook_end hook_wait(pid_t pid, int cancel_fd, uint64_t timeout_ns)
{
    enum { LOOK_MS = 10 };
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd watched[2] = {{.fd = pidfd, .events = POLLIN},
                                {.fd = cancel_fd, .events = POLLIN}};
    uint64_t deadline_ns = timeout_ns == 0 ? UINT64_MAX : clock_mono_ns() + timeout_ns;
    enum hook_end end = HOOK_ENDED;
    while (!has_ended(pid) && end == HOOK_ENDED) {
        int ready = poll(watched, 2, pidfd >= 0 ? left_ms(deadline_ns) : LOOK_MS);
        if (ready > 0 && watched[1].revents != 0) {
            end = HOOK_CANCELLED;
        } else if (clock_mono_ns() >= deadline_ns) {
            end = HOOK_TIMED_OUT;
        }
    }
    if (end != HOOK_ENDED && has_ended(pid)) {
        end = HOOK_ENDED;
    }
    if (end != HOOK_ENDED) {
        (void)kill(-pid, SIGKILL);
        (void)kill(pid, SIGKILL);
    }
    if (pidfd >= 0) {
        (void)close(pidfd);
    }
    return end;
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
    bool ended = cancel_fd < 0 || hook_wait(pid, cancel_fd, 0) == HOOK_ENDED;
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
