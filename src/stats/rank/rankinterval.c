#include "stats/rank/rankinterval.h"

#include "stats/beta.h"

/* The lowest rank that a resample's quantile is at most at with this probability. */
static size_t rank_of(size_t count, double probability, double below)
{
    double rank = probability * (double)(count - 1);
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double share = (double)(middle + 1) / (double)count;
        if (stats_beta_below(share, rank + 1.0, (double)count - rank) < below) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

enum duet_code stats_rank_interval(size_t count, double probability, double level,
                                   size_t *ret_low, size_t *ret_high,
                                   struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a quantile needs at least one value");
    }
    if (!(probability >= 0.0 && probability <= 1.0 && level > 0.0 && level < 1.0)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the interval of a quantile needs a probability in [0, 1] and a level in (0, 1), got %g and %g",
            probability, level);
    }
    *ret_low = rank_of(count, probability, 0.5 * (1.0 - level));
    *ret_high = rank_of(count, probability, 0.5 * (1.0 + level));
    return DUET_OK;
}
