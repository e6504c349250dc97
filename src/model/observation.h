/* What one iteration of one side yielded. */
#ifndef DUET_MODEL_OBSERVATION_H
#define DUET_MODEL_OBSERVATION_H

#include <stdint.h>

/* Hardware counters of a process and its children; not every machine has them. */
enum model_counter {
    MODEL_COUNTER_CYCLES,
    MODEL_COUNTER_INSTRUCTIONS,
    MODEL_COUNTER_CACHE_MISSES,
    MODEL_COUNTER_BRANCH_MISSES,
    MODEL_COUNTERS
};
const char *model_counter_name(enum model_counter counter); /* "cycles" ... */

/* The role a workload has in a comparison: A, the baseline, and B. */
enum model_side { MODEL_OLD = 0, MODEL_NEW = 1, MODEL_SIDES = 2 };

const char *model_side_name(enum model_side side); /* "old", "new" */

enum model_iteration_flag {
    MODEL_ITERATION_SLEPT = 1U << 0U,      /* this side slept at the barrier */
    MODEL_ITERATION_SECOND = 1U << 1U,     /* released by the second, spinning phase */
    MODEL_ITERATION_FILLER = 1U << 2U,     /* executed to keep the CPU busy: not an
                                              observation, never analysed */
    MODEL_ITERATION_PREEMPTED = 1U << 3U,  /* another task ran on the side's CPU, or the
                                              side left it, between arrival and start */
    MODEL_ITERATION_NO_USAGE = 1U << 4U,   /* resource fields below were not measured */
    MODEL_ITERATION_CPU_CHANGED = 1U << 5U /* began and ended on different CPUs */
};

struct model_iteration {
    uint64_t index;    /* iteration within its run, from 0; a pair shares it */
    uint64_t start_ns; /* CLOCK_MONOTONIC of the machine it ran on */
    uint64_t end_ns;
    uint64_t cpu_ns;    /* CPU time of the process, user + system */
    uint64_t user_ns;   /* user part */
    uint64_t system_ns; /* system part */
    uint64_t taken_ns;  /* command mode: CPU time that it was ready to use and others
                           had, as far as that is known; else 0 */
    uint32_t voluntary_switches;
    uint32_t involuntary_switches;
    uint32_t minor_faults;
    uint32_t major_faults;
    uint32_t cpu;        /* logical CPU (the kernel's number) at the start */
    uint32_t flags;      /* of enum model_iteration_flag */
    int32_t exit_status; /* command mode: exit status, or 128 + signal; else 0 */
};

/* By how much an iteration took longer because its CPU was taken away, by the
 * hypervisor or by another task: ln(t / (t - x)), x being what it neither executed nor
 * waited for of its own accord; of an iteration that gave up its CPU itself, what is
 * known to have been taken. 0 where nothing is known, or x is at most 50 us, which
 * other things make as well; at most MODEL_LOST_MOST. */
double model_iteration_lost(const struct model_iteration *iteration);
#define MODEL_LOST_MOST 5.0

#endif
