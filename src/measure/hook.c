#include "measure/hook.h"

#include "measure/cancel.h"
#include "measure/guard.h"
#include "measure/reap.h"
#include "sync/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* entry: of its environment; NULL: none. In a session of its own it has no terminal:
 * what asks there fails and says so, where the kernel would stop it without a word. */
static _Noreturn void hook_child(const char *command, const char *folder, char *entry)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    if (entry != NULL) {
        (void)putenv(entry); /* banned-ok: no thread here */
    }
    if (folder == NULL || chdir(folder) == 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
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

/* What is waited for besides the child's end. `requests`: so many are one too many, of
 * which cancel_fd tells by itself where it is 1. */
struct hook_limits {
    int cancel_fd;
    int requests;
    uint64_t deadline_ns;
};

static enum hook_end limits_end(const struct hook_limits *limits, short cancelled)
{
    if (limits->requests == 1 ? cancelled != 0
                              : cancel_count(limits->cancel_fd) >= limits->requests) {
        return HOOK_CANCELLED;
    }
    return clock_mono_ns() >= limits->deadline_ns ? HOOK_TIMED_OUT : HOOK_ENDED;
}

/* Where the kernel has no pidfd (before Linux 5.3; forbidden in some containers), and
 * where a further request is waited for, it is looked after every so often. */
static enum hook_end wait_for(pid_t pid, const struct hook_limits *limits)
{
    enum { LOOK_MS = 10 };
    bool first = limits->requests == 1;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd polled[2] = {
        {.fd = pidfd, .events = POLLIN},
        {.fd = first ? limits->cancel_fd : -1, .events = POLLIN}};
    enum hook_end end = HOOK_ENDED;
    while (!has_ended(pid) && end == HOOK_ENDED) {
        polled[1].revents = 0;
        (void)poll(polled, 2,
                   pidfd >= 0 && first ? left_ms(limits->deadline_ns) : LOOK_MS);
        end = limits_end(limits, polled[1].revents);
    }
    if (pidfd >= 0) {
        (void)close(pidfd);
    }
    return has_ended(pid) ? HOOK_ENDED : end;
}

static enum hook_end wait_and_reap(pid_t pid, const char *mark,
                                   const struct hook_limits *limits, int *ret_status)
{
    enum hook_end end = wait_for(pid, limits);
    struct rusage usage;
    *ret_status = 0;
    if (end == HOOK_ENDED) {
        *ret_status = reap_collect(pid, &usage);
    } else {
        if (reap_kill_group(pid)) {
            (void)reap_killed(pid, ret_status);
        }
        guard_end_marked(mark); /* what has left its process group */
    }
    return end;
}

enum hook_end hook_wait(pid_t pid, const char *mark, int cancel_fd, uint64_t timeout_ns,
                        int *ret_status)
{
    struct hook_limits limits = {
        .cancel_fd = cancel_fd,
        .requests = 1,
        .deadline_ns = timeout_ns == 0 ? UINT64_MAX : clock_mono_ns() + timeout_ns};
    return wait_and_reap(pid, mark, &limits, ret_status);
}

static enum duet_code shell(const char *command, const char *option, const char *folder,
                            int cancel_fd, int requests, struct duet_error *reterr)
{
    char mark[GUARD_MARK_BYTES];
    char *entry = guard_mark(mark);
    pid_t pid = fork();
    if (pid < 0) {
        int errnum = errno;
        free(entry);
        return error_set_start(reterr, errnum, "cannot start the %s command", option);
    }
    if (pid == 0) {
        hook_child(command, folder, entry);
    }
    struct hook_limits limits = {
        .cancel_fd = cancel_fd, .requests = requests, .deadline_ns = UINT64_MAX};
    int status = 0;
    enum hook_end end = wait_and_reap(pid, mark, &limits, &status);
    free(entry);
    if (end != HOOK_ENDED) {
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

enum duet_code hook_shell(const char *command, const char *option, const char *folder,
                          int cancel_fd, struct duet_error *reterr)
{
    return command == NULL ? DUET_OK
                           : shell(command, option, folder, cancel_fd, 1, reterr);
}

enum duet_code hook_clean(const char *command, const char *option, const char *folder,
                          int cancel_fd, struct duet_error *reterr)
{
    int requests = cancel_count(cancel_fd);
    if (command == NULL) {
        return DUET_OK;
    }
    if (requests >= CANCEL_AT_ONCE) {
        return error_set(reterr, DUET_E_INTERRUPTED,
                         "interrupted twice: the %s command was not run", option);
    }
    return shell(command, option, folder, cancel_fd, requests + 1, reterr);
}
