/* What a performance test of a machine's configuration finds, when it takes a handful
 * of measurements and when a stop rule ends it: values to train a model with. */
#ifndef DUET_STUDY_STUDY_TRAINING_H
#define DUET_STUDY_STUDY_TRAINING_H

#include "analysis/stop/stop_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One benchmark on one kind of machine. All borrowed. */
struct study_configuration {
    const char *benchmark;
    const char *name;
    const double *features; /* as many as the study's plan says */
    const double *values;   /* that tests may use, in the order of measurement; > 0 */
    size_t count;
    double interval; /* points of an interval (a day); need not be whole */
    double truth;    /* its mean; > 0 */
};

/* Where a training value comes from: a few measurements, rule r at
 * STUDY_TRAINING_RULES + r, or what is true. */
enum {
    STUDY_TRAINING_POINTS,
    STUDY_TRAINING_RULES,
    STUDY_TRAINING_TRUTH = STUDY_TRAINING_RULES + ANALYSIS_STOP_RULES,
    STUDY_TRAININGS
};
/* "points", the rule's name, "truth". */
const char *study_training_name(size_t training);

struct study_training_plan {
    size_t points; /* of the handful, one after the other */
    bool rules[ANALYSIS_STOP_RULES];
    double error; /* that the rules allow */
    double confidence;
    size_t replicates;
    size_t tests; /* of each configuration, from random places */
    uint64_t seed;
    int threads; /* 0: threads_usual() */
};

/* Whether a plan has such training values. */
bool study_training_has(const struct study_training_plan *plan, size_t training);

/* Tests of one configuration. */
struct study_trained {
    double *means;                    /* training x test, but for the truth; owned */
    uint64_t points[STUDY_TRAININGS]; /* that all tests together took */
};

/* Fills ret_trained with the tests first to first + count - 1 of a configuration, which
 * has this number in the study; a test that comes to the end of the values goes on at
 * their beginning, one that no rule stops takes all. ret_trained->means has room, and
 * points are added to. The same for any number of threads. Streams: 0xEA02 and on.
 * Errors: as analysis_stopper_find(), with the configuration's name. */
BASE_MUST_USE enum duet_code
study_training_run(const struct study_training_plan *plan,
                   const struct study_configuration *configuration, size_t number,
                   size_t first, size_t count, struct study_trained *ret_trained,
                   struct duet_error *reterr);

#endif
