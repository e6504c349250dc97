/* What was measured. */
#ifndef DUET_MODEL_EXPERIMENT_H
#define DUET_MODEL_EXPERIMENT_H

#include "base/error.h"
#include "base/spool.h"
#include "model/host.h"
#include "model/observation.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_mode { MODEL_MODE_COMMAND, MODEL_MODE_HARNESS };
const char *model_mode_name(unsigned mode); /* "command", "harness" */

/* Iterations at the head of each run that the plan leaves out as warm-up. Commands are
 * warmed up by executions that are not recorded. */
static inline uint64_t model_mode_dropped(enum model_mode mode, uint64_t warmup)
{
    return mode == MODEL_MODE_HARNESS ? warmup : 0;
}

/* Whether an iteration is analysed: behind the first `dropped` ones, and no filler. */
static inline bool model_iteration_counts(const struct model_iteration *iteration,
                                          uint64_t dropped)
{
    return iteration->index >= dropped &&
           (iteration->flags & MODEL_ITERATION_FILLER) == 0;
}

/* Whether a side is one task: one thread, and no process beside the first. */
enum model_tasks {
    MODEL_TASKS_UNKNOWN,
    MODEL_TASKS_ONE,
    MODEL_TASKS_SEVERAL, /* others than the first thread executed, too */
    MODEL_TASKS
};
const char *model_tasks_name(unsigned tasks); /* "unknown", "one", "several" */

/* One side of one run. */
struct model_run_side {
    unsigned position;   /* 0 or 1: CPU set, launch order, slot, supervisor */
    unsigned cpu;        /* first CPU of the position's set */
    int64_t pid;         /* of the last process of that side */
    int32_t exit_status; /* exit status, or 128 + signal; of the last process */
    uint64_t peak_memory_bytes;
    uint64_t iterations; /* observations, fillers not counted */
    uint64_t fillers;
    /* Hardware counters, by enum model_counter; NaN: not available. Command mode: of
     * all executions that were observed; harness mode: of the whole process. */
    double counters[MODEL_COUNTERS];
    enum model_tasks tasks;
    /* CPU time that programs of others had on the position's CPUs, and of how long that
     * was looked at; NaN: not looked at. */
    double others_ns;
    double window_ns;
};

/* A run: fresh processes, one assignment of sides to positions, some iterations. */
struct model_run {
    uint64_t index; /* from 0 */
    uint64_t block; /* assignments come in blocks of two runs */
    enum model_schedule schedule;
    enum model_mode mode;
    int64_t started_utc_ms; /* since 1970, UTC */
    uint64_t started_ns;    /* CLOCK_MONOTONIC */
    uint64_t ended_ns;
    struct model_run_side sides[MODEL_SIDES];
    uint64_t runner_wakeups; /* times the runner itself was scheduled during the run */
    double slice_ns;         /* timeslice: mean stretch on the CPU; NaN otherwise */
    /* The names of its iterations' regions, borrowed; only while a sink's run_end. */
    const char (*regions)[MODEL_REGION_BYTES];
    uint32_t region_count;
};

/* What an iteration took and how it ended, of all runs together. */
struct model_time {
    double ns;
    int32_t exit_status;
    uint32_t unused; /* in place of padding, as model_idle's */
};

/* One observation of a run that is too long for arrays. */
struct model_observed {
    double value;
    struct model_idle idle; /* zeroed: not known, not a time */
};

/* One run's observations of one metric, as the analysis wants them: warm-up and
 * fillers left out, in order. Paired schedules: old[i] and new[i] are a pair and the
 * counts are equal. Owned by whoever made it. */
struct model_run_values {
    uint64_t run; /* index */
    uint64_t block;
    unsigned old_position;       /* assignment: which position the old side had */
    double *values[MODEL_SIDES]; /* times in ns, or another metric */
    struct model_idle *idle[MODEL_SIDES]; /* of each; NULL: not known, not a time */
    size_t counts[MODEL_SIDES];
    /* Of a long run, struct model_observed of each side in place of the arrays, which
     * are then NULL: those from `first` on. NULL otherwise. */
    struct spool *spools;
    size_t first[MODEL_SIDES];
    bool spooled_idle; /* with idle times */
    /* Mean of an iteration; its values are for one of them. 0: one each. */
    double operations[MODEL_SIDES];
    bool single[MODEL_SIDES];      /* a single task (MODEL_TASKS_ONE) */
    double others_ns[MODEL_SIDES]; /* as in struct model_run_side; NaN where unknown */
    double window_ns[MODEL_SIDES];
};

void model_run_values_release(struct model_run_values *values);

/* Values number `at` and behind, as many as there are and ret_values has room for.
 * Errors: those of spool_read(). */
BASE_MUST_USE enum duet_code
model_run_values_copy(const struct model_run_values *values, enum model_side side,
                      size_t at, double *ret_values, size_t room,
                      struct duet_error *reterr);

/* Of an iteration, on average. */
static inline double model_run_values_operations(const struct model_run_values *values,
                                                 enum model_side side)
{
    double operations = values->operations[side];
    return operations > 0.0 ? operations : 1.0;
}

/* What iteration `index` took, all of its operations. Of arrays. */
static inline double model_run_values_took(const struct model_run_values *values,
                                           enum model_side side, size_t index)
{
    return values->values[side][index] * model_run_values_operations(values, side);
}

/* Values as they come, into a run. Zeroed but for `most`: none. */
struct model_run_gather {
    struct model_run_values values;
    size_t capacities[MODEL_SIDES];
    size_t most; /* so many of a side at most are in arrays; 0: all */
};

/* So many values of a side lie in arrays where a long run need not. */
enum { MODEL_RUN_LONG = 1 << 14 };

/* idle: NULL in all calls or in none of a run. Errors: DUET_E_NOMEM (says how many
 * values there were). */
BASE_MUST_USE enum duet_code model_run_gather_add(struct model_run_gather *gather,
                                                  enum model_side side, double value,
                                                  const struct model_idle *idle,
                                                  struct duet_error *reterr);

/* Makes it ready for the next run. */
void model_run_gather_clear(struct model_run_gather *gather);

/* A whole comparison's observations of one metric. */
struct model_values {
    bool paired;
    struct model_run_values *runs;
    size_t run_count;
};

void model_values_release(struct model_values *values);

#endif
