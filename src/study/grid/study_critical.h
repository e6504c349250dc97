/* The rank-sum test's decision at one level, many times over: the exact distribution is
 * looked at once for each pair of sample sizes. */
#ifndef DUET_STUDY_STUDY_CRITICAL_H
#define DUET_STUDY_STUDY_CRITICAL_H

#include "stats/rank/ranksum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDY_CRITICAL_SIZES = 64 };

/* Zeroed storage knows nothing yet. For one level only. */
struct study_critical {
    struct {
        size_t first;
        size_t second;
        bool any;       /* some U rejects */
        uint64_t least; /* the largest min(U, pairs - U) that rejects */
    } sizes[STUDY_CRITICAL_SIZES];
    size_t count;
};

/* Whether the exact test of samples of these sizes can give p <= level at all: its
 * smallest p value, all of one sample above all of the other, is 2 / C(first + second,
 * first). Both at least 1. O(first). */
bool study_critical_is_reachable(size_t first, size_t second, double level);

/* *ret_rejects: whether stats_ranksum_test() with STATS_RANKSUM_AUTO gives p <= level.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
study_critical_rejects(struct study_critical *critical,
                       const struct stats_dominance *dominance, double level,
                       bool *ret_rejects, struct duet_error *reterr);

#endif
