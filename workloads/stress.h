/* A competing load: threads that take part of the CPUs' time, more and less of it in a
 * wave. It stands for a neighbour on a shared machine. Source: Bulej 2020, section 4.3,
 * where SPECjbb 2015 moved between zero and peak with a period of about 150 minutes.
 * Deviation: this load is scheduled in the same system as the measured programs, so
 * that the kernel's scheduler stands between them, which it does not for a real
 * neighbour. */
#ifndef DUET_WORKLOADS_STRESS_H
#define DUET_WORKLOADS_STRESS_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum stress_load {
    STRESS_LOAD_CPU,    /* the integer workload */
    STRESS_LOAD_CACHE,  /* the cache workload: 4 MiB a CPU */
    STRESS_LOAD_MEMORY, /* the memory workload: 64 MiB a CPU */
    STRESS_LOAD_MIX,    /* integer and cache by turns */
};

enum stress_wave {
    STRESS_WAVE_TRIANGLE, /* up for half a period, down for the other */
    STRESS_WAVE_SINE,     /* (1 - cos) / 2 */
    STRESS_WAVE_CONSTANT, /* always at the peak; the period is not used */
};

struct stress_plan {
    enum stress_load load;
    enum stress_wave wave;
    double peak_ratio;    /* share of each CPU at the top of the wave, in [0, 1] */
    uint64_t period_ns;   /* of the wave, at least 1 s; it starts at zero load */
    uint64_t duration_ns; /* 0: until stopped */
    uint64_t slice_ns;    /* busy for its share, then asleep; in [1 ms, 1 s] */
    const unsigned *cpus; /* one thread on each; borrowed */
    size_t cpu_count;     /* 0: all CPUs that the caller may use */
};

/* What happened since the sample before (the first: since the start). */
struct stress_sample {
    uint64_t elapsed_ns;   /* since the start */
    double level_ratio;    /* that the wave asks for at this moment */
    double achieved_ratio; /* CPU time taken / time / CPUs */
};

struct stress_result {
    uint64_t elapsed_ns;
    uint64_t cpu_ns; /* CPU time taken, all threads together */
    size_t cpu_count;
    double asked_ratio;    /* stress_asked_ratio() of elapsed_ns */
    double achieved_ratio; /* cpu_ns / elapsed_ns / cpu_count; lower where others run */
};

/* A second's sample, on the thread that called stress_run(). */
typedef void stress_report_fn(const struct stress_sample *sample, void *context);

/* Defaults: mix, triangle, peak 1, period 150 min, no end, slices of 10 ms, all CPUs.
 */
struct stress_plan stress_plan_default(void);

/* "cpu", "cache", "memory", "mix"; "triangle", "sine", "constant". Errors: DUET_E_USAGE
 * (the message lists the names). */
BASE_MUST_USE enum duet_code stress_load_parse(const char *text,
                                               enum stress_load *ret_load,
                                               struct duet_error *reterr);
BASE_MUST_USE enum duet_code stress_wave_parse(const char *text,
                                               enum stress_wave *ret_wave,
                                               struct duet_error *reterr);

/* The share of a CPU that a plan asks for `elapsed_ns` after its start, and the mean of
 * that share from the start until then (at 0: the share itself). */
double stress_level_ratio(const struct stress_plan *plan, uint64_t elapsed_ns);
double stress_asked_ratio(const struct stress_plan *plan, uint64_t elapsed_ns);

/* Runs the load until its duration is over or *stop is true, which a signal handler may
 * set; it then ends within a slice. The caller's thread sleeps and reports; signals
 * stay with it. All CPUs follow the same wave from the same moment. report may be NULL.
 * Errors: DUET_E_USAGE (a value of the plan out of range), DUET_E_UNSUITABLE (a CPU
 * that the process may not use), DUET_E_NOMEM, DUET_E_SYSTEM. No thread is left on
 * return. */
BASE_MUST_USE enum duet_code stress_run(const struct stress_plan *plan,
                                        const atomic_bool *stop,
                                        stress_report_fn *report, void *context,
                                        struct stress_result *ret_result,
                                        struct duet_error *reterr);

#endif
