/* The CPU bandwidth that control groups leave us: hwloc knows cpusets, not quotas. */
#ifndef DUET_MACHINE_CGROUP_H
#define DUET_MACHINE_CGROUP_H

#include <stdint.h>

struct cgroup_cpu {
    double quota_cpus;        /* CPUs' worth of time; infinity: no quota */
    double throttled_s;       /* time throttled so far; NaN: unknown */
    uint64_t throttled_count; /* periods throttled so far */
};

/* Reads /proc/self/cgroup and /proc/self/mountinfo below `root` ("": none), then the
 * group we are in and each ancestor that is visible, in the version 1 "cpu" hierarchy
 * and in version 2, whichever are mounted. The quota is the smallest of all. Throttling
 * is summed over the groups: a stretch during which two levels were both throttled
 * counts twice, but none is missed. In a container the walk ends at the top of what is
 * mounted there; limits above it cannot be seen. Never fails: what cannot be read does
 * not limit.
 * Sources: Linux Documentation/admin-guide/cgroup-v2.rst ("CPU Interface Files"),
 * Documentation/scheduler/sched-bwc.rst. */
void cgroup_read_cpu(const char *root, struct cgroup_cpu *ret_cpu);

#endif
