/* The machine an experiment ran on, as far as its results depend on it. */
#ifndef DUET_MODEL_HOST_H
#define DUET_MODEL_HOST_H

#include <math.h>
#include <stdint.h>

/* Unknown: an empty string, a negative number, or NaN for the doubles. */
struct model_host {
    char uuid[37]; /* stable for a machine: from its machine id, hashed */
    char host_name[256];
    char os[128];     /* "Debian GNU/Linux 12 (bookworm)" */
    char kernel[128]; /* "6.1.0-18-amd64" */
    char arch[32];    /* "x86_64" */
    char cpu_model[128];
    char hypervisor[32]; /* "kvm"; "" on bare metal or unknown */
    char clock_source[32];
    char governor[32];   /* of the CPUs used, "mixed" when they differ */
    int num_cpus;        /* online logical CPUs */
    int num_cores;       /* physical cores */
    int smt;             /* threads per core (largest); 1: no SMT */
    int turbo;           /* 1 on, 0 off, -1 unknown */
    double cpu_quota;    /* CPUs' worth that the cgroup allows; NaN: no limit */
    double memory_bytes; /* installed */
};

/* What changes while an experiment runs: read before and after it. */
struct model_host_load {
    double load_avg[3];       /* 1, 5, 15 minutes */
    double steal_ticks;       /* /proc/stat, summed over CPUs, in seconds */
    double total_ticks;       /* all states of /proc/stat, in seconds */
    double throttled_s;       /* cgroup: time throttled so far; NaN unknown */
    uint64_t throttled_count; /* cgroup: periods throttled so far */
};

/* The share of all CPUs' time between the two that the hypervisor took for others; NaN:
 * not known. */
static inline double model_host_stolen(const struct model_host_load *before,
                                       const struct model_host_load *after)
{
    double total = after->total_ticks - before->total_ticks;
    return total > 0 ? (after->steal_ticks - before->steal_ticks) / total : (double)NAN;
}

#endif
