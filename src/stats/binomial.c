#include "stats/binomial.h"

#include "stats/beta.h"

#include <inttypes.h>

/* The x with I_x(a, b) = probability: I grows with x. */
static double beta_quantile(double probability, double a, double b)
{
    double low = 0.0;
    double high = 1.0;
    for (int step = 0; step < 200; step++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if (stats_beta_below(middle, a, b) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

enum duet_code stats_binomial_interval(uint64_t hits, uint64_t trials, double level,
                                       struct stats_interval *ret_interval,
                                       struct duet_error *reterr)
{
    if (trials == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a share needs at least one trial");
    }
    if (hits > trials) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "%" PRIu64 " successes are more than the %" PRIu64 " trials",
                         hits, trials);
    }
    if (!(level > 0.0 && level < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "an interval's confidence must lie between 0 and 1, got %g",
                         level);
    }
    double tail = (1.0 - level) / 2.0;
    double hit = (double)hits;
    double missed = (double)(trials - hits);
    ret_interval->low = hits == 0 ? 0.0 : beta_quantile(tail, hit, missed + 1.0);
    ret_interval->high =
        hits == trials ? 1.0 : beta_quantile(1.0 - tail, hit + 1.0, missed);
    return DUET_OK;
}
