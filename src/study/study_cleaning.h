/* Cleaning of measurements as in the study of Laaber et al. */
#ifndef DUET_STUDY_STUDY_CLEANING_H
#define DUET_STUDY_STUDY_CLEANING_H

#include "base/error.h"
#include "model/dataset.h"

/* Values of a configuration (pairs, of paired data). */
struct study_cleaned {
    size_t before;
    size_t after;
};

/* Drops, in place, values of `factor` times the median of their configuration or more;
 * of pairs both sides when one of them is such a value for its side. Trials and
 * instances of which nothing is left go with them. factor: above 1; 10 in the paper.
 * ret_counts: one a configuration. O(values).
 * Errors: DUET_E_DOMAIN (factor), DUET_E_TOO_FEW (nothing left of a configuration),
 * DUET_E_NOMEM; the set is as it was.
 * Source: Laaber 2019 s.3.3 ("one or more orders of magnitude higher than the median")
 * and table 4. */
BASE_MUST_USE enum duet_code study_clean(struct model_dataset *dataset, double factor,
                                         struct study_cleaned *ret_counts,
                                         struct duet_error *reterr);

/* The counts of a set that is not cleaned. */
void study_clean_none(const struct model_dataset *dataset,
                      struct study_cleaned *ret_counts);

/* Keeps, in place, only the first so many instances of each configuration, trials of
 * each instance and values of each trial; 0: all of them. Errors: DUET_E_NOMEM. */
struct study_limits {
    size_t instances;
    size_t trials;
    size_t iterations;
};
BASE_MUST_USE enum duet_code study_keep_first(struct model_dataset *dataset,
                                              const struct study_limits *limits,
                                              struct duet_error *reterr);

#endif
