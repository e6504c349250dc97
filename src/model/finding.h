/* Is this machine fit for comparing? What was looked at, what was found, what to do. */
#ifndef DUET_MODEL_FINDING_H
#define DUET_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_PROBE_CPUS = 2 };

/* What two CPUs did side by side. Times in ns. */
struct model_probe {
    double clock_read_ns; /* one reading of the clock */
    double transfer_ns; /* one-way transfer of a cache line between the CPUs, median */
    size_t meetings;
    double *skew_ns; /* of each meeting's start: |start of one - start of the other| */
    uint64_t preempted; /* meetings at which a CPU was taken away */
    size_t rounds;
    double *times_ns[MODEL_PROBE_CPUS]; /* of the same work, begun together, by round */
    uint64_t involuntary[MODEL_PROBE_CPUS]; /* context switches during the rounds */
    /* Time during the rounds in which others had the CPU; NaN: not told. */
    double taken_s[MODEL_PROBE_CPUS];
    double elapsed_s; /* of the rounds */
};
void model_probe_release(struct model_probe *probe);

/* The probe in numbers; NaN: not measured. */
struct model_fitness {
    double clock_read_ns;
    double transfer_ns;
    double skew_median_ns;
    double skew_p99_ns;
    double preempted_ratio;                /* of the meetings */
    double spread_ratio[MODEL_PROBE_CPUS]; /* of a CPU's times: (q75 - q25) / 1.349 of
                                              their logarithms */
    double paired_spread_ratio;            /* the same of the log ratios of the pairs */
    double unpaired_spread_ratio;          /* of log ratios of unrelated rounds */
    /* The same two of batches of rounds, each as long as a short program, as standard
     * deviations: outliers count as they do in a measurement. */
    double paired_batch_sd;
    double unpaired_batch_sd;
    size_t batches;
    double disturbed_ratio;        /* rounds with a time of 1.2 times the median or
                                      more */
    double bias_ratio;             /* median time of CPU 1 / CPU 0, - 1 */
    double autocorrelation_times;  /* lag 1, log times, mean of the CPUs */
    double autocorrelation_ratios; /* lag 1, log ratios of the pairs */
    double switches_per_s;         /* involuntary, of both CPUs */
    double taken_ratio; /* share of both CPUs' time that other programs took */
    double steal_ratio; /* of all CPU time during the probe */
};

enum model_finding_level {
    MODEL_FINDING_GOOD,
    MODEL_FINDING_CARE, /* works, wider intervals */
    MODEL_FINDING_UNFIT /* a duet cannot be measured here */
};
const char *model_finding_level_name(unsigned level);

struct model_finding {
    enum model_finding_level level;
    char item[24];
    char text[256];   /* what was found */
    char advice[256]; /* what to change; "": nothing */
};

enum { MODEL_FINDINGS_MAX = 16 };
struct model_findings {
    struct model_finding list[MODEL_FINDINGS_MAX];
    size_t count;
};

#endif
