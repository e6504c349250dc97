/* Did the kernel take the CPU away from this thread between two points of its code?
 * Answered without a system call, through the restartable sequences that glibc 2.35 and
 * later registers for every thread (rseq(2)): the thread names a critical section that
 * lies elsewhere, and the kernel forgets it when it preempts, migrates or signals the
 * thread. It cannot see what happens below the kernel: a hypervisor that runs another
 * guest, an SMT sibling, a system management interrupt, or an interrupt handler after
 * which the same thread goes on. */
#ifndef DUET_SYNC_PREEMPT_H
#define DUET_SYNC_PREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread shares with the kernel. Both NULL: no rseq here, nothing is seen. */
struct preempt_probe {
    volatile uint64_t *section;   /* struct rseq.rseq_cs of the thread */
    const volatile uint32_t *cpu; /* struct rseq.cpu_id of the thread */
};

/* The calling thread's. Valid on this thread only, for as long as it lives. */
struct preempt_probe preempt_probe_here(void);

/* The section's address as the kernel wants it; it never contains running code. */
uint64_t preempt_section(void);

/* Arms the probe. Overwrites a section that is still named there: by rseq(2) such a
 * leftover has been left already, the thread is executing this. */
static inline void preempt_probe_arm(const struct preempt_probe *probe,
                                     uint64_t section)
{
    if (probe->section != NULL) {
        *probe->section = section;
    }
}

/* Disarms it: true when the thread lost its CPU since preempt_probe_arm(). */
static inline bool preempt_probe_end(const struct preempt_probe *probe)
{
    if (probe->section == NULL) {
        return false;
    }
    bool lost = *probe->section == 0;
    *probe->section = 0;
    return lost;
}

#endif
