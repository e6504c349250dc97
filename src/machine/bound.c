#include "machine/bound.h"

#include "machine/alive.h"

#include <sched.h>

enum { MASK_SETS = MACHINE_AFFINITY_BYTES / sizeof(cpu_set_t) };

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
    if (shared == 0 || shared == allowed || !alive_has_memory(pid)) {
        return;
    }
    for (size_t i = 0; i < machine->cpu_count; i++) {
        counts[i] +=
            CPU_ISSET_S((size_t)machine->cpus[i].cpu, sizeof mask, mask) ? 1 : 0;
    }
}
