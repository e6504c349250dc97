/* Inside the stop rules: what they share. Others include stop_rule.h. */
#ifndef DUET_ANALYSIS_STOP_PRIVATE_H
#define DUET_ANALYSIS_STOP_PRIVATE_H

#include "analysis/stop/stop_rule.h"
#include "base/simd.h"
#include "stats/bootstrap/bootstrap.h"

/* The percentiles that stand for a whole distribution: 5, 10, ... 95. */
enum { STOP_GRID = 19 };

struct analysis_stopper {
    struct analysis_stop_question question;
    size_t longest;
    size_t day; /* whole points of an interval */
    enum simd_level simd;
    /* Ranks of the ends of a quantile's interval: two for each number of points
     * (BasicBT), or for each day and percentile of the grid (PT4Cloud). */
    uint32_t *ranks;
};

/* One test under way. */
struct stop_test {
    const struct analysis_stopper *stopper;
    const double *values;
    size_t count;
    uint64_t seed;
    struct analysis_stop *stops; /* by error; `stopped` false at first */
    size_t pending;              /* errors that have not stopped */
};

/* Each looks at the test until nothing is pending or the values are at their end. */
BASE_MUST_USE enum duet_code stop_by_metior(struct stop_test *test,
                                            struct duet_error *reterr);
BASE_MUST_USE enum duet_code stop_by_metior_artifact(struct stop_test *test,
                                                     struct duet_error *reterr);
BASE_MUST_USE enum duet_code stop_by_basicbt(struct stop_test *test,
                                             struct duet_error *reterr);
BASE_MUST_USE enum duet_code stop_by_variation(struct stop_test *test,
                                               struct duet_error *reterr);
BASE_MUST_USE enum duet_code stop_by_distribution(struct stop_test *test,
                                                  struct duet_error *reterr);
BASE_MUST_USE enum duet_code stop_by_steadiness(struct stop_test *test,
                                                struct duet_error *reterr);

/* How often Steady has looked at a test of so many points. */
size_t stop_steady_looks(const struct analysis_stop_question *question, size_t points);

/* Settles all errors that this relative interval lies within: -e < low and high < e,
 * or, at_most, with ends that may be at e. */
void stop_within(struct stop_test *test, double low, double high, bool at_most,
                 size_t points, size_t of_points);

/* The Politis-White length of circular blocks for the first `points` values; 1 where
 * they are too few for it. */
BASE_MUST_USE enum duet_code stop_block_length(const struct stop_test *test,
                                               size_t points, double *ret_length,
                                               struct duet_error *reterr);

/* Replicates that have come out beyond an error, while they are being made: once so
 * many have that the interval must, no more need to be made. */
struct stop_tally {
    size_t limit; /* on one side */
    size_t low[ANALYSIS_STOP_ERRORS_MAX];
    size_t high[ANALYSIS_STOP_ERRORS_MAX];
};
/* outside: the share of replicates that lies beyond one end of the interval. */
struct stop_tally stop_tally_of(size_t replicates, double outside);
void stop_tally_add(struct stop_tally *tally, const struct stop_test *test,
                    double relative);
/* No pending error can be met any more. */
bool stop_tally_is_lost(const struct stop_tally *tally, const struct stop_test *test);

#endif
