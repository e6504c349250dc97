/* Inside resampling: a question made ready to be asked again and again. */
#ifndef DUET_STATS_RESAMPLE_PRIVATE_H
#define DUET_STATS_RESAMPLE_PRIVATE_H

#include "stats/bootstrap/resample.h"

struct resample_group {
    struct stats_column column;
    struct stats_sampler *sampler; /* a pair's second group has none of its own */
    const struct stats_sampler *drawn_by;
    struct stats_summand values;
    struct stats_summand squares;
    uint32_t part;
};

struct resample_plan {
    const struct stats_question *question;
    struct resample_group groups[2];
    size_t group_count;
    bool with_squares;
};

/* A statistic, and its standard error where the plan is with squares. */
struct resample_value {
    double value;
    double error;
};

BASE_MUST_USE enum duet_code resample_plan_init(const struct stats_question *question,
                                                bool with_squares,
                                                struct resample_plan *ret_plan,
                                                struct duet_error *reterr);
void resample_plan_release(struct resample_plan *plan);

/* What the groups' values make together. */
struct resample_value resample_contrast(const struct resample_plan *plan,
                                        const struct resample_value *groups);

struct resample_value resample_estimate(const struct resample_plan *plan);

/* errors: NULL, or as many standard errors as there are replicates. */
BASE_MUST_USE enum duet_code resample_run(const struct resample_plan *plan,
                                          const struct stats_resampling *how,
                                          double *ret_replicates, double *ret_errors,
                                          struct duet_error *reterr);

/* The acceleration of BCa. Influences up to `rounding` are none. */
BASE_MUST_USE enum duet_code resample_acceleration(const struct resample_plan *plan,
                                                   double rounding,
                                                   double *ret_acceleration,
                                                   struct duet_error *reterr);

#endif
