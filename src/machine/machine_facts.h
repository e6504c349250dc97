/* What machine_open() found out, as plain data: hwloc is asked once, and everything
 * that decides (relations, choice, checks) works on this table. Private to src/machine.
 */
#ifndef DUET_MACHINE_MACHINE_FACTS_H
#define DUET_MACHINE_MACHINE_FACTS_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stddef.h>

enum cpu_state {
    CPU_OFFLINE, /* the kernel knows it, it does not run: the numbers below are unset */
    CPU_DISALLOWED, /* outside our cpuset or affinity mask */
    CPU_ALLOWED
};

enum { FACT_NONE = -1 }; /* no such object is described */

struct machine_cpu {
    unsigned cpu; /* the kernel's number */
    enum cpu_state state;
    int core;    /* equal for the threads of a core; ascending in topological order */
    int cache;   /* last-level cache, or FACT_NONE when no cache is described */
    int package; /* or FACT_NONE */
    int kind;    /* P or E core and the like, or FACT_NONE when all are alike */
    int efficiency; /* of the kind, larger is faster; FACT_NONE: unknown */
};

struct machine {
    struct machine_cpu *cpus; /* ascending by number */
    size_t cpu_count;
    bool live; /* the machine we are on, not a captured one */
    char *fs_root;
    double quota_cpus; /* infinity: none */
    char arch[32];
    char cpu_model[128];
    double memory_bytes; /* NaN: unknown */
};

/* NULL: the machine has no CPU of that number. */
const struct machine_cpu *machine_find_cpu(const struct machine *machine, unsigned cpu);

/* machine_pick_cpus() beside so many programs that are bound to each of machine->cpus.
 */
BASE_MUST_USE enum duet_code pick_cpus_beside(const struct machine *machine,
                                              const unsigned *bound, bool solo,
                                              size_t per_position,
                                              struct model_cpu_set ret_sets[2],
                                              struct duet_error *reterr);

/* Fails with DUET_E_UNSUITABLE when the cgroup's quota is below `needed` CPUs and more
 * than one is needed: a group is then stopped in the middle of an iteration. */
BASE_MUST_USE enum duet_code machine_check_quota(const struct machine *machine,
                                                 bool solo, size_t needed,
                                                 struct duet_error *reterr);

#endif
