/* Measuring: carries out a plan and hands over what it observed, run by run. */
#ifndef DUET_MEASURE_MEASURE_H
#define DUET_MEASURE_MEASURE_H

#include "base/error.h"
#include "machine/counters.h"
#include "model/plan.h"
#include "model/sink.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct measure_progress {
    uint64_t runs_done;
    uint64_t runs_planned; /* 0: depends on the budget */
    uint64_t elapsed_ns; /* of the measurement, without set-up; while it warms up, with
                            the warm-up */
    uint64_t budget_ns;  /* 0: the number of runs is planned */
    enum model_mode mode;
    bool in_run; /* a wake-up within a run, not between two */
};

/* What of a plan was carried out before, by another process perhaps. */
struct measure_done {
    uint64_t runs;        /* the index of the next one */
    uint64_t block;       /* of the next one, ... */
    bool second;          /* ... whose first run is done */
    uint64_t elapsed_ns;  /* of the budget */
    uint64_t old_runs;    /* `sequential`: all of old, once new has a run; 0: before */
    enum model_mode mode; /* of those runs, if any */
};

/* What a run that has ended says of old_runs. */
void measure_done_take_turn(struct measure_done *done, const struct model_run *run);

/* What the caller lends to a measurement. */
struct measure_hooks {
    struct model_sink sink;
    /* Between runs, but for those of a batch (up to 64 short ones of commands), behind
     * it; and at most once a second within a run whose iterations take longer than
     * that. After a whole block (`in_run` false): returning false ends the measurement,
     * which is how adaptive stopping reaches it. NULL: none. */
    bool (*progress)(void *context, const struct measure_progress *progress);
    /* How long the iterations of a benchmark program's next block should take in each
     * run, in ns, behind the warm-up; asked before it. NULL: plan->run_time_ns. */
    uint64_t (*run_time)(void *context);
    /* The schedule of the next block or batch: `duet` or `timeslice`, which then uses
     * position 0's CPUs. Asked before it where the plan has no number of runs. NULL:
     * plan->schedule. */
    enum model_schedule (*schedule)(void *context);
    /* Whether the next run has a coin of its own and no second run swaps its positions;
     * asked before every block or batch. Such a run is in no batch. NULL: never. */
    bool (*coin_alone)(void *context);
    /* How many runs there are at least, asked before every run or batch of a plan
     * without a number of runs. NULL: plan->min_runs. */
    uint64_t (*least_runs)(void *context);
    void *context;
    /* Called after the set-up, before anything is measured (`after` false), and again
     * before the clean-up when all went well: whether the programs do what they should.
     * An error ends the experiment with it. NULL: none. */
    enum duet_code (*verify)(void *context, bool after, struct duet_error *reterr);
    void *verify_context;
    const struct measure_done *done;             /* NULL: nothing */
    int cancel_fd;                               /* readable: stop now; -1: none */
    const struct counters_calls *counters_calls; /* NULL: the kernel's own */
    const struct model_cpu_set
        *spare; /* where the runner itself goes; NULL: anywhere */
};

struct measure_result {
    enum model_mode mode;
    uint64_t runs;
    uint64_t wall_ns;   /* first order to last report */
    uint64_t longer_ns; /* sum over pairs of the longer side */
    uint64_t wakeups;   /* of the runner while sides were executing */
    uint64_t ticks;     /* progress wake-ups among them */
    uint64_t leftovers; /* processes that programs left behind; killed */
    uint64_t spared;    /* processes that still run: another user's, not to be killed */
    pid_t spared_pid;   /* one of them */
    uint64_t stuck;     /* that still run: they were killed, and do not end */
    pid_t stuck_pid;    /* one of them */
    double slice_ns;    /* timeslice: mean stretch on the CPU; NaN otherwise */
};

/* What measure_experiment() would refuse before it starts a program, known without
 * starting anything; nothing where set-up hooks may still make what is missing. Errors:
 * DUET_E_USAGE (command not found, no such input, a descriptor of the shell). */
BASE_MUST_USE enum duet_code measure_check(const struct model_plan *plan,
                                           struct duet_error *reterr);

/* Carries out `plan`. Runs that have ended are with the sink, whatever happens then.
 * Set-up hooks run first, clean-up hooks always last. No process (but of another
 * user, or one that does not end when it is killed), descriptor or file is left when it
 * returns. *ret_result is set on failure too. Errors: DUET_E_INTERRUPTED (cancel_fd),
 * DUET_E_WORKLOAD (says side, run, iteration, status and the program's last lines),
 * DUET_E_TIMEOUT, DUET_E_PEER, DUET_E_PROTOCOL, DUET_E_USAGE (command not found),
 * DUET_E_SYSTEM, and the sink's own. */
BASE_MUST_USE enum duet_code measure_experiment(const struct model_plan *plan,
                                                const struct measure_hooks *hooks,
                                                struct measure_result *ret_result,
                                                struct duet_error *reterr);

/* Which part of a plan is carried out by itself. */
struct measure_part {
    enum model_side side;
    uint64_t first; /* index of the first run */
    uint64_t runs;  /* one after the other, each of plan->iterations executions */
    int output_fd;  /* -1: standard output goes where the plan says; else it is appended
                       to this file, and the plan's output is MODEL_STREAM_PIPE */
};

/* Runs of one side, by itself on position 0's CPUs; the plan's other side may be empty.
 * Its schedule is one without pairs. Neither warm-up nor progress; hooks->verify is not
 * called. Otherwise, and in its errors, as measure_experiment(). */
BASE_MUST_USE enum duet_code measure_alone(const struct model_plan *plan,
                                           const struct measure_part *part,
                                           const struct measure_hooks *hooks,
                                           struct measure_result *ret_result,
                                           struct duet_error *reterr);

#endif
