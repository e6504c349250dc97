/* Dominance between samples that are in order already, the first of them scaled. */
#ifndef DUET_STATS_DOMINANCE_SORTED_H
#define DUET_STATS_DOMINANCE_SORTED_H

#include "stats/rank/dominance.h"

/* A sample in ascending order, positive values, borrowed. */
struct stats_sorted {
    const double *values;
    size_t count;      /* 1 to STATS_DOMINANCE_COUNT_MAX */
    double tie_groups; /* sum of t^3 - t over its groups of t equal values */
};

/* Fills in `tie_groups`. */
struct stats_sorted stats_sorted_of(const double *values, size_t count);

/* What stats_dominance_count() gives for first's values times `scale` > 0 against
 * second's, but for the sums of squares, which are NaN: enough for the rank-sum test
 * and Cliff's delta. One merge of the part in which the samples overlap, so that
 * scaling costs no new sort. Values that become equal only by the rounding of the
 * product count as equal across the samples, not within the first one. */
struct stats_dominance stats_dominance_sorted(const struct stats_sorted *first,
                                              double scale,
                                              const struct stats_sorted *second);

#endif
