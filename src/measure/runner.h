/* The runner's state while it measures: shared by the files that carry out a run. */
#ifndef DUET_MEASURE_RUNNER_H
#define DUET_MEASURE_RUNNER_H

#include "measure/measure.h"
#include "measure/reap.h"
#include "measure/streams.h"
#include "measure/supervisor.h"
#include "sync/page.h"

struct runner_position {
    struct supervisor supervisor; /* pid 0: not started */
    int pipe_out;                 /* read ends; -1: none */
    int pipe_err[MODEL_SIDES];
    struct stream_tail tails[MODEL_SIDES]; /* of standard error, of the current order */
};

struct runner {
    const struct model_plan *plan; /* &scheduled */
    struct model_plan scheduled; /* the plan, with the schedule of the current block */
    struct metronome *metronome; /* NULL: not of this schedule */
    const struct measure_hooks *hooks;
    const struct measure_part *part; /* NULL: all of the plan */
    struct measure_result *result;
    struct board *board;
    struct runner_position positions[BOARD_POSITIONS];
    int bell_read;
    int bell_write;
    int page_fd; /* -1: none yet */
    struct sync_map map;
    struct sync_header page_header; /* as the page had them before any side */
    uint64_t page_limit;
    uint64_t read[SYNC_SLOTS]; /* iterations of the page that the sink has */
    /* Regions by both sides' names, for the whole measurement; and those that the
     * iteration that is read next has had, a bit each. */
    char regions[MODEL_REGIONS_MAX][MODEL_REGION_BYTES];
    uint32_t region_count;
    uint32_t regions_seen[SYNC_SLOTS];
    bool page_sent[BOARD_POSITIONS]; /* the supervisor has the current page */
    bool mode_known;
    uint64_t runs_before;  /* that were carried out before this measurement */
    uint64_t block;        /* the current one, ... */
    bool second;           /* ... of which the first run is done */
    uint64_t old_runs;     /* as in struct measure_done */
    uint64_t run_time_ns;  /* of the current block's runs; 0: no limit */
    uint64_t began_ns;     /* of the measurement */
    uint64_t iteration_ns; /* mean of the last run or batch; 0: unknown */
    uint64_t expected_ns[MODEL_SIDES]; /* what the sides' slots said after it */
    uint64_t slice_cpu_ns;             /* timeslice: CPU time of this run's sides, */
    uint64_t slice_switches;           /* and how often they left the CPU */
    bool silent; /* a command failed and said nothing on standard error: */
    enum model_side silent_side;
    int silent_status;
    char *paths[MODEL_SIDES];
    struct reap_children
        others; /* this process's own, which stay: from the beginning */
};

/* What is asked of one run, or of a warm-up. */
struct runner_task {
    uint64_t run;
    uint64_t block;
    bool second;         /* run of its block */
    uint64_t executions; /* per side, command mode */
    uint64_t batch;      /* so many runs of one execution each, from `run` on, in whole
                            blocks of two; 0: one */
    bool warmup;         /* nothing is recorded */
    bool solo;           /* one side after the other */
    bool wants[MODEL_SIDES];
    unsigned position[MODEL_SIDES]; /* solo: order */
};

/* Gives position `position` its order: `executions` of side (see struct
 * supervisor_order for `swaps`). */
BASE_MUST_USE enum duet_code
runner_order(struct runner *runner, const struct runner_task *task, unsigned position,
             enum model_side side, uint64_t swaps, uint64_t first, uint64_t executions,
             struct duet_error *reterr);

/* Executes a batch of short runs of commands under one order, without the runner in
 * between: waking it and the supervisors up for each would take longer than the
 * programs do. Complete runs are with the sink, also after an error; result->runs
 * counts them. */
BASE_MUST_USE enum duet_code runner_batch(struct runner *runner,
                                          const struct runner_task *task,
                                          struct duet_error *reterr);

/* Executes a task and, unless it is a warm-up, hands its observations to the sink.
 * Errors: as measure_experiment(). After an error the supervisors are idle again or
 * gone, and the sink has forgotten the run. */
BASE_MUST_USE enum duet_code runner_run(struct runner *runner,
                                        const struct runner_task *task,
                                        struct duet_error *reterr);

#endif
