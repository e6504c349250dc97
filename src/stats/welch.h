/* The ratio of two independent means, and an interval for it that covers at every
 * number of values. */
#ifndef DUET_STATS_WELCH_H
#define DUET_STATS_WELCH_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/moments.h"

/* One group: its mean, and how its values spread. The mean must be positive. */
struct stats_welch_group {
    double mean;
    double variance; /* of a value: the sample variance, with count - 1 */
    size_t count;    /* of independent values, >= 2 */
};

struct stats_welch {
    double error;                /* standard error of mean(to) - mean(from) */
    double degrees;              /* the smaller count - 1 */
    double p_value;              /* two-sided, of equal means */
    struct stats_interval ratio; /* mean(to) / mean(from); an end is NaN when no value
                                    of the ratio on that side can be excluded */
};

/* Which ratios q the data does not exclude: |mean(to) - q mean(from)| is at most t
 * times its standard error, with t at the smaller count - 1 degrees of freedom. The
 * interval excludes 1 exactly when p_value is below 1 - level.
 *
 * Covers at least `level` for normal values whatever the counts and the two variances
 * are. Where no value of either group differs from another, the p value is that of the
 * permutation test, 2 / C(n, m), and without that significance the ends are open.
 * Errors: DUET_E_TOO_FEW (a group of fewer than 2), DUET_E_DOMAIN (level outside
 * (0, 1), a mean that is not positive).
 * Source: Welch 1947 (the statistic); Mickey and Brown 1966 (these degrees of freedom
 * are conservative for every ratio of variances); Fieller 1954 (the set of ratios).
 * Deviation from Welch: his degrees of freedom are estimated, which gives 4 to 8 % of
 * false alarms in place of 1 with 2 values against 10 to 30. */
BASE_MUST_USE enum duet_code stats_welch_ratio(const struct stats_welch_group *from,
                                               const struct stats_welch_group *to,
                                               double level,
                                               struct stats_welch *ret_welch,
                                               struct duet_error *reterr);

struct stats_welch_test {
    double error;   /* standard error of mean(to) - mean(from) */
    double degrees; /* estimated; NaN: in neither group a value differs from another */
    double p_value; /* two-sided, of equal means; likewise */
};
/* Welch's own test, with his estimated degrees of freedom: for remarks and effect
 * sizes, not for verdicts (see above). Both counts are at least 2. Source: Welch 1947.
 */
struct stats_welch_test stats_welch_test_of(const struct stats_welch_group *from,
                                            const struct stats_welch_group *to);

/* How many values each group needs, with these variances, for an interval of that level
 * to exclude equal means when they differ as these do; 0 when more than 10^6. */
size_t stats_welch_needed(const struct stats_welch_group *from,
                          const struct stats_welch_group *to, double level);

#endif
