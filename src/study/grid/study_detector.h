/* Does a test find a difference between two groups, when one of them is made slower? */
#ifndef DUET_STUDY_STUDY_DETECTOR_H
#define DUET_STUDY_STUDY_DETECTOR_H

#include "base/error.h"
#include "study/grid/study_groups.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum study_test {
    STUDY_TEST_RANKSUM,   /* Wilcoxon's rank-sum test and Cliff's delta */
    STUDY_TEST_INTERVALS, /* bootstrap intervals of the means that do not overlap */
    STUDY_TEST_RATIO,     /* interval of the pairs' mean log ratio without 0 */
    STUDY_TESTS
};
const char *study_test_name(enum study_test test);
extern const char *const study_test_names[]; /* "wrs", "ci", "ratio", ended by NULL */

enum { STUDY_SLOWDOWNS_MAX = 32 };

struct study_detector {
    double confidence;  /* of both: p <= 1 - confidence, and of the intervals */
    double delta_least; /* |Cliff's delta| must be as large */
    size_t corrected;   /* p values are multiplied by it (Bonferroni); 1: as they are */
    size_t replicates;  /* of the bootstraps; >= 1 */
    /* The test group's times are multiplied by 1 + slowdown; >= 0, ascending. */
    double slowdowns[STUDY_SLOWDOWNS_MAX];
    size_t slowdown_count;
};

/* Bit s: with slowdown s the test saw a difference, and saw it as a speed-up. */
struct study_outcome {
    uint32_t changed[STUDY_TESTS];
    uint32_t faster[STUDY_TESTS];
};

/* Room for the tests; each thread has its own. */
struct study_detector_space;
/* For groups of up to so many values. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
study_detector_space_new(const struct study_detector *detector, size_t values,
                         struct study_detector_space **ret_space,
                         struct duet_error *reterr);
/* For data of other sizes: what was found out about earlier ones is kept as long as
 * there is room for more. */
void study_detector_space_renew(struct study_detector_space *space);
void study_detector_space_free(struct study_detector_space *space);

/* Applies the wanted tests (bit t: test t; the ratio only to groups of pairs) to groups
 * that were drawn, under every slowdown. A slowdown multiplies an interval's ends and
 * leaves a group's order as it is, so that only a merge of the overlap is new.
 * seed: of the bootstraps. Errors: DUET_E_NOMEM.
 * Source: Laaber 2019 s.5.1 and s.5.4.1. Deviations: all slowdowns share the groups;
 * quantiles by type 7. The ratio is new here: the bootstrap of s.5.1.2 applied to the
 * log ratios of pairs (Bulej 2020 s.3, whose own bootstrap knows runs only). */
BASE_MUST_USE enum duet_code
study_detect(const struct study_detector *detector, const struct study_subject *subject,
             const struct study_groups *groups, unsigned tests, uint64_t seed,
             struct study_detector_space *space, struct study_outcome *ret_outcome,
             struct duet_error *reterr);

#endif
