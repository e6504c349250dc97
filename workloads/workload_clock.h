/* The monotonic clock; private to workloads/. */
#ifndef DUET_WORKLOADS_WORKLOAD_CLOCK_H
#define DUET_WORKLOADS_WORKLOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define WORKLOAD_NS_PER_S UINT64_C(1000000000)

static inline uint64_t workload_clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now); /* cannot fail for the clocks used here */
    return (uint64_t)now.tv_sec * WORKLOAD_NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t workload_mono_ns(void)
{
    return workload_clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec workload_timespec(uint64_t time_ns)
{
    return (struct timespec){.tv_sec = (time_t)(time_ns / WORKLOAD_NS_PER_S),
                             .tv_nsec = (long)(time_ns % WORKLOAD_NS_PER_S)};
}

#endif
