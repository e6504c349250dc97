/* Simulated data sets for the tests of studies. */
#ifndef TESTS_UNIT_STUDY_DATASET_SAMPLE_H
#define TESTS_UNIT_STUDY_DATASET_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/study_simulate.h"

/* One benchmark. */
static inline struct model_dataset sample_of(double cv, double instance_share,
                                             double trial_share, size_t instances,
                                             size_t trials, size_t iterations,
                                             uint64_t seed)
{
    static const char *const names[] = {"one"};
    const struct study_simulated like = {.mean = 100,
                                         .cv = cv,
                                         .instance_share = instance_share,
                                         .trial_share = trial_share};
    const struct study_simulation simulation = {.benchmarks = names,
                                                .benchmark_count = 1,
                                                .environments = names,
                                                .environment_count = 1,
                                                .configurations = &like,
                                                .configuration_count = 1,
                                                .instances = instances,
                                                .trials = trials,
                                                .iterations = iterations,
                                                .seed = seed};
    struct model_dataset dataset = {0};
    assert_int_equal(study_simulate(&simulation, &dataset, NULL), DUET_OK);
    return dataset;
}

#endif
