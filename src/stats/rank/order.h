/* Statistics of the order: quantiles, median, trimmed mean. They reorder the caller's
 * array instead of copying it, and take O(count). */
#ifndef DUET_STATS_ORDER_H
#define DUET_STATS_ORDER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Partitions values[0..count) so that values[rank] is the one that sorting would put
 * there, nothing before it is larger and nothing behind it smaller. rank < count, no
 * NaN. Source: Floyd and Rivest 1975, algorithm 489, which for
 * ranks near an end, as an interval needs, takes little more than one comparison a
 * value. */
void stats_select(double *values, size_t count, size_t rank);

/* Ascending order in place. No NaN. */
void stats_sort(double *values, size_t count);

/* The quantile at `probability` in [0, 1] by linear interpolation of the order
 * statistics: type 7 of Hyndman and Fan 1996, the default of R and NumPy. `values` is
 * reordered. Errors: DUET_E_TOO_FEW (no value), DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code stats_quantile_type7(double *values, size_t count,
                                                  double probability,
                                                  double *ret_quantile,
                                                  struct duet_error *reterr);

/* Several at once, for ascending probabilities; what one has sorted out the next does
 * not look at again. `values` is reordered. Errors: as above, and DUET_E_DOMAIN for
 * probabilities that do not ascend. */
BASE_MUST_USE enum duet_code stats_quantiles_type7(double *values, size_t count,
                                                   const double *probabilities,
                                                   size_t quantiles,
                                                   double *ret_quantiles,
                                                   struct duet_error *reterr);

/* The number `share` of the way from `low` to `high`, as all quantiles here take it;
 * numbers of opposite signs may be as far apart as they will. */
double stats_interpolate(double low, double high, double share);

/* A value that at least half of the weight is not above and half not below; where two
 * are, half their sum. Changes its sign when all values do, to the last bit; equal
 * weights make it the median. weights: at least 1 each. Errors: DUET_E_TOO_FEW (no
 * value), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_weighted_median(const double *values,
                                                   const uint32_t *weights,
                                                   size_t count, double *ret_median,
                                                   struct duet_error *reterr);

/* A location: one number for where the values lie. All three change their sign when all
 * values do. */
enum stats_location {
    STATS_LOCATION_MEAN,
    STATS_LOCATION_TRIMMED, /* mean without the lowest and highest 20 % of the values,
                               each rounded down to whole values */
    STATS_LOCATION_MEDIAN
};

/* Values that a trimmed mean drops at each end: floor(0.2 * count). */
size_t stats_trimmed_cut(size_t count);

/* `values` is reordered. Errors: DUET_E_TOO_FEW (no value), DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code stats_location_estimate(enum stats_location location,
                                                     double *values, size_t count,
                                                     double *ret_location,
                                                     struct duet_error *reterr);

/* Puts a value into its place among `count` sorted ones; there is room for it.
 * O(count). */
void stats_sorted_insert(double *sorted, size_t count, double value);

#endif
