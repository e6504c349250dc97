/* The machine: which CPUs there are, which two suit a duet, and what it is. */
#ifndef DUET_MACHINE_MACHINE_H
#define DUET_MACHINE_MACHINE_H

#include "base/error.h"
#include "model/host.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* Where to look; all NULL: the machine we are on. For tests: a captured one. */
struct machine_source {
    const char *hwloc_xml; /* hwloc XML file instead of this machine's topology */
    const char *fs_root;   /* folder before /proc and /sys ("" or NULL: none) */
};

struct machine;
BASE_MUST_USE enum duet_code machine_open(const struct machine_source *source,
                                          struct machine **ret_machine,
                                          struct duet_error *reterr);
void machine_free(struct machine *machine);

/* How two CPUs are related, best for a duet first. */
enum machine_relation {
    MACHINE_SHARED_CACHE,  /* separate cores under one last-level cache */
    MACHINE_SAME_PACKAGE,  /* separate cores, one package, no shared last-level cache */
    MACHINE_SMT_SIBLINGS,  /* threads of one core */
    MACHINE_CROSS_PACKAGE, /* different packages */
    MACHINE_SAME_CPU,
    MACHINE_UNKNOWN
};
const char *machine_relation_name(enum machine_relation relation);
enum machine_relation machine_relate(const struct machine *machine, unsigned cpu_a,
                                     unsigned cpu_b);

/* CPUs this process may use: online, in its affinity mask and its cpuset, ascending. */
void machine_cpus_allowed(const struct machine *machine, struct model_cpu_set *ret_set);
/* CPUs' worth of time that the cgroup's quota leaves (v1 and v2, smallest over all
 * ancestors); infinity: no quota. */
double machine_cpu_quota(const struct machine *machine);

/* Picks one CPU per position (two positions unless `solo`): same kind of core, separate
 * physical cores under one last-level cache if there are any, else SMT siblings, else
 * the same package, else any; CPU 0 (interrupts) avoided when there is a choice.
 * `per_position` > 1 gives each position a set of that many whole cores.
 * Errors: DUET_E_UNSUITABLE (one CPU only, a quota below two CPUs: offers
 * `--schedule timeslice` or `interleaved`). */
BASE_MUST_USE enum duet_code machine_pick_cpus(const struct machine *machine, bool solo,
                                               size_t per_position,
                                               struct model_cpu_set ret_sets[2],
                                               struct duet_error *reterr);

/* Checks a set that the user gave: existing, allowed, the two not overlapping unless
 * `solo`. Errors: DUET_E_USAGE, DUET_E_UNSUITABLE (quota, CPU not allowed). */
BASE_MUST_USE enum duet_code machine_check_cpus(const struct machine *machine,
                                                bool solo,
                                                const struct model_cpu_set sets[2],
                                                struct duet_error *reterr);

/* A CPU outside both sets for the runner itself, preferring one that shares no core
 * with them; false when there is none. */
bool machine_pick_spare(const struct machine *machine,
                        const struct model_cpu_set sets[2],
                        struct model_cpu_set *ret_spare);

/* Binds the calling thread. Errors: DUET_E_UNSUITABLE (CPU gone or not allowed). */
BASE_MUST_USE enum duet_code machine_bind_thread(const struct model_cpu_set *set,
                                                 struct duet_error *reterr);

/* Describes the host; what cannot be found out is left unknown, never an error. */
void machine_describe(const struct machine *machine, const struct model_cpu_set sets[2],
                      struct model_host *ret_host);
void machine_read_load(const struct machine *machine, struct model_host_load *ret_load);

#endif
