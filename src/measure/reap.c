#include "measure/reap.h"

#include "base/alloc.h"
#include "machine/taken.h"
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
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0) {
        *ret_event = REAP_EXITED; /* it is no child any more */
        return true;
    }
    if (info.si_pid == 0) {
        return false;
    }
    *ret_event = info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED
                     ? REAP_STOPPED
                     : REAP_EXITED;
    return true;
}

/* How often the CPU was taken from this process. */
static long interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : -1;
}

/* This process before it slept. */
struct asleep {
    struct taken_tasks tasks;
    long interruptions;
    bool known;
};

static struct asleep asleep_from_here(int tasks_fd)
{
    struct asleep before = {.known = false};
    before.known = taken_tasks_read(tasks_fd, &before.tasks);
    before.interruptions = before.known ? interruptions() : -1;
    return before;
}

/* How long this process, having slept once since `before`, was ready before it went on.
 * One that was interrupted has waited for other reasons as well, perhaps instead: what
 * it waits for may have come before it slept. */
static uint64_t woken_late_ns(int tasks_fd, const struct asleep *before)
{
    struct taken_tasks now;
    return before->known && taken_tasks_read(tasks_fd, &now) &&
                   now.dispatches == before->tasks.dispatches + 1 &&
                   interruptions() == before->interruptions
               ? now.delay_ns - before->tasks.delay_ns
               : 0;
}

enum reap_event reap_wait(pid_t pid, uint64_t deadline_ns, bool peer, int tasks_fd,
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
        struct asleep before = asleep_from_here(tasks_fd);
        int signal_number = deadline_ns == UINT64_MAX
                                ? sigwaitinfo(&set, &info)
                                : sigtimedwait(&set, &info, &timeout);
        *ret_end_ns = clock_mono_ns();
        *ret_end_ns -= woken_late_ns(tasks_fd, &before);
        enum reap_event event = REAP_EXITED;
        /* A SIGCHLD may be an older child's, and one signal may stand for several
         * events: what the child is now decides. */
        if (child_changed(pid, &event)) {
            if (signal_number == SIGTERM) {
                (void)kill(getpid(), SIGTERM); /* blocked: for the next wait */
            }
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

bool reap_kill_group(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    return kill(pid, SIGKILL) == 0 || errno != EPERM;
}

int reap_collect(pid_t pid, struct rusage *ret_usage)
{
    int status = 0;
    pid_t gone = 0;
    do {
        gone = wait4(pid, &status, 0, ret_usage);
    } while (gone < 0 && errno == EINTR);
    if (gone < 0) {
        *ret_usage = (struct rusage){0};
        return REAP_UNKNOWN;
    }
    return status;
}

bool reap_children(struct reap_children *ret_children)
{
    *ret_children = (struct reap_children){0};
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char *line = NULL;
    size_t size = 0;
    bool fits = true;
    if (getline(&line, &size, file) > 0) {
        char *rest = line;
        for (long pid = strtol(rest, &rest, 10); pid > 1 && fits;
             pid = strtol(rest, &rest, 10)) {
            pid_t *grown = alloc_resize(ret_children->pids, ret_children->count + 1,
                                        sizeof *grown);
            fits = grown != NULL;
            if (fits) {
                ret_children->pids = grown;
                grown[ret_children->count++] = (pid_t)pid;
            }
        }
    }
    free(line);
    (void)fclose(file);
    return fits;
}

void reap_children_release(struct reap_children *children)
{
    free(children->pids);
    *children = (struct reap_children){0};
}

static bool is_among(const struct reap_children *children, pid_t pid)
{
    for (size_t i = 0; children != NULL && i < children->count; i++) {
        if (children->pids[i] == pid) {
            return true;
        }
    }
    return false;
}

enum child_end { CHILD_COLLECTED, CHILD_KILLED, CHILD_SPARED };

/* Collects a child: one that has ended by itself only wants collecting. */
static enum child_end end_child(pid_t pid)
{
    int status = 0;
    pid_t gone = waitpid(pid, &status, WNOHANG);
    if (gone != 0) {
        return CHILD_COLLECTED;
    }
    if (kill(pid, SIGKILL) != 0 && errno == EPERM) {
        return CHILD_SPARED;
    }
    do {
        gone = waitpid(pid, &status, 0);
    } while (gone < 0 && errno == EINTR);
    return gone > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
               ? CHILD_KILLED
               : CHILD_COLLECTED;
}

/* Of the children that are there now: their own become ours when they are gone. false:
 * there was none to end, or the kernel does not list them. */
static bool end_children(const struct reap_children *others, unsigned *ret_killed)
{
    struct reap_children now;
    bool any = false;
    if (reap_children(&now)) {
        for (size_t i = 0; i < now.count; i++) {
            if (!is_among(others, now.pids[i])) {
                enum child_end end = end_child(now.pids[i]);
                *ret_killed += end == CHILD_KILLED;
                any = any || end != CHILD_SPARED;
            }
        }
    }
    reap_children_release(&now);
    return any;
}

unsigned reap_leftovers(const struct reap_children *others, bool *ret_any)
{
    unsigned killed = 0;
    bool any = false;
    siginfo_t info;
    /* ECHILD: none at all, as nearly always */
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end_children(others, &killed)) {
        any = true;
    }
    if (ret_any != NULL) {
        *ret_any = any;
    }
    return killed;
}

unsigned reap_spared(const struct reap_children *others, pid_t *ret_pid)
{
    struct reap_children now;
    unsigned count = 0;
    if (reap_children(&now)) {
        for (size_t i = 0; i < now.count; i++) {
            if (!is_among(others, now.pids[i])) {
                *ret_pid = now.pids[i];
                count++;
            }
        }
    }
    reap_children_release(&now);
    return count;
}
