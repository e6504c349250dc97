/* Made-up benchmarks on made-up machines, whose performance is known. */
#ifndef DUET_STUDY_STUDY_SURFACE_H
#define DUET_STUDY_STUDY_SURFACE_H

#include "study/study_training.h"

struct study_surface_plan {
    size_t benchmarks; /* 1 to 1000 */
    size_t cores;      /* the most of a configuration: 4 to 64 */
    uint64_t seed;
};

enum {
    STUDY_SURFACE_FEATURES = 2, /* log2 of the VMs and of the cores of each */
    STUDY_SURFACE_DAY = 96,     /* points: 4 an hour */
    STUDY_SURFACE_DAYS = 21
};

/* Release with study_surface_release(). */
struct study_surface {
    struct study_configuration *configurations;
    size_t count;
    double *values;   /* of all */
    double *features; /* of all */
    char **names;     /* of all, then of the benchmarks */
    size_t name_count;
};

/* Configurations are V VMs of K cores each, V in 1, 2, 4, 8, K in 2, 4, 8, V K at most
 * plan->cores; with 8 cores they are the six of He 2021, s.V. A benchmark's time is
 *   base (serial + (1 - serial) / (V K)) (1 + spread log2 V),
 * base 1 to 100 s (uniform in its logarithm), serial 0.02 to 0.2, spread 0 to 0.15.
 * A measurement is that times exp(cv z - cv^2 / 2), whose mean is 1, with
 *   z = sqrt(1 - d) white + sqrt(d / 2) hours + sqrt(d / 2) days,
 * white noise and two AR(1) of variance 1 whose neighbours have a correlation of 0.97
 * and of 0.997 (a third of a day, three and a half days). Each configuration has a cv,
 * 1 % to 10 % (uniform in its logarithm), and a share d, 0.1 to 0.7: what the AWS
 * series of He 2021 have. Streams: 0xEA00 and 0xEA01. Errors: DUET_E_DOMAIN,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_surface_make(const struct study_surface_plan *plan,
                                                struct study_surface *ret_surface,
                                                struct duet_error *reterr);
void study_surface_release(struct study_surface *surface);

#endif
