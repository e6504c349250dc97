/* A made-up data set of known variability. */
#ifndef TESTS_SUPPORT_STUDY_SIMULATE_H
#define TESTS_SUPPORT_STUDY_SIMULATE_H

#include "base/error.h"
#include "model/dataset.h"

#include <stddef.h>
#include <stdint.h>

/* How one configuration varies. */
struct study_simulated {
    size_t benchmark; /* index of its name */
    size_t environment;
    double mean; /* > 0 */
    double cv;   /* in all, as a ratio; >= 0 */
    /* Parts of the variance between instances and between trials of one; the rest is
     * within trials. */
    double instance_share;
    double trial_share;
};

struct study_simulation {
    const char *const *benchmarks;
    size_t benchmark_count;
    const char *const *environments;
    size_t environment_count;
    const struct study_simulated *configurations;
    size_t configuration_count;
    size_t instances; /* of each configuration */
    size_t trials;    /* of each instance */
    size_t iterations;
    uint64_t seed;
};

/* Times are log-normal on all three levels, with that mean and that CV in the
 * population. O(values). Errors: DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_simulate(const struct study_simulation *simulation,
                                            struct model_dataset *ret_dataset,
                                            struct duet_error *reterr);

#endif
