/* Which cores suit a comparison. The order of preference follows from what a duet
 * needs: both sides must suffer the same interference at the same time (Bulej 2020
 * s.3), so a shared last-level cache comes first and separate cores second. Where cores
 * that may be used share no cache, the two threads of one core do; this is also what
 * the paper's own two-CPU cloud instances had. Among those that are alike, the cores
 * come first that the fewest other programs are bound to: what is free to run elsewhere
 * makes room, a second duet does not. */
#include "machine/machine_facts.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A core that can be given to a position, represented by one of its CPUs. */
struct core {
    const struct machine_cpu *cpu; /* its lowest allowed CPU other than CPU 0 */
    bool serves_interrupts;        /* CPU 0 is one of its threads, allowed or not */
    size_t allowed;                /* of its threads */
    unsigned bound;                /* programs, to these threads */
};

/* What the cores that are chosen together must share. */
enum scope { SCOPE_CACHE, SCOPE_PACKAGE, SCOPE_MACHINE };

struct kind {
    int kind;
    int efficiency;
    size_t cores;
};

struct inventory {
    struct core *cores; /* in topological order */
    size_t core_count;
    struct kind *kinds; /* fastest first; unknown speeds: the one with most cores */
    size_t kind_count;
};

static int compare_cores(const void *a, const void *b)
{
    int core_a = ((const struct core *)a)->cpu->core;
    int core_b = ((const struct core *)b)->cpu->core;
    return (core_a > core_b) - (core_a < core_b);
}

static int compare_kinds(const void *a, const void *b)
{
    const struct kind *kind_a = a;
    const struct kind *kind_b = b;
    if (kind_a->efficiency != kind_b->efficiency) {
        return kind_a->efficiency > kind_b->efficiency ? -1 : 1;
    }
    if (kind_a->cores != kind_b->cores) {
        return kind_a->cores > kind_b->cores ? -1 : 1;
    }
    return (kind_a->kind > kind_b->kind) - (kind_a->kind < kind_b->kind);
}

static void add_cpu(struct inventory *inventory, const struct machine_cpu *cpu,
                    unsigned bound)
{
    for (size_t i = 0; i < inventory->core_count; i++) {
        struct core *core = &inventory->cores[i];
        if (core->cpu->core == cpu->core) {
            if (core->cpu->cpu == 0) {
                core->cpu = cpu;
            }
            core->allowed++;
            core->bound += bound;
            return;
        }
    }
    inventory->cores[inventory->core_count++] =
        (struct core){.cpu = cpu, .allowed = 1, .bound = bound};
    for (size_t i = 0; i < inventory->kind_count; i++) {
        if (inventory->kinds[i].kind == cpu->kind) {
            inventory->kinds[i].cores++;
            return;
        }
    }
    inventory->kinds[inventory->kind_count++] =
        (struct kind){.kind = cpu->kind, .efficiency = cpu->efficiency, .cores = 1};
}

static void inventory_release(struct inventory *inventory)
{
    free(inventory->cores);
    free(inventory->kinds);
}

static enum duet_code take_inventory(const struct machine *machine,
                                     const unsigned *bound,
                                     struct inventory *ret_inventory,
                                     struct duet_error *reterr)
{
    struct inventory inventory = {0};
    inventory.cores = alloc_array(machine->cpu_count, sizeof *inventory.cores);
    inventory.kinds = alloc_array(machine->cpu_count, sizeof *inventory.kinds);
    if (inventory.cores == NULL || inventory.kinds == NULL) {
        inventory_release(&inventory);
        return error_set(reterr, DUET_E_NOMEM, "no memory to choose among %zu CPUs",
                         machine->cpu_count);
    }
    for (size_t i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].state == CPU_ALLOWED) {
            add_cpu(&inventory, &machine->cpus[i], bound[i]);
        }
    }
    const struct machine_cpu *first = machine_find_cpu(machine, 0);
    if (first != NULL && first->state != CPU_OFFLINE) {
        for (size_t i = 0; i < inventory.core_count; i++) {
            struct core *core = &inventory.cores[i];
            core->serves_interrupts = core->cpu->core == first->core;
        }
    }
    qsort(inventory.cores, inventory.core_count, sizeof *inventory.cores,
          compare_cores);
    qsort(inventory.kinds, inventory.kind_count, sizeof *inventory.kinds,
          compare_kinds);
    *ret_inventory = inventory;
    return DUET_OK;
}

