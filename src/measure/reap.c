#include "measure/reap.h"

#include "sync/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wake_signals(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    sigaddset(ret_set, SIGCHLD);
    sigaddset(ret_set, SIGTERM);
    sigaddset(ret_set, SIGUSR1);
}

int reap_block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    return sigprocmask(SIG_BLOCK, &all, NULL);
}

static bool child_changed(pid_t pid, enum reap_event *ret_event)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    *ret_event = info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED
                     ? REAP_STOPPED
                     : REAP_EXITED;
    return true;
}

enum reap_event reap_wait(pid_t pid, uint64_t deadline_ns, bool peer,
                          uint64_t *ret_end_ns)
{
    sigset_t set;
    wake_signals(&set);
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        struct timespec timeout = {.tv_sec = (time_t)(left_ns / 1000000000U),
                                   .tv_nsec = (long)(left_ns % 1000000000U)};
        siginfo_t info;
        int signal_number = deadline_ns == UINT64_MAX
                                ? sigwaitinfo(&set, &info)
                                : sigtimedwait(&set, &info, &timeout);
        *ret_end_ns = clock_mono_ns();
        enum reap_event event = REAP_EXITED;
        /* A SIGCHLD may be an older child's, and one signal may stand for several
         * events: what the child is now decides. */
        if (child_changed(pid, &event)) {
            return event;
        }
        if (signal_number == SIGTERM) {
            return REAP_CANCELLED;
        }
        if (signal_number == SIGUSR1 && peer) {
            return REAP_PEER_ENDED;
        }
        if (signal_number < 0 && errno == EAGAIN) {
            return REAP_TIMED_OUT;
        }
    }
}

void reap_kill_group(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);
}

int reap_collect(pid_t pid, struct rusage *ret_usage)
{
    int status = 0;
    while (wait4(pid, &status, 0, ret_usage) < 0 && errno == EINTR) {
    }
    return status;
}

/* Sends SIGKILL to every child of this process. false: the kernel does not list them.
 */
static bool kill_children(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char *line = NULL;
    size_t size = 0;
    if (getline(&line, &size, file) > 0) {
        char *rest = line;
        for (long pid = strtol(rest, &rest, 10); pid > 1;
             pid = strtol(rest, &rest, 10)) {
            (void)kill((pid_t)pid, SIGKILL);
        }
    }
    free(line);
    (void)fclose(file);
    return true;
}

unsigned reap_leftovers(void)
{
    unsigned count = 0;
    bool killing = false;
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == 0) { /* there are some, and they live */
            if (!kill_children()) {
                return count;
            }
            killing = true;
            pid = waitpid(-1, &status, 0); /* until one of the killed is gone */
        }
        if (pid < 0 && errno != EINTR) {
            return count; /* ECHILD: none, as nearly always */
        }
        /* Who had ended by itself only wanted collecting. */
        count +=
            pid > 0 && killing && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
}
