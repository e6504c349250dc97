/* Whether two intervals have a point in common, and how much of them. */
#ifndef DUET_STATS_OVERLAP_H
#define DUET_STATS_OVERLAP_H

#include "stats/bootstrap/bootstrap.h"

#include <stdbool.h>

/* The intersection: low > high when there is none, NaN when an end is unknown. */
struct stats_interval stats_interval_overlap(const struct stats_interval *a,
                                             const struct stats_interval *b);

/* Whether they overlap; intervals that only touch do. An unknown end (NaN) may be
 * anywhere, so nothing can be told apart and the answer is true. A change is what does
 * not overlap (Laaber 2019 s.5.1.2). */
bool stats_intervals_overlap(const struct stats_interval *a,
                             const struct stats_interval *b);

#endif
