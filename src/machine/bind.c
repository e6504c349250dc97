#include "machine/machine.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>

/* As many CPUs as a Linux kernel can be built for on x86. */
enum { MASK_SETS = 8, MASK_CPUS = MASK_SETS * CPU_SETSIZE };

static_assert(sizeof(cpu_set_t[MASK_SETS]) == MACHINE_AFFINITY_BYTES,
              "an affinity has room for every CPU");

void machine_affinity_save(struct machine_affinity *ret_affinity)
{
    *ret_affinity = (struct machine_affinity){0};
    ret_affinity->known = sched_getaffinity(0, sizeof ret_affinity->mask,
                                            (cpu_set_t *)ret_affinity->mask) == 0;
}

void machine_affinity_restore(const struct machine_affinity *affinity)
{
    if (affinity->known) {
        /* Where it may no longer run there, it stays where it is. */
        (void)sched_setaffinity(0, sizeof affinity->mask,
                                (const cpu_set_t *)affinity->mask);
    }
}

enum duet_code machine_bind_thread(const struct model_cpu_set *set,
                                   struct duet_error *reterr)
{
    cpu_set_t wanted[MASK_SETS] = {0};
    cpu_set_t granted[MASK_SETS] = {0};
    if (set->count == 0) {
        return error_set(reterr, DUET_E_USAGE, "no CPU was given to bind a thread to");
    }
    for (size_t i = 0; i < set->count; i++) {
        if (set->cpus[i] >= MASK_CPUS) {
            return error_set(reterr, DUET_E_UNSUITABLE, "this machine has no CPU %u",
                             set->cpus[i]);
        }
        CPU_SET_S((size_t)set->cpus[i], sizeof wanted, wanted);
    }
    if (sched_setaffinity(0, sizeof wanted, wanted) != 0) {
        int errnum = errno;
        if (errnum == EPERM || errnum == ENOSYS) {
            return error_set_errno(
                reterr, DUET_E_UNSUITABLE, errnum,
                "cannot bind to CPU %u: allow sched_setaffinity in the "
                "container's seccomp profile",
                set->cpus[0]);
        }
        return error_set_errno(
            reterr, errnum == EINVAL ? DUET_E_UNSUITABLE : DUET_E_SYSTEM, errnum,
            "cannot bind to CPU %u%s: it went offline or was taken out of this process's cpuset",
            set->cpus[0], set->count > 1 ? " and others" : "");
    }
    /* The kernel drops CPUs that are gone as long as one is left: a side that silently
     * got fewer would not be comparable. */
    if (sched_getaffinity(0, sizeof granted, granted) < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot read back the affinity of a thread");
    }
    for (size_t i = 0; i < set->count; i++) {
        if (!CPU_ISSET_S((size_t)set->cpus[i], sizeof granted, granted)) {
            return error_set(
                reterr, DUET_E_UNSUITABLE,
                "cannot bind to CPU %u: it went offline or was taken out of this process's cpuset",
                set->cpus[i]);
        }
    }
    return DUET_OK;
}

bool machine_is_bound(pid_t pid, const struct model_cpu_set *set, bool all,
                      unsigned *ret_cpu)
{
    cpu_set_t wanted[MASK_SETS] = {0};
    cpu_set_t actual[MASK_SETS] = {0};
    if (sched_getaffinity(pid, sizeof actual, actual) < 0) {
        return true;
    }
    for (size_t i = 0; i < set->count; i++) {
        CPU_SET_S((size_t)set->cpus[i], sizeof wanted, wanted);
    }
    if (CPU_EQUAL_S(sizeof wanted, wanted, actual)) {
        return true;
    }
    for (size_t cpu = 0; cpu < MASK_CPUS; cpu++) {
        bool may = CPU_ISSET_S(cpu, sizeof actual, actual) != 0;
        bool should = CPU_ISSET_S(cpu, sizeof wanted, wanted) != 0;
        if (may ? !should : should && all) {
            *ret_cpu = (unsigned)cpu;
            return false;
        }
    }
    return true;
}
