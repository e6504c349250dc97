/* The machine: which CPUs there are, which two suit a duet, and what it is. */
#ifndef DUET_MACHINE_MACHINE_H
#define DUET_MACHINE_MACHINE_H

#include "base/error.h"
#include "model/host.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where to look; all NULL: the machine we are on. For tests: a captured one. */
struct machine_source {
    const char *hwloc_xml; /* hwloc XML file instead of this machine's topology */
    const char *fs_root;   /* folder before /proc and /sys ("" or NULL: none) */
};

struct machine;
/* Reads the topology, this thread's affinity mask and the cgroup's quota; takes a
 * millisecond or two on a small machine. A captured topology brings the CPUs that are
 * allowed with it. `source` (NULL: this machine) is not kept; the result goes to
 * machine_free(), which takes NULL. Errors: DUET_E_NOMEM, DUET_E_IO (no such XML file),
 * DUET_E_FORMAT (it is not a topology), DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code machine_open(const struct machine_source *source,
                                          struct machine **ret_machine,
                                          struct duet_error *reterr);
void machine_free(struct machine *machine);

/* How two CPUs are related. */
enum machine_relation {
    MACHINE_SHARED_CACHE,  /* separate cores under one last-level cache */
    MACHINE_SAME_PACKAGE,  /* separate cores, one package, no shared last-level cache */
    MACHINE_UNKNOWN_CACHE, /* separate cores, one package, no cache is described */
    MACHINE_SMT_SIBLINGS,  /* threads of one core */
    MACHINE_CROSS_PACKAGE, /* different packages */
    MACHINE_SAME_CPU,
    MACHINE_UNKNOWN
};
const char *machine_relation_name(enum machine_relation relation);
enum machine_relation machine_relate(const struct machine *machine, unsigned cpu_a,
                                     unsigned cpu_b);

/* CPUs this process may use: online, in its affinity mask and its cpuset, ascending;
 * the first MODEL_CPUS_MAX of them. */
void machine_cpus_allowed(const struct machine *machine, struct model_cpu_set *ret_set);
/* Whether it may use this one. */
bool machine_may_use(const struct machine *machine, unsigned cpu);
/* Picks one CPU per position (two positions unless `solo`): same kind of core, separate
 * physical cores under one last-level cache if there are any, else SMT siblings, else
 * the same package, else any; cores that other programs are bound to, and CPU 0
 * (interrupts), avoided when there is a choice, the fastest kind of core preferred.
 * Where no cache is described, the cores of a package count as sharing one.
 * `per_position` > 1 gives each position a set of that many whole cores: one CPU of
 * each, its siblings stay idle; such sets are never made of SMT siblings. `solo` leaves
 * ret_sets[1] empty.
 * Errors: DUET_E_UNSUITABLE (one CPU only, a quota below two CPUs: offers
 * `--schedule timeslice` or `interleaved`; too few cores of one kind), DUET_E_USAGE
 * (per_position is 0 or above MODEL_CPUS_MAX), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code machine_pick_cpus(const struct machine *machine, bool solo,
                                               size_t per_position,
                                               struct model_cpu_set ret_sets[2],
                                               struct duet_error *reterr);

/* Checks a set that the user gave: existing, allowed, the two not overlapping unless
 * `solo`, which may also leave the second one empty. Errors: DUET_E_USAGE (empty,
 * overlap, named twice, no such CPU), DUET_E_UNSUITABLE (quota, CPU offline or not
 * allowed). */
BASE_MUST_USE enum duet_code machine_check_cpus(const struct machine *machine,
                                                bool solo,
                                                const struct model_cpu_set sets[2],
                                                struct duet_error *reterr);

/* A CPU outside both sets for the runner itself, preferring one that shares no core
 * with them; false when there is none. */
bool machine_pick_spare(const struct machine *machine,
                        const struct model_cpu_set sets[2],
                        struct model_cpu_set *ret_spare);

/* Binds the calling thread to all of the set or fails; allocates nothing. Errors:
 * DUET_E_UNSUITABLE (a CPU gone or not allowed; the thread may then be bound to the
 * rest), DUET_E_USAGE (empty set), DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code machine_bind_thread(const struct model_cpu_set *set,
                                                 struct duet_error *reterr);

/* Whether process `pid` (0: the calling thread), which may have ended without having
 * been collected, may run on CPUs of the set only, and with `all` on each of them. true
 * when the kernel does not tell. *ret_cpu, when false: a CPU that it may run on, or one
 * of the set that it may not. */
bool machine_is_bound(pid_t pid, const struct model_cpu_set *set, bool all,
                      unsigned *ret_cpu);

/* Where the calling thread may run, and back to it: for who binds itself for a while.
 */
enum { MACHINE_AFFINITY_BYTES = 1024 }; /* a bit for each of 8192 CPUs */
struct machine_affinity {
    unsigned long mask[MACHINE_AFFINITY_BYTES / sizeof(unsigned long)];
    bool known;
};
void machine_affinity_save(struct machine_affinity *ret_affinity);
void machine_affinity_restore(const struct machine_affinity *affinity);

/* The environment variable that tells clones of one image apart: its value goes into
 * model_host.uuid. */
#define MACHINE_INSTANCE_VARIABLE "DUET_INSTANCE"

/* Describes the host; what cannot be found out is left unknown, never an error. The
 * governor is that of the CPUs in `sets`; NULL: of all that are allowed. */
void machine_describe(const struct machine *machine, const struct model_cpu_set sets[2],
                      struct model_host *ret_host);
void machine_read_load(const struct machine *machine, struct model_host_load *ret_load);

/* Whether reading the clock stays in user space (clock source tsc, kvm-clock,
 * arch_sys_counter and the like); false too when it is unknown. */
bool machine_clock_is_fast(const struct model_host *host);

#endif
