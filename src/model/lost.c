#include "model/observation.h"

#include <math.h>
#include <stdbool.h>

/* Clock reads, rounding to microseconds, what of the barrier counts as the program's.
 */
static const double lost_least_ns = 50e3;

double model_iteration_lost(const struct model_iteration *iteration)
{
    double took_ns = (double)(iteration->end_ns - iteration->start_ns);
    double lost_ns = took_ns - (double)iteration->cpu_ns;
    if (iteration->voluntary_switches > 0) {
        lost_ns = fmin(lost_ns, (double)iteration->taken_ns);
    }
    if ((iteration->flags & MODEL_ITERATION_NO_USAGE) != 0 ||
        !(lost_ns > lost_least_ns)) {
        return 0.0;
    }
    return fmin(MODEL_LOST_MOST, -log1p(-lost_ns / took_ns));
}
