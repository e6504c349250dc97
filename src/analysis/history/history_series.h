/* The levels of one piece of a history, in order, and the changes in them. */
#ifndef DUET_ANALYSIS_HISTORY_SERIES_H
#define DUET_ANALYSIS_HISTORY_SERIES_H

#include "analysis/history/history.h"

/* Borrowed. */
struct history_series {
    const struct analysis_history_options *options;
    const double *levels;      /* logarithms, `count` */
    const double *covariances; /* of their errors, count * count */
    size_t count;
    double error;                     /* of options->error, what this piece has */
    enum analysis_commit_kind *kinds; /* USUAL, or found to be another one */
    double scatter_variance;          /* of a commit, beside its error ... */
    bool scattered;                   /* ... which is much */
};

/* A split of the series before place `at`. */
struct history_split {
    size_t at;
    double p_value;
    double step; /* the constant behind it less that before it ... */
    double sd;   /* ... between the splits beside it */
};

/* `series`: options, levels, covariances, count, error and kinds (all USUAL) are set.
 * *ret_splits, in order: free(). Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code history_series_split(struct history_series *series,
                                                  struct history_split **ret_splits,
                                                  size_t *ret_count,
                                                  struct duet_error *reterr);

#endif
