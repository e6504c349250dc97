/* The times themselves, workload by workload, from wherever a study has them. */
#ifndef DUET_STUDY_STUDY_SAMPLES_H
#define DUET_STUDY_STUDY_SAMPLES_H

#include "base/error.h"
#include "model/comparison.h"

struct study_samples {
    size_t count; /* of workloads */
    const char *(*name)(void *context, size_t workload);
    /* Zeroed values where there are none: together, and one side at a time. The caller
     * releases both, also on failure. */
    enum duet_code (*load)(void *context, size_t workload,
                           struct model_values ret_values[2],
                           struct duet_error *reterr);
    void *context;
};

#endif