static bool in_scope(const struct machine_cpu *a, const struct machine_cpu *b,
                     enum scope scope)
{
    switch (scope) {
    case SCOPE_CACHE:
        /* No cache described at all says nothing about sharing: assume what is usual,
         * one for the package. */
        return a->cache == b->cache && a->package == b->package;
    case SCOPE_PACKAGE:
        return a->package == b->package;
    case SCOPE_MACHINE:
        break;
    }
    return true;
}

/* What a core may have and still be chosen. */
struct tolerance {
    unsigned bound;
    bool interrupts;
};

/* Collects up to `wanted` cores of `kind` that share with `anchor` what `scope` says,
 * in topological order. */
static size_t collect_cores(const struct inventory *inventory, int kind,
                            enum scope scope, const struct core *anchor,
                            struct tolerance tolerance, size_t wanted, unsigned *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < inventory->core_count && count < wanted; i++) {
        const struct core *core = &inventory->cores[i];
        if (core->cpu->kind == kind && in_scope(core->cpu, anchor->cpu, scope) &&
            core->bound <= tolerance.bound &&
            (tolerance.interrupts || !core->serves_interrupts)) {
            chosen[count++] = core->cpu->cpu;
        }
    }
    return count;
}

/* The least number of bound programs above `bound` that a core has, or `bound`. */
static unsigned next_bound(const struct inventory *inventory, unsigned bound)
{
    unsigned next = UINT_MAX;
    for (size_t i = 0; i < inventory->core_count; i++) {
        unsigned of_core = inventory->cores[i].bound;
        next = of_core > bound && of_core < next ? of_core : next;
    }
    return next == UINT_MAX ? bound : next;
}

static bool choose_tolerant(const struct inventory *inventory, int kind,
                            enum scope scope, struct tolerance tolerance, size_t wanted,
                            unsigned *chosen)
{
    for (size_t i = 0; i < inventory->core_count; i++) {
        if (collect_cores(inventory, kind, scope, &inventory->cores[i], tolerance,
                          wanted, chosen) == wanted) {
            return true;
        }
    }
    return false;
}

/* `wanted` separate cores of one kind in one scope; the faster kind first, then those
 * that few programs are bound to, then those without CPU 0. */
