/* Benchmarks by how much they vary: from the most stable to the least. */
#ifndef DUET_STUDY_STUDY_RANKING_H
#define DUET_STUDY_STUDY_RANKING_H

#include "base/error.h"
#include "model/dataset.h"

enum study_rank {
    STUDY_RANK_STABLE, /* the smallest CV */
    STUDY_RANK_QUARTER_LOW,
    STUDY_RANK_MEDIAN,
    STUDY_RANK_QUARTER_HIGH,
    STUDY_RANK_LEAST, /* the largest */
    STUDY_RANKS
};
const char *study_rank_name(enum study_rank rank);
extern const char
    *const study_rank_names[]; /* "stable", "q1", "median" ..., ended by NULL */

struct study_ranked {
    size_t benchmark; /* index of its name */
    double cv;        /* a ratio; mean over its environments */
};

/* The benchmark at each rank: of n benchmarks in order of their CV, the one at n - 1
 * times 0, 1/4, 1/2, 3/4 and 1, rounded (halves up). Few benchmarks have several ranks.
 * The CV is that of all values (new sides) of a configuration, sample standard
 * deviation over mean; what has a single value is not ranked. *ret_of: how many were.
 * O(values). Errors: DUET_E_TOO_FEW (none), DUET_E_NOMEM. Source: Laaber 2019 s.3.1.
 * Deviation: the paper ranked by five trials on one machine that it did not use
 * further. */
BASE_MUST_USE enum duet_code study_rank_benchmarks(const struct model_dataset *dataset,
                                                   struct study_ranked ret[STUDY_RANKS],
                                                   size_t *ret_of,
                                                   struct duet_error *reterr);

#endif
