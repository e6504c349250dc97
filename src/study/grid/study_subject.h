/* One configuration of a data set, as the studies draw from it. */
#ifndef DUET_STUDY_STUDY_SUBJECT_H
#define DUET_STUDY_STUDY_SUBJECT_H

#include "base/error.h"
#include "model/dataset.h"
#include "stats/bootstrap/nested.h"

#include <stddef.h>

struct study_subject {
    size_t number;        /* of the configuration in its data set */
    const double *values; /* of pairs the new sides, and behind them the old ones */
    const double *sorted; /* the same, each trial's (and side's) in ascending order */
    double *logs;         /* of pairs log(new / old), then the negatives; else NULL */
    size_t count;         /* values (pairs) */
    size_t trials;        /* in all */
    size_t longest;       /* values of the longest trial */
    struct stats_nested nested; /* instances, trials, values */
    double *own_values;         /* owned, as what follows */
    double *own_sorted;
    size_t *memory;
};

/* `dataset` is borrowed and must live as long. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_subject_init(const struct model_dataset *dataset,
                                                size_t configuration,
                                                struct study_subject *ret_subject,
                                                struct duet_error *reterr);
void study_subject_release(struct study_subject *subject);

/* Trials of an instance. */
static inline size_t study_subject_trials(const struct study_subject *subject,
                                          size_t instance)
{
    return subject->nested.firsts[instance + 1] - subject->nested.firsts[instance];
}

#endif