static bool choose_cores(const struct inventory *inventory, enum scope scope,
                         size_t wanted, unsigned *chosen)
{
    for (size_t k = 0; k < inventory->kind_count; k++) {
        int kind = inventory->kinds[k].kind;
        unsigned last = UINT_MAX;
        for (unsigned bound = 0; bound != last; bound = next_bound(inventory, bound)) {
            last = bound;
            if (choose_tolerant(inventory, kind, scope,
                                (struct tolerance){bound, false}, wanted, chosen) ||
                choose_tolerant(inventory, kind, scope, (struct tolerance){bound, true},
                                wanted, chosen)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_better(const struct core *core, const struct core *best)
{
    if (best == NULL || core->bound != best->bound) {
        return best == NULL || core->bound < best->bound;
    }
    return best->serves_interrupts && !core->serves_interrupts;
}

/* Two threads of one core, not CPU 0 if it has three. */
static bool choose_siblings(const struct machine *machine,
                            const struct inventory *inventory, unsigned *chosen)
{
    const struct core *best = NULL;
    for (size_t k = 0; k < inventory->kind_count && best == NULL; k++) {
        for (size_t i = 0; i < inventory->core_count; i++) {
            const struct core *core = &inventory->cores[i];
            if (core->allowed >= 2 && core->cpu->kind == inventory->kinds[k].kind &&
                is_better(core, best)) {
                best = core;
            }
        }
    }
    if (best == NULL) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < machine->cpu_count && count < 2; i++) {
        const struct machine_cpu *cpu = &machine->cpus[i];
        if (cpu->state == CPU_ALLOWED && cpu->core == best->cpu->core &&
            (cpu->cpu != 0 || best->allowed == 2)) {
            chosen[count++] = cpu->cpu;
        }
    }
    return count == 2;
}

static bool choose(const struct machine *machine, const struct inventory *inventory,
                   bool solo, size_t wanted, unsigned *chosen)
{
    return choose_cores(inventory, SCOPE_CACHE, wanted, chosen) ||
           (!solo && wanted == 2 && choose_siblings(machine, inventory, chosen)) ||
           choose_cores(inventory, SCOPE_PACKAGE, wanted, chosen) ||
           choose_cores(inventory, SCOPE_MACHINE, wanted, chosen);
}

static enum duet_code explain_failure(const struct machine *machine,
                                      const struct inventory *inventory, bool solo,
                                      size_t per_position, struct duet_error *reterr)
{
    struct model_cpu_set allowed;
    machine_cpus_allowed(machine, &allowed);
    if (allowed.count == 0) {
        return error_set(reterr, DUET_E_UNSUITABLE,
                         "this process may use none of the machine's CPUs: "
                         "its affinity mask and its cpuset have no CPU in common");
    }
    if (!solo && allowed.count == 1) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "this process may use one CPU only (CPU %u) and a duet needs two: "
            "use --schedule timeslice (both sides share the CPU) or --schedule interleaved (one side at a time)",
            allowed.cpus[0]);
    }
    if (!solo && per_position == 1) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "the %zu CPUs that this process may use are cores of different kinds, "
            "so that the two sides would not be alike: allow it two of one kind, name two with --cpus, "
            "or use --schedule timeslice or interleaved",
            allowed.count);
    }
    size_t most = 0;
    for (size_t k = 0; k < inventory->kind_count; k++) {
        size_t cores = inventory->kinds[k].cores;
        most = cores > most ? cores : most;
    }
    return error_set(
        reterr, DUET_E_UNSUITABLE,
        "%zu cores for %s need %zu cores of one kind and this process may use %zu: ask for fewer%s",
        per_position, solo ? "a workload" : "each of two sides",
        solo ? per_position : 2 * per_position, most,
        solo ? "" : ", or use --schedule interleaved");
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned number_a = *(const unsigned *)a;
    unsigned number_b = *(const unsigned *)b;
    return (number_a > number_b) - (number_a < number_b);
}

enum duet_code pick_cpus_beside(const struct machine *machine, const unsigned *bound,
                                bool solo, size_t per_position,
                                struct model_cpu_set ret_sets[2],
                                struct duet_error *reterr)
{
    if (per_position == 0 || per_position > MODEL_CPUS_MAX) {
        return error_set(reterr, DUET_E_USAGE,
                         "%zu cores for each side: a number from 1 to %d is needed",
                         per_position, (int)MODEL_CPUS_MAX);
    }
    size_t wanted = solo ? per_position : 2 * per_position;
    struct inventory inventory = {0};
    unsigned *chosen = alloc_array(wanted, sizeof *chosen);
    enum duet_code code = DUET_OK;
    if (chosen == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to choose %zu CPUs", wanted);
        goto cleanup;
    }
    code = take_inventory(machine, bound, &inventory, reterr);
    if (code != DUET_OK) {
        goto cleanup;
    }
    if (!choose(machine, &inventory, solo, wanted, chosen)) {
        code = explain_failure(machine, &inventory, solo, per_position, reterr);
        goto cleanup;
    }
    code = machine_check_quota(machine, solo, wanted, reterr);
    if (code != DUET_OK) {
        goto cleanup;
    }
    for (size_t position = 0; position < 2; position++) {
        struct model_cpu_set *set = &ret_sets[position];
        set->count = 0;
        for (size_t i = 0; i < per_position && (position == 0 || !solo); i++) {
            set->cpus[set->count++] = chosen[position * per_position + i];
        }
        qsort(set->cpus, set->count, sizeof set->cpus[0], compare_numbers);
    }
cleanup:
    inventory_release(&inventory);
    free(chosen);
    return code;
}
