#include "model/observation.h"

#include <math.h>

/* Clock reads, rounding to microseconds, what of the barrier counts as the program's.
 */
static const double least_ns = 50e3;

static double lengthened(double by_ns, double took_ns)
{
    return by_ns > 0.0 ? fmin(MODEL_IDLE_MOST, -log1p(-fmin(1.0, by_ns / took_ns)))
                       : 0.0;
}

struct model_idle model_iteration_idle(const struct model_iteration *iteration)
{
    double took_ns = (double)(iteration->end_ns - iteration->start_ns);
    double idle_ns = took_ns - (double)iteration->cpu_ns;
    bool used = (iteration->flags & MODEL_ITERATION_NO_USAGE) == 0;
    bool told = (iteration->flags & MODEL_ITERATION_TAKEN_KNOWN) != 0;
    double taken_ns = fmin(idle_ns, (double)iteration->taken_ns);
    return (struct model_idle){
        .all = !used                ? (double)NAN
               : idle_ns > least_ns ? lengthened(idle_ns, took_ns)
                                    : 0.0,
        .taken = used && told ? lengthened(taken_ns, took_ns) : (double)NAN,
        .waits = iteration->voluntary_switches,
    };
}

bool model_pair_lost(const struct model_idle *old_idle,
                     const struct model_idle *new_idle, double ret_lost[MODEL_SIDES])
{
    bool waited = old_idle->waits > 0 || new_idle->waits > 0;
    double of_old = waited ? old_idle->taken : old_idle->all;
    double of_new = waited ? new_idle->taken : new_idle->all;
    if (isnan(of_old) || isnan(of_new)) {
        return false;
    }
    ret_lost[MODEL_OLD] = of_old;
    ret_lost[MODEL_NEW] = of_new;
    return true;
}
