/* CoV: has the coefficient of variation settled? Laaber 2020, "Dynamically
 * Reconfiguring Software Microbenchmarks", stop criterion CV: after every execution the
 * coefficient of variation of all of them; stable when those of the last 10 looks lie
 * within 0.01. It knows no allowed error, so that it stops at the same point for all.
 */
#include "analysis/stop/stop_private.h"
#include "stats/moments.h"

#include <math.h>

enum { WINDOW = 10 };
static const double spread_max = 0.01;

/* Whether the last WINDOW coefficients, kept in a ring, lie close together. */
static bool is_stable(const double *ring)
{
    double low = ring[0];
    double high = ring[0];
    for (size_t i = 1; i < WINDOW; i++) {
        low = fmin(low, ring[i]);
        high = fmax(high, ring[i]);
    }
    return high - low <= spread_max;
}

enum duet_code stop_by_variation(struct stop_test *test, struct duet_error *reterr)
{
    (void)reterr;
    struct stats_moments moments = {0};
    double ring[WINDOW] = {0};
    for (size_t points = 1; points <= test->count; points++) {
        stats_moments_add(&moments, test->values[points - 1]);
        if (points < 2) {
            continue;
        }
        ring[points % WINDOW] = stats_moments_sd_sample(&moments) / moments.mean;
        if (points <= WINDOW || !is_stable(ring)) {
            continue;
        }
        for (size_t i = 0; i < test->stopper->question.error_count; i++) {
            test->stops[i] = (struct analysis_stop){.stopped = true,
                                                    .points = points,
                                                    .of_points = points,
                                                    .low = (double)NAN,
                                                    .high = (double)NAN};
        }
        test->pending = 0;
        return DUET_OK;
    }
    return DUET_OK;
}
