#include "stats/overlap.h"

#include <math.h>

bool stats_intervals_overlap(const struct stats_interval *a,
                             const struct stats_interval *b)
{
    bool known = !isnan(a->low) && !isnan(a->high) && !isnan(b->low) && !isnan(b->high);
    return !known || fmax(a->low, b->low) <= fmin(a->high, b->high);
}
