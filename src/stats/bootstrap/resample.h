/* The bootstrap of any statistic of one or two groups: who is drawn (sampler.h), what
 * is computed (statistic.h), how groups are compared, and which interval is made of it.
 */
#ifndef DUET_STATS_RESAMPLE_H
#define DUET_STATS_RESAMPLE_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/bootstrap/sampler.h"
#include "stats/statistic.h"

#include <stdbool.h>
#include <stddef.h>

enum stats_contrast {
    STATS_CONTRAST_NONE,       /* the statistic of groups[0] */
    STATS_CONTRAST_DIFFERENCE, /* groups[1] - groups[0] */
    STATS_CONTRAST_RATIO       /* groups[1] / groups[0] */
};

struct stats_group {
    const double *values; /* borrowed */
    size_t count;
    const struct stats_levels *levels; /* NULL: no design */
};

struct stats_question {
    struct stats_statistic statistic;
    enum stats_scheme scheme;
    double block_length; /* block schemes */
    enum stats_contrast contrast;
    /* Values of the two groups belong together by their index and are drawn together;
     * the groups have the same count and the first one's design counts for both. */
    bool paired;
    struct stats_group groups[2];
    /* NULL, or room for as many numbers as the group has values, overwritten: sums (the
     * mean, the geometric mean and the CV) then copy no values. May be the group's
     * values themselves, which are lost then. */
    double *rooms[2];
};

enum stats_method {
    STATS_METHOD_PERCENTILE,
    STATS_METHOD_BASIC, /* the percentile interval mirrored at the estimate */
    /* Bias-corrected and accelerated: Efron 1987; the acceleration from a jackknife
     * that leaves out one unit of the first level that is drawn (with blocks, one
     * value), for two groups as in Efron and Tibshirani 1993, s.14.3 and scipy. */
    STATS_METHOD_BCA,
    /* Bootstrap t: Efron and Tibshirani 1993, s.12.5. For the mean and the geometric
     * mean (delta method) of groups without design, blocks or pairing; pairs: take
     * their differences as one group. Given that a resample has a spread;
     * DUET_E_TOO_FEW where more than 1 - level of them have none (below 5 values at
     * 99 %, and of values that are all the same). */
    STATS_METHOD_STUDENTIZED
};

/* The estimate, and how->replicates replicates of it.
 * Streams: how->stream + b for replicate b. The groups use different parts of it,
 * unless they are paired. O(replicates * count); memory beyond the data: for sums 8
 * bytes a value (none with `rooms`), 8 more for the CV's squares, 16 more with blocks;
 * for order statistics 12 bytes a value and 4 a value and thread. Errors:
 * DUET_E_TOO_FEW, DUET_E_DOMAIN (values, design, block length; an estimate or replicate
 * that does not exist, as a ratio to 0), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_resample(const struct stats_question *question,
                                            const struct stats_resampling *how,
                                            double *ret_estimate,
                                            double *ret_replicates,
                                            struct duet_error *reterr);

/* The interval of confidence `level` in (0, 1). Every drawn unit needs a second one.
 * Errors: as above, and DUET_E_DOMAIN for a method that cannot serve the question,
 * DUET_E_TOO_FEW where it cannot serve so few values. */
BASE_MUST_USE enum duet_code
stats_resample_interval(const struct stats_question *question,
                        const struct stats_resampling *how, enum stats_method method,
                        double level, double *ret_estimate,
                        struct stats_interval *ret_interval, struct duet_error *reterr);

#endif
