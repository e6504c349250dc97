/* A supervisor: the process that belongs to a position. Bound to the position's CPUs,
 * it starts whichever side the runner orders, waits for it there and notes how it went.
 * The runner itself sleeps meanwhile. */
#ifndef DUET_MEASURE_SUPERVISOR_H
#define DUET_MEASURE_SUPERVISOR_H

#include "base/error.h"
#include "machine/counters.h"
#include "measure/board.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SUPERVISOR_BATCH = 64 };

enum supervisor_order_flag {
    SUPERVISOR_PAIRED = 1U << 0U,   /* meet the other side before and after */
    SUPERVISOR_DISCARD = 1U << 1U,  /* warm-up: nothing is recorded */
    SUPERVISOR_NEW_PAGE = 1U << 2U, /* a page descriptor comes with the order */
    SUPERVISOR_RUNS = 1U << 3U      /* a batch: each execution is a run of its own */
};

/* Runner to supervisor: execute one side so many times. Or, in a batch, so many runs of
 * one execution each: bit n of `swaps` says that the n-th executes the other side. */
struct supervisor_order {
    enum model_side side;
    uint32_t flags;
    uint64_t swaps;      /* 0 where there are more than SUPERVISOR_BATCH executions */
    uint64_t executions; /* <= BOARD_RECORDS */
    uint64_t run;        /* index of the run, or of the first of a batch */
    uint64_t first;      /* index of the first execution in its run */
    uint64_t page_nonce; /* of the page that comes with the order */
};

enum supervisor_trouble {
    SUPERVISOR_FINE,
    SUPERVISOR_EXITED,    /* status not 0 */
    SUPERVISOR_SIGNALLED, /* died by a signal that was not ours */
    SUPERVISOR_STOPPED, /* SIGSTOP or the like; status: of a hook SUPERVISOR_PREPARE or
                           _CONCLUDE, else 0 */
    SUPERVISOR_TIMED_OUT, /* the same */
    SUPERVISOR_CANCELLED, /* the other side failed; status SIGTERM: it was told to end
                           */
    SUPERVISOR_MOVED, /* it is not bound to its CPUs any more: status is one of them,
                         or one that it should not run on */
    SUPERVISOR_UNMATCHED, /* ended without attaching, and the other side has attached */
    SUPERVISOR_PREPARE,   /* its prepare hook failed: status is the shell's */
    SUPERVISOR_CONCLUDE,  /* its conclude hook failed: the same */
    SUPERVISOR_NOT_STARTED /* execve or what leads to it failed: status is errno */
};

/* Supervisor to runner: the order is over. Records are on the board. */
struct supervisor_report {
    enum supervisor_trouble trouble;
    int32_t status;      /* exit status, signal or errno */
    uint64_t execution;  /* index within its run at which it ended */
    uint64_t executions; /* completed */
    uint64_t fillers;
    uint64_t peak_memory_bytes;
    int64_t pid;                 /* of the last child */
    uint32_t attached;           /* the child has claimed its slot: harness mode */
    uint32_t leftovers;          /* processes it left behind, killed */
    enum model_side side;        /* that the last execution was of */
    struct model_iteration last; /* usage of the last execution (harness: of the run) */
    double counters[MODEL_COUNTERS]; /* of the last execution; NaN: not available */
    enum model_tasks tasks;          /* of the last execution */
    double others_ns; /* CPU time of others on the position's CPUs, ... */
    double window_ns; /* ... of the whole order; NaN: not looked at */
};

/* What a supervisor needs for its life; borrowed, inherited by fork. */
struct supervisor_setup {
    const struct model_plan *plan;
    unsigned position;
    const struct model_cpu_set *cpus;
    struct board *board;
    const char *paths[MODEL_SIDES]; /* of the executables */
    int stdin_fd;                   /* -1: opened per execution from the plan */
    /* Write ends of the position's pipes, one a side, since a batch has both sides in
     * turn; -1: from the plan. */
    int stderr_fds[MODEL_SIDES];
    int stdout_fd; /* the same for standard output, one of both */
    int bell_fd;   /* write end */
    int cancel_fd; /* of the runner: readable: stop now; -1: none */
    const struct counters_calls *counters_calls; /* NULL: the kernel's own */
};

struct supervisor {
    pid_t pid;
    int socket_fd; /* orders out, reports in; end of file: the supervisor is gone */
};

/* Starts a supervisor, and waits until it is ready. Errors: DUET_E_SYSTEM (also: it was
 * stopped, or its CPU has no time for it), DUET_E_UNSUITABLE (cannot bind),
 * DUET_E_INTERRUPTED (cancel_fd). */
BASE_MUST_USE enum duet_code supervisor_start(const struct supervisor_setup *setup,
                                              struct supervisor *ret_supervisor,
                                              struct duet_error *reterr);

/* page_fd: with SUPERVISOR_NEW_PAGE, else -1. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code supervisor_order(const struct supervisor *supervisor,
                                              const struct supervisor_order *order,
                                              int page_fd, struct duet_error *reterr);

/* Reads a report that poll() announced. Errors: DUET_E_SYSTEM (the supervisor died). */
BASE_MUST_USE enum duet_code supervisor_report(const struct supervisor *supervisor,
                                               struct supervisor_report *ret_report,
                                               struct duet_error *reterr);

/* Whether a signal has stopped it (SIGSTOP). */
bool supervisor_is_stopped(const struct supervisor *supervisor);

/* Ends it without waiting: it reports no more, and what it ran becomes this process's
 * (a subreaper's), unless it dies with it. supervisor_stop() is still due. */
void supervisor_kill(const struct supervisor *supervisor);

/* Ends the current order: the child's whole process group is killed; a report follows.
 */
void supervisor_cancel(const struct supervisor *supervisor);

/* Ends the supervisor and whatever it runs; waits for it. */
void supervisor_stop(struct supervisor *supervisor);

#endif
