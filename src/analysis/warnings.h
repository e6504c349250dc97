/* What a user should know about the machine and the two programs, found in what an
 * experiment recorded beside the times. docs/output.md lists every warning. */
#ifndef DUET_ANALYSIS_WARNINGS_H
#define DUET_ANALYSIS_WARNINGS_H

#include "model/comparison.h"
#include "model/host.h"

#include <stdint.h>

/* Sums over one side's analysed iterations whose usage was measured. */
struct analysis_side_usage {
    double wall_ns;
    double cpu_ns;
    uint64_t involuntary_switches;
};

/* What is known of an experiment beside its times. */
struct analysis_facts {
    struct analysis_side_usage sides[MODEL_SIDES];
    struct model_host_load before; /* as read before the first run ... */
    struct model_host_load after;  /* ... and after the last */
    int num_cpus;                  /* online; not positive: unknown */
};

/* Sets conditions.involuntary_per_s and appends the warnings that the facts give reason
 * for. Of *comparison, schedule, verdict and could_have_seen are read. */
void analysis_warnings_add(const struct analysis_facts *facts,
                           struct model_comparison *comparison);

#endif
