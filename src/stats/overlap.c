#include "stats/overlap.h"

#include <math.h>

struct stats_interval stats_interval_overlap(const struct stats_interval *a,
                                             const struct stats_interval *b)
{
    if (isnan(a->low) || isnan(a->high) || isnan(b->low) || isnan(b->high)) {
        return (struct stats_interval){(double)NAN, (double)NAN};
    }
    return (struct stats_interval){fmax(a->low, b->low), fmin(a->high, b->high)};
}

bool stats_intervals_overlap(const struct stats_interval *a,
                             const struct stats_interval *b)
{
    struct stats_interval both = stats_interval_overlap(a, b);
    return !(both.low > both.high);
}
