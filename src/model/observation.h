/* What one iteration of one side yielded. */
#ifndef DUET_MODEL_OBSERVATION_H
#define DUET_MODEL_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

/* Hardware counters of a process and its children; not every machine has them. */
enum model_counter {
    MODEL_COUNTER_CYCLES,
    MODEL_COUNTER_INSTRUCTIONS,
    MODEL_COUNTER_CACHE_MISSES,
    MODEL_COUNTER_BRANCH_MISSES,
    MODEL_COUNTERS
};
const char *model_counter_name(unsigned counter); /* "cycles" ... */

/* The role a workload has in a comparison: A, the baseline, and B. */
enum model_side { MODEL_OLD = 0, MODEL_NEW = 1, MODEL_SIDES = 2 };

const char *model_side_name(unsigned side); /* "old", "new" */

enum model_iteration_flag {
    MODEL_ITERATION_SLEPT = 1U << 0U,     /* this side slept at the barrier */
    MODEL_ITERATION_SECOND = 1U << 1U,    /* released by the second, spinning phase */
    MODEL_ITERATION_FILLER = 1U << 2U,    /* executed to keep the CPU busy: not an
                                             observation, never analysed */
    MODEL_ITERATION_PREEMPTED = 1U << 3U, /* another task ran on the side's CPU, or the
                                             side left it, between arrival and start */
    MODEL_ITERATION_NO_USAGE = 1U << 4U,  /* resource fields below were not measured */
    MODEL_ITERATION_CPU_CHANGED = 1U << 5U, /* began and ended on different CPUs */
    MODEL_ITERATION_TAKEN_KNOWN = 1U << 6U, /* taken_ns was measured */
    MODEL_ITERATION_STRAYED = 1U << 7U,     /* on `cpu`, which is not its position's */
    MODEL_ITERATION_CPU_KNOWN = 1U << 8U /* cpu_ns was measured though usage was not */
};

/* Names that a benchmark program gives to parts of its iterations. */
enum { MODEL_REGIONS_MAX = 16, MODEL_REGION_BYTES = 32 };

/* One iteration of one side, or what it spent in one of its regions, of which usage is
 * not measured. */
struct model_iteration {
    uint64_t index;    /* iteration within its run, from 0; a pair shares it */
    uint64_t start_ns; /* CLOCK_MONOTONIC of the machine it ran on */
    uint64_t end_ns;
    uint64_t cpu_ns;    /* CPU time of the process, user + system */
    uint64_t user_ns;   /* user part */
    uint64_t system_ns; /* system part */
    uint64_t taken_ns;  /* CPU time that its first thread was ready to use and others
                           had; 0 without MODEL_ITERATION_TAKEN_KNOWN */
    /* That the iteration executed: times are compared for one. 0 is 1. */
    uint64_t operations;
    uint32_t voluntary_switches;
    uint32_t involuntary_switches;
    uint32_t minor_faults;
    uint32_t major_faults;
    uint32_t region;     /* of struct model_run.regions, from 1; 0: the whole */
    uint32_t cpu;        /* logical CPU (the kernel's number) at the start */
    uint32_t flags;      /* of enum model_iteration_flag */
    int32_t exit_status; /* command mode: exit status, or 128 + signal; else 0 */
};

static inline double model_iteration_operations(const struct model_iteration *iteration)
{
    return iteration->operations == 0 ? 1.0 : (double)iteration->operations;
}

/* What an iteration did not execute, as logarithms of the factors by which it took
 * longer: ln(t / (t - x)), at least 0 and at most MODEL_IDLE_MOST. */
struct model_idle {
    double all;   /* x: all that it did not execute, where it is more than 50 us, which
                     other things make as well; NaN: not measured */
    double taken; /* x: what of it was measured to have been taken while it was ready;
                     NaN: not measured */
    uint32_t waits;  /* how often it gave up its CPU by itself: what it did not
                        execute is then partly its own waiting */
    uint32_t unused; /* in place of padding: files get no stale memory */
};
#define MODEL_IDLE_MOST 5.0
struct model_idle model_iteration_idle(const struct model_iteration *iteration);

/* How much of a pair was lost, of each side as above, by one measure for both: of two
 * that did not wait all that they did not execute, otherwise what was measured to have
 * been taken. false: no measure knows it of both. Only of programs of a single task.
 * docs/decisions/0023-losses-of-both-sides.md has why. */
bool model_pair_lost(const struct model_idle *old_idle,
                     const struct model_idle *new_idle, double ret_lost[MODEL_SIDES]);

#endif
