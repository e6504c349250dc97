/* What is computed from a sample or a resample: which statistic, and from which form of
 * the data it comes fastest. Means and the coefficient of variation come from sums;
 * order statistics from a tally, that is, from how often each of the sorted values is
 * there, so that no resample is ever sorted. */
#ifndef DUET_STATS_STATISTIC_H
#define DUET_STATS_STATISTIC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stats_statistic_kind {
    STATS_STATISTIC_MEAN,
    STATS_STATISTIC_GEOMEAN,
    STATS_STATISTIC_MEDIAN,
    STATS_STATISTIC_QUANTILE, /* type 7 */
    STATS_STATISTIC_TRIMMED,  /* floor(fraction * count) values dropped at each end */
    STATS_STATISTIC_CV        /* sample standard deviation / mean */
};

struct stats_statistic {
    enum stats_statistic_kind kind;
    double fraction; /* quantile: its probability; trimmed: the share dropped at an end,
                        below 0.5; otherwise not used */
};

/* Sums over a resample of what stats_column holds. */
struct stats_sums {
    size_t count;
    double values;
    double squares; /* only where asked for */
};

/* One sample, ready for a statistic. */
struct stats_column {
    struct stats_statistic statistic;
    size_t count;
    /* Sums: the values (for the geometric mean their logarithms) in multiples of
     * 1 / scale, a power of two (stats_power_scale()), less `center`, their mean, which
     * keeps all digits of the differences; and their squares. */
    double scale;
    double center;
    double *values;
    bool borrowed; /* `values` is the caller's room */
    double *squares;
    struct stats_sums all;
    /* Tallies: the values in ascending order, and where each one went. */
    double *sorted;
    uint32_t *ranks;
};

/* values: borrowed for the call. room: NULL, or as many numbers for the column to keep
 * its own in, until it is released; may be `values`. with_squares: the standard error
 * will be asked for. Errors: DUET_E_TOO_FEW (no value; CV: fewer than two),
 * DUET_E_DOMAIN (a value that is not finite, or not positive for the geometric mean;
 * fraction; 2^32 values or more), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_column_init(const double *values, size_t count,
                                               const struct stats_statistic *statistic,
                                               bool with_squares, double *room,
                                               struct stats_column *ret_column,
                                               struct duet_error *reterr);
void stats_column_release(struct stats_column *column);

/* NaN where the statistic does not exist, as the CV of values whose mean is 0. The CV's
 * square is as precise as that of the whole sample: of a resample of equal values it is
 * not 0, but up to 1e-8 of the sample's. */
double stats_column_of_sums(const struct stats_column *column,
                            const struct stats_sums *sums);
/* times[i]: how often sorted[i] is there; `total` in all, at least 1. */
double stats_column_of_tally(const struct stats_column *column, const uint32_t *times,
                             size_t total);
/* Of the sample itself. */
double stats_column_of_all(const struct stats_column *column);
/* Of the sample without value `which`; needs two values. O(1) for sums and quantiles.
 */
double stats_column_without(const struct stats_column *column, size_t which);

/* Standard error of the mean, or of the geometric mean (delta method); needs squares.
 */
double stats_column_error(const struct stats_column *column,
                          const struct stats_sums *sums);

/* Mean of the order statistics first..last (inclusive) of a tally of sorted values. */
double stats_tally_mean(const double *sorted, const uint32_t *times, size_t first,
                        size_t last);

#endif
