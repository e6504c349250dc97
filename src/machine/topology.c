#include "machine/machine_facts.h"

#include "base/alloc.h"
#include "machine/cgroup.h"
#include "machine/topology_facts.h"

#include <stdlib.h>
#include <string.h>

const char *machine_relation_name(enum machine_relation relation)
{
    switch (relation) {
    case MACHINE_SHARED_CACHE:
        return "separate cores, shared last-level cache";
    case MACHINE_SAME_PACKAGE:
        return "separate cores, no shared last-level cache";
    case MACHINE_UNKNOWN_CACHE:
        return "separate cores, shared caches unknown";
    case MACHINE_SMT_SIBLINGS:
        return "threads of one core";
    case MACHINE_CROSS_PACKAGE:
        return "different packages";
    case MACHINE_SAME_CPU:
        return "the same CPU";
    case MACHINE_UNKNOWN:
        break;
    }
    return "unknown";
}

static enum duet_code take_facts(struct machine *machine,
                                 const struct topology_facts *facts,
                                 struct duet_error *reterr)
{
    machine->cpus = alloc_array(facts->cpu_count, sizeof *machine->cpus);
    if (machine->cpus == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a table of %zu CPUs",
                         facts->cpu_count);
    }
    memcpy(machine->cpus, facts->cpus, facts->cpu_count * sizeof *machine->cpus);
    machine->cpu_count = facts->cpu_count;
    machine->live = facts->live;
    machine->memory_bytes = facts->memory_bytes;
    memcpy(machine->arch, facts->arch, sizeof machine->arch);
    memcpy(machine->cpu_model, facts->cpu_model, sizeof machine->cpu_model);
    return DUET_OK;
}

enum duet_code machine_open(const struct machine_source *source,
                            struct machine **ret_machine, struct duet_error *reterr)
{
    const char *xml = source == NULL ? NULL : source->hwloc_xml;
    const char *fs_root =
        source == NULL || source->fs_root == NULL ? "" : source->fs_root;
    struct topology_facts *facts = NULL;
    enum duet_code code = DUET_OK;
    struct machine *machine = alloc_array(1, sizeof *machine);
    if (machine != NULL) {
        machine->fs_root = alloc_string(fs_root);
    }
    if (machine == NULL || machine->fs_root == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to describe this machine");
        goto cleanup;
    }
    code = topology_read_apart(xml, &facts, reterr);
    if (code != DUET_OK) {
        goto cleanup;
    }
    code = take_facts(machine, facts, reterr);
    if (code != DUET_OK) {
        goto cleanup;
    }
    struct cgroup_cpu cgroup;
    cgroup_read_cpu(machine->fs_root, &cgroup);
    machine->quota_cpus = cgroup.quota_cpus;
    *ret_machine = machine;
    machine = NULL;
cleanup:
    topology_facts_free(facts);
    machine_free(machine);
    return code;
}

void machine_free(struct machine *machine)
{
    if (machine != NULL) {
        free(machine->cpus);
        free(machine->fs_root);
        free(machine);
    }
}

const struct machine_cpu *machine_find_cpu(const struct machine *machine, unsigned cpu)
{
    for (size_t i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].cpu == cpu) {
            return &machine->cpus[i];
        }
    }
    return NULL;
}

enum machine_relation machine_relate(const struct machine *machine, unsigned cpu_a,
                                     unsigned cpu_b)
{
    const struct machine_cpu *a = machine_find_cpu(machine, cpu_a);
    const struct machine_cpu *b = machine_find_cpu(machine, cpu_b);
    if (a == NULL || b == NULL || a->state == CPU_OFFLINE || b->state == CPU_OFFLINE) {
        return MACHINE_UNKNOWN;
    }
    if (a == b) {
        return MACHINE_SAME_CPU;
    }
    if (a->core == b->core) {
        return MACHINE_SMT_SIBLINGS;
    }
    if (a->cache != FACT_NONE && a->cache == b->cache) {
        return MACHINE_SHARED_CACHE;
    }
    if (a->package != b->package) {
        return MACHINE_CROSS_PACKAGE;
    }
    return a->cache == FACT_NONE && b->cache == FACT_NONE ? MACHINE_UNKNOWN_CACHE
                                                          : MACHINE_SAME_PACKAGE;
}

bool machine_may_use(const struct machine *machine, unsigned cpu)
{
    const struct machine_cpu *found = machine_find_cpu(machine, cpu);
    return found != NULL && found->state == CPU_ALLOWED;
}

void machine_cpus_allowed(const struct machine *machine, struct model_cpu_set *ret_set)
{
    ret_set->count = 0;
    for (size_t i = 0; i < machine->cpu_count && ret_set->count < MODEL_CPUS_MAX; i++) {
        if (machine->cpus[i].state == CPU_ALLOWED) {
            ret_set->cpus[ret_set->count++] = machine->cpus[i].cpu;
        }
    }
}
