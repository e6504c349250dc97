/* The least that a runner does, for tests: makes a page, starts two sides, empties
 * their rings when both wait, ends the run when one is gone. */
#ifndef TESTS_UNIT_HARNESS_MINI_RUNNER_H
#define TESTS_UNIT_HARNESS_MINI_RUNNER_H

#include "sync/clock.h"
#include "sync/page.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MINI_PAGE_FD = 62, MINI_BELL_FD = 63, MINI_PATIENCE_S = 100 };

struct mini {
    struct sync_map map;
    int bell_read;
    pid_t pids[SYNC_SLOTS];
    char attach[SYNC_SLOTS][SYNC_ATTACH_BYTES];
    int statuses[SYNC_SLOTS]; /* exit status, or 128 + signal; -1: runs */
    struct sync_record *records[SYNC_SLOTS];
    uint64_t counts[SYNC_SLOTS];
    unsigned drains;
    /* Asked after each look: the test's own part. */
    void (*each_look)(struct mini *mini);
};

static inline void mini_check(int good, const char *what)
{
    if (!good) {
        perror(what);
        abort();
    }
}

/* The n-th CPU that this process may use; -1 when there are fewer. */
static inline int mini_cpu(unsigned n)
{
    cpu_set_t set;
    mini_check(sched_getaffinity(0, sizeof set, &set) == 0, "sched_getaffinity");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set) && n-- == 0) {
            return cpu;
        }
    }
    return -1;
}

static inline void mini_bind(unsigned slot)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)mini_cpu(slot), &set);
    mini_check(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

/* The page and the bell at the descriptors that sides inherit. */
static inline void mini_open(struct mini *mini, uint32_t flags, uint64_t iterations,
                             uint64_t run_time_ns)
{
    uint32_t shared = mini_cpu(1) < 0 ? SYNC_PAGE_NO_SPIN : 0U; /* one CPU only */
    struct sync_setup setup = {flags | shared, iterations, run_time_ns, 0};
    int page_fd = -1;
    int bell[2];
    *mini = (struct mini){.statuses = {-1, -1}};
    mini_check(sync_page_create(&setup, &page_fd, &mini->map, NULL) == DUET_OK, "page");
    mini_check(pipe2(bell, O_CLOEXEC | O_NONBLOCK) == 0, "pipe");
    mini_check(dup2(page_fd, MINI_PAGE_FD) >= 0, "dup2");
    mini_check(dup2(bell[1], MINI_BELL_FD) >= 0, "dup2");
    (void)close(page_fd);
    (void)close(bell[1]);
    mini->bell_read = bell[0];
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        struct sync_attach attach = {.version = SYNC_PAGE_VERSION,
                                     .page_fd = MINI_PAGE_FD,
                                     .bell_fd = MINI_BELL_FD,
                                     .pid = getpid(),
                                     .slot = slot,
                                     .nonce = mini->map.page->header.nonce};
        sync_attach_format(&attach, mini->attach[slot]);
    }
}

/* A child that runs body(context) with DUET_ATTACH set, under an alarm. */
static inline void mini_fork(struct mini *mini, unsigned slot, int (*body)(void *),
                             void *context)
{
    (void)fflush(NULL);
    pid_t pid = fork();
    mini_check(pid >= 0, "fork");
    if (pid == 0) {
        (void)alarm(MINI_PATIENCE_S);
        if (mini_cpu(1) >= 0) {
            mini_bind(slot);
        }
        (void)setenv(SYNC_ATTACH_VARIABLE, mini->attach[slot], 1);
        int status = body(context);
        (void)fflush(NULL);
        _exit(status);
    }
    mini->pids[slot] = pid;
}

static inline void mini_drain(struct mini *mini)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        uint64_t waiting = sync_ring_waiting(&mini->map, slot);
        uint64_t total = mini->counts[slot] + waiting;
        mini->records[slot] =
            realloc(mini->records[slot], (total + 1) * sizeof(struct sync_record));
        mini_check(mini->records[slot] != NULL, "realloc");
        for (uint64_t i = 0; i < waiting; i++) {
            mini->records[slot][mini->counts[slot] + i] =
                *sync_ring_at(&mini->map, slot, i);
        }
        mini->counts[slot] = total;
        sync_ring_drained(&mini->map, slot, waiting);
    }
    mini->drains++;
}

static inline uint32_t mini_state(const struct mini *mini, unsigned slot)
{
    return atomic_load(&mini->map.page->slots[slot].state);
}

static inline void mini_reap(struct mini *mini, unsigned slot)
{
    int status = 0;
    if (mini->statuses[slot] != -1 || mini->pids[slot] == 0 ||
        waitpid(mini->pids[slot], &status, WNOHANG) != mini->pids[slot]) {
        return;
    }
    mini->statuses[slot] =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (mini_state(mini, slot) != SYNC_SLOT_CLOSED) {
        sync_page_abort(mini->map.page, SYNC_ABORT_PEER_DIED);
    }
}

/* A side that has closed although no last iteration is decided, or before it. */
static inline void mini_watch_leavers(struct mini *mini, unsigned slot)
{
    uint64_t last = atomic_load(&mini->map.page->control.last);
    uint64_t ended = atomic_load(&mini->map.page->slots[slot].ended);
    if (mini_state(mini, slot) == SYNC_SLOT_CLOSED &&
        (last == SYNC_NEVER || ended <= last)) {
        sync_page_abort(mini->map.page, SYNC_ABORT_PEER_LEFT);
    }
}

/* Until every started side is gone. */
static inline void mini_serve(struct mini *mini)
{
    for (;;) {
        unsigned waiting = 0;
        unsigned running = 0;
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            mini_reap(mini, slot);
            mini_watch_leavers(mini, slot);
            uint32_t state = mini_state(mini, slot);
            bool here = mini->pids[slot] != 0 && mini->statuses[slot] == -1;
            running += here;
            waiting += !here || state == SYNC_SLOT_FULL || state == SYNC_SLOT_CLOSED;
        }
        if (waiting == SYNC_SLOTS) {
            mini_drain(mini);
        }
        if (running == 0) {
            return;
        }
        if (mini->each_look != NULL) {
            mini->each_look(mini);
        }
        char bytes[64];
        struct pollfd bell = {.fd = mini->bell_read, .events = POLLIN};
        (void)poll(&bell, 1, 1);
        (void)!read(mini->bell_read, bytes, sizeof bytes);
    }
}

static inline void mini_close(struct mini *mini)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        free(mini->records[slot]);
    }
    sync_page_unmap(&mini->map);
    (void)close(mini->bell_read);
    (void)close(MINI_PAGE_FD);
    (void)close(MINI_BELL_FD);
}

#endif
