/* The clocks of a measurement. Both sides and the runner read the same ones. */
#ifndef DUET_SYNC_CLOCK_H
#define DUET_SYNC_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail for a valid clock and pointer */
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* CLOCK_MONOTONIC: common to all processes of the machine; read without a system call
 * where the kernel's clock source allows it. */
static inline uint64_t clock_mono_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling process, all threads; one system call. */
static inline uint64_t clock_cpu_ns(void)
{
    return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
