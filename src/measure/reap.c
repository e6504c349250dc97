#include "measure/reap.h"

#include "base/alloc.h"
#include "machine/taken.h"
#include "sync/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How long what was sent SIGKILL may take to end: all of it together, ... */
static const uint64_t ending_ns = 3000000000U;
/* ... and each one. */
static const uint64_t ending_least_ns = 10000000U;

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

/* Sleeps until the child has ended; where the kernel has no pidfd, for a moment, each
 * time twice as long. */
static void sleep_until_end(pid_t pid, uint64_t deadline_ns, unsigned round)
{
    enum { FIRST_NS = 50000, DOUBLINGS = 7, NS_PER_MS = 1000000 };
    uint64_t now_ns = clock_mono_ns();
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    struct pollfd polled = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
                            .events = POLLIN};
    if (polled.fd >= 0) {
        (void)poll(&polled, 1, (int)(left_ns / NS_PER_MS) + 1);
        (void)close(polled.fd);
        return;
    }
    const struct timespec moment = {
        .tv_nsec = (long)FIRST_NS << (round < DOUBLINGS ? round : DOUBLINGS)};
    (void)nanosleep(&moment, NULL);
}

/* false: it has not ended by then. Somebody else's collecting is as good, *ret_status
 * stays then. */
static bool collect_until(pid_t pid, uint64_t deadline_ns, int *ret_status)
{
    pid_t gone = waitpid(pid, ret_status, WNOHANG);
    for (unsigned round = 0; gone == 0 && clock_mono_ns() < deadline_ns; round++) {
        sleep_until_end(pid, deadline_ns, round);
        gone = waitpid(pid, ret_status, WNOHANG);
    }
    return gone != 0;
}

bool reap_killed(pid_t pid, int *ret_status)
{
    return collect_until(pid, clock_mono_ns() + ending_ns, ret_status);
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
static enum child_end end_child(pid_t pid, uint64_t deadline_ns)
{
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != 0) {
        return CHILD_COLLECTED;
    }
    if (kill(pid, SIGKILL) != 0 && errno == EPERM) {
        return CHILD_SPARED;
    }
    uint64_t least_ns = clock_mono_ns() + ending_least_ns;
    if (!collect_until(pid, deadline_ns > least_ns ? deadline_ns : least_ns, &status)) {
        return CHILD_SPARED;
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? CHILD_KILLED
                                                              : CHILD_COLLECTED;
}

/* Of the children that are there now: their own become ours when they are gone. false:
 * there was none to end, or the kernel does not list them. */
static bool end_children(const struct reap_children *others, uint64_t deadline_ns,
                         unsigned *ret_killed)
{
    struct reap_children now;
    bool any = false;
    if (reap_children(&now)) {
        for (size_t i = 0; i < now.count; i++) {
            if (!is_among(others, now.pids[i])) {
                enum child_end end = end_child(now.pids[i], deadline_ns);
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
    uint64_t deadline_ns = clock_mono_ns() + ending_ns;
    /* ECHILD: none at all, as nearly always */
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end_children(others, deadline_ns, &killed)) {
        any = true;
    }
    if (ret_any != NULL) {
        *ret_any = any;
    }
    return killed;
}

/* Whether it may not be killed; `stuck`: whether it may, and is still there. */
static bool is_spared(pid_t pid, bool stuck)
{
    bool foreign = kill(pid, 0) != 0 && errno == EPERM;
    return stuck ? !foreign && waitpid(pid, NULL, WNOHANG) == 0 : foreign;
}

unsigned reap_spared(const struct reap_children *others, bool stuck, pid_t *ret_pid)
{
    struct reap_children now;
    unsigned count = 0;
    if (reap_children(&now)) {
        for (size_t i = 0; i < now.count; i++) {
            if (!is_among(others, now.pids[i]) && is_spared(now.pids[i], stuck)) {
                *ret_pid = now.pids[i];
                count++;
            }
        }
    }
    reap_children_release(&now);
    return count;
}
