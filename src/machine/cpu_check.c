/* Whether CPUs that a user named will do. */
#include "machine/machine_facts.h"

#include <math.h>

enum duet_code machine_check_quota(const struct machine *machine, bool solo,
                                   size_t needed, struct duet_error *reterr)
{
    if (needed <= 1 || machine->quota_cpus >= (double)needed) {
        return DUET_OK;
    }
    if (solo) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "the cgroup's quota allows %.2f CPUs and the workload needs %zu, so it "
            "would be throttled; raise the quota (cpu.max), or give it fewer CPUs",
            machine->quota_cpus, needed);
    }
    return error_set(
        reterr, DUET_E_UNSUITABLE,
        "the cgroup's quota allows %.2f CPUs and a duet on these CPUs needs %zu, so "
        "its sides would be throttled; raise the quota (cpu.max), or use --schedule "
        "timeslice or --schedule interleaved",
        machine->quota_cpus, needed);
}

static enum duet_code check_cpu(const struct machine *machine, unsigned cpu,
                                struct duet_error *reterr)
{
    const struct machine_cpu *found = machine_find_cpu(machine, cpu);
    if (found == NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--cpus: this machine has no CPU %u; its last one is CPU %u",
                         cpu, machine->cpus[machine->cpu_count - 1].cpu);
    }
    if (found->state == CPU_OFFLINE) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "--cpus: CPU %u is offline; write 1 to /sys/devices/system/cpu/cpu%u/online or name another one",
            cpu, cpu);
    }
    if (found->state == CPU_DISALLOWED) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "--cpus: this process may not use CPU %u: it is outside its affinity mask (taskset, isolcpus) or its "
            "cpuset (container); name an allowed one, or widen the mask with `taskset -c LIST duet ...`",
            cpu);
    }
    return DUET_OK;
}

/* Whether `set` names the CPU before index `end`. */
static bool set_has(const struct model_cpu_set *set, size_t end, unsigned cpu)
{
    for (size_t i = 0; i < end; i++) {
        if (set->cpus[i] == cpu) {
            return true;
        }
    }
    return false;
}

enum duet_code machine_check_cpus(const struct machine *machine, bool solo,
                                  const struct model_cpu_set sets[2],
                                  struct duet_error *reterr)
{
    size_t needed = sets[0].count;
    for (size_t position = 0; position < 2; position++) {
        const struct model_cpu_set *set = &sets[position];
        if (set->count == 0 && (position == 0 || !solo)) {
            return error_set(
                reterr, DUET_E_USAGE,
                "--cpus: no CPU for %s; two sides need two CPUs or sets of CPUs, as in --cpus 2,3",
                position == 0 ? "the first side" : "the second side");
        }
        for (size_t i = 0; i < set->count; i++) {
            unsigned cpu = set->cpus[i];
            enum duet_code code = check_cpu(machine, cpu, reterr);
            if (code != DUET_OK) {
                return code;
            }
            if (set_has(set, i, cpu)) {
                return error_set(reterr, DUET_E_USAGE, "--cpus: CPU %u is named twice",
                                 cpu);
            }
            if (!solo && position == 1 && set_has(&sets[0], sets[0].count, cpu)) {
                return error_set(
                    reterr, DUET_E_USAGE,
                    "--cpus: both sides have CPU %u; name different ones, "
                    "or let them take turns with --schedule timeslice or --schedule interleaved",
                    cpu);
            }
        }
        if (position == 1) {
            needed = solo ? needed : needed + set->count;
        }
    }
    return machine_check_quota(machine, solo, needed, reterr);
}
