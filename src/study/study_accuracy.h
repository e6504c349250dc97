/* How accurate a comparison of a workload with itself is: the widths of the intervals
 * that each method of measuring leads to (Bulej 2020 s.4.1, s.4.2). */
#ifndef DUET_STUDY_STUDY_ACCURACY_H
#define DUET_STUDY_STUDY_ACCURACY_H

#include "analysis/runs/cleaning.h"
#include "base/error.h"
#include "model/comparison.h"
#include "model/experiment.h"
#include "stats/welch.h"

#include <stdint.h>

struct study_accuracy_plan {
    double confidence;    /* 0.99 */
    uint64_t replicates;  /* 10000 */
    uint64_t seed;        /* of the sample of runs, the bootstraps, the shuffles */
    uint64_t sample_runs; /* a random sample of so many where there are more; 0: all */
    struct model_cleaning cleaning;
};

struct study_accuracy {
    double ratio; /* new / old: 1 but for chance */
    double low;   /* ends of the interval, as ratios */
    double high;
    double width_pct;
    double shuffled_pct; /* of pairs; NaN otherwise */
    double mean_ns;      /* over the observations of both sides, as analysed */
    uint64_t runs;       /* analysed */
    double iterations;   /* of a side of a run, mean */
};

/* The percentile interval over runs of paired values, the standard method's of others;
 * `estimator` inside a run, winsorized as the paper does. `values` is borrowed and
 * stays as it is. Errors: DUET_E_TOO_FEW (fewer than two runs), DUET_E_DOMAIN,
 * DUET_E_NOMEM. Source: Bulej 2020 s.3, s.4.1, s.7.1. */
BASE_MUST_USE enum duet_code study_accuracy_of(const struct study_accuracy_plan *plan,
                                               enum model_estimator estimator,
                                               const struct model_values *values,
                                               struct study_accuracy *ret_accuracy,
                                               struct duet_error *reterr);

/* A copy of all runs as they are analysed: without warm-up, winsorized;
 * model_values_release() frees it. Errors: as analysis_clean_copy(). */
BASE_MUST_USE enum duet_code study_analysed_copy(const struct study_accuracy_plan *plan,
                                                 const struct model_values *values,
                                                 struct model_values *ret_copy,
                                                 struct duet_error *reterr);

/* The mean log ratio of each run as a ratio, in the order of the values: what figures 6
 * and 7 show. Unpaired values: the ratio of the sides' means of the run, NaN where one
 * has none. ret_ratios: values->run_count. Errors: DUET_E_TOO_FEW (no run). */
BASE_MUST_USE enum duet_code study_run_ratios(const struct model_values *values,
                                              double *ret_ratios,
                                              struct duet_error *reterr);

/* The mean of each run over both sides' observations, and how these means spread.
 * Runs without observations do not count. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_run_spread(const struct model_values *values,
                                              struct stats_welch_group *ret_group,
                                              struct duet_error *reterr);

/* Where one side does exactly twice the other's work: by how much a measured ratio is
 * off, as a share; and what is measured when the longer side runs its second half
 * alone, with iterations that take `together_ratio` times as long together as alone.
 * Source: Bulej 2020, s.4.4. */
double study_twice_off(double ratio);
double study_twice_unfilled(double together_ratio);

/* The mean time of each run, of both sides together. ret_means: values->run_count. */
void study_run_means(const struct model_values *values, double *ret_means);

#endif
