/* What a user should know about the machine and the two programs, found in what an
 * experiment recorded beside the times. Every warning rests on CPU time that was lost
 * or on what a side did, never on what each execution does by itself: a command
 * switches tasks when it starts and ends. docs/output.md lists every warning. */
#ifndef DUET_ANALYSIS_WARNINGS_H
#define DUET_ANALYSIS_WARNINGS_H

#include "model/comparison.h"
#include "model/experiment.h"
#include "model/host.h"
#include "model/observation.h"

#include <stdbool.h>
#include <stdint.h>

/* Sums over one side's analysed iterations whose usage was measured. */
struct analysis_side_usage {
    double wall_ns;
    double cpu_ns;
    /* Of the iterations whose lost CPU time is known: their time, and what was lost. */
    double known_ns;
    double taken_ns;
    uint64_t involuntary_switches;
    uint64_t iterations; /* all, also those whose usage was not measured, */
    double operations;   /* in them, */
    uint64_t strayed;    /* and of them those on CPUs that were not their position's */
    /* It had more threads or processes than CPUs at some time. */
    bool crowded;
};

/* Adds an iteration; one without usage only to the counts of iterations. */
void analysis_usage_add(struct analysis_side_usage *usage,
                        const struct model_iteration *iteration);

/* Whether a run's side had more to execute at once than CPUs: it had several tasks,
 * which took the CPU from each other, while programs of others had next to nothing of
 * it. */
bool analysis_usage_crowded(const struct analysis_side_usage *usage,
                            const struct model_run_side *side);

/* What is known of an experiment beside its times. */
struct analysis_facts {
    struct analysis_side_usage sides[MODEL_SIDES];
    struct model_host_load before; /* as read before the first run ... */
    struct model_host_load after;  /* ... and after the last */
    int num_cpus;                  /* online; not positive: unknown */
};

/* Whether one of the sides, both being known, is on the CPU for so little of its own
 * time that it waits for something else. */
bool analysis_a_side_waits(const struct analysis_facts *facts);
/* Whether both sides are known to compute for most of their own time, and to have no
 * more tasks than CPUs, so that CPU time may be compared in place of elapsed time. */
bool analysis_sides_compute(const struct analysis_facts *facts);

/* Sets conditions.involuntary_per_s and taken_ratio, and appends the warnings that the
 * facts give reason for. Of *comparison, the schedule is read. */
void analysis_warnings_add(const struct analysis_facts *facts,
                           struct model_comparison *comparison);

#endif
