/* Makes a data set from its points, in whatever order they come. */
#ifndef DUET_MODEL_DATASET_BUILDER_H
#define DUET_MODEL_DATASET_BUILDER_H

#include "base/error.h"
#include "model/dataset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_level {
    MODEL_LEVEL_BENCHMARK,
    MODEL_LEVEL_ENVIRONMENT,
    MODEL_LEVEL_INSTANCE,
    MODEL_LEVEL_TRIAL,
    MODEL_LEVELS
};

/* A name needs no NUL behind it. */
struct model_name {
    const char *bytes;
    size_t length;
};

/* One iteration: whose it is, and its time. */
struct model_point {
    struct model_name names[MODEL_LEVELS];
    double value; /* > 0 */
    double old;   /* of a pair, the old side; else not looked at */
};

struct model_dataset_builder;

/* paired: every point has both sides. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
model_dataset_builder_new(bool paired, struct model_dataset_builder **ret_builder,
                          struct duet_error *reterr);
/* Errors: DUET_E_DOMAIN (a value that is not positive and finite, 2^32 points or more),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
model_dataset_builder_add(struct model_dataset_builder *builder,
                          const struct model_point *point, struct duet_error *reterr);
/* The same point `count` times. Errors: the same; some of them may be added then. */
BASE_MUST_USE enum duet_code
model_dataset_builder_add_again(struct model_dataset_builder *builder,
                                const struct model_point *point, uint64_t count,
                                struct duet_error *reterr);
/* Adds iterations of one trial, of which all are called the same. values: `count`;
 * olds: the same, of pairs, else not looked at. Errors: as model_dataset_builder_add();
 * then none of them is added. */
BASE_MUST_USE enum duet_code model_dataset_builder_add_trial(
    struct model_dataset_builder *builder, const struct model_name names[MODEL_LEVELS],
    const double *values, const double *olds, size_t count, struct duet_error *reterr);
/* Whether its points are pairs. */
bool model_dataset_builder_is_paired(const struct model_dataset_builder *builder);

/* Sorts by benchmark, environment, instance and trial, each in the order in which it
 * was first seen within the one above it; points of a trial keep their order. Points
 * that are added again in this order stay in it. An instance is the same in all its
 * benchmarks only by name. The builder is empty afterwards. O(points). Memory beyond
 * the set: 32 bytes a point and the doubling of a growing array. Errors: DUET_E_TOO_FEW
 * (no point), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
model_dataset_builder_finish(struct model_dataset_builder *builder,
                             struct model_dataset *ret_dataset,
                             struct duet_error *reterr);
void model_dataset_builder_free(struct model_dataset_builder *builder);

#endif
