/* Which CPUs a comparison gets, beside what else is bound to some. */
#include "machine/machine_facts.h"

#include "base/alloc.h"
#include "machine/bound.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* All 0 for a captured machine, and where /proc shows no other process. */
static void count_bound(const struct machine *machine, unsigned *ret_counts)
{
    DIR *folder = machine->live ? opendir("/proc") : NULL;
    if (folder == NULL) {
        return;
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(folder)) != NULL) {
        char *end = NULL;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid > 0 && *end == '\0' && pid != (long)getpid()) {
            bound_add(machine, (pid_t)pid, ret_counts);
        }
    }
    (void)closedir(folder);
}

enum duet_code machine_pick_cpus(const struct machine *machine, bool solo,
                                 size_t per_position, struct model_cpu_set ret_sets[2],
                                 struct duet_error *reterr)
{
    unsigned *bound = alloc_array(machine->cpu_count, sizeof *bound);
    if (bound == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to choose among %zu CPUs",
                         machine->cpu_count);
    }
    count_bound(machine, bound);
    enum duet_code code =
        pick_cpus_beside(machine, bound, solo, per_position, ret_sets, reterr);
    free(bound);
    return code;
}

/* 2: a CPU of the set, 1: shares a core with one, 0: neither. */
static int closeness(const struct machine *machine, const struct machine_cpu *cpu,
                     const struct model_cpu_set *set)
{
    int closest = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct machine_cpu *other = machine_find_cpu(machine, set->cpus[i]);
        if (other == cpu) {
            return 2;
        }
        if (other != NULL && other->state != CPU_OFFLINE && other->core == cpu->core) {
            closest = 1;
        }
    }
    return closest;
}

bool machine_pick_spare(const struct machine *machine,
                        const struct model_cpu_set sets[2],
                        struct model_cpu_set *ret_spare)
{
    const struct machine_cpu *best = NULL;
    int best_closeness = 2;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        const struct machine_cpu *cpu = &machine->cpus[i];
        if (cpu->state != CPU_ALLOWED) {
            continue;
        }
        int a = closeness(machine, cpu, &sets[0]);
        int b = closeness(machine, cpu, &sets[1]);
        int worst = a > b ? a : b;
        if (worst < best_closeness) {
            best_closeness = worst;
            best = cpu;
        }
    }
    if (best == NULL) {
        return false;
    }
    ret_spare->cpus[0] = best->cpu;
    ret_spare->count = 1;
    return true;
}
