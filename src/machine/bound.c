#include "machine/bound.h"

#include "machine/rootfs.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASK_SETS = MACHINE_AFFINITY_BYTES / sizeof(cpu_set_t) };

/* Of the kernel's threads and of processes that have ended it says 0 pages.
 * Source: proc(5), /proc/PID/statm. */
static bool has_memory(pid_t pid)
{
    char path[64];
    char text[128];
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    return rootfs_read("", path, text, sizeof text) && strtoull(text, NULL, 10) > 0;
}

void bound_add(const struct machine *machine, pid_t pid, unsigned *counts)
{
    cpu_set_t mask[MASK_SETS] = {0};
    if (sched_getaffinity(pid, sizeof mask, mask) != 0) {
        return; /* it has ended */
    }
    size_t allowed = 0;
    size_t shared = 0;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        bool ours = machine->cpus[i].state == CPU_ALLOWED;
        allowed += ours ? 1 : 0;
        shared += ours && CPU_ISSET_S((size_t)machine->cpus[i].cpu, sizeof mask, mask);
    }
    if (shared == 0 || shared == allowed || !has_memory(pid)) {
        return;
    }
    for (size_t i = 0; i < machine->cpu_count; i++) {
        counts[i] +=
            CPU_ISSET_S((size_t)machine->cpus[i].cpu, sizeof mask, mask) ? 1 : 0;
    }
}
