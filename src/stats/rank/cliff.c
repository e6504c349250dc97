#include "stats/rank/cliff.h"

#include "stats/student.h"

#include <math.h>
#include <stdbool.h>

static const double thresholds[] = {0.147, 0.33, 0.474};

const char *stats_magnitude_name(enum stats_magnitude magnitude)
{
    static const char *const names[] = {"negligible", "small", "medium", "large"};
    return (unsigned)magnitude < STATS_MAGNITUDES ? names[magnitude] : "unknown";
}

static enum stats_magnitude magnitude_of(double delta)
{
    unsigned magnitude = STATS_MAGNITUDE_NEGLIGIBLE;
    while (magnitude < STATS_MAGNITUDE_LARGE && fabs(delta) >= thresholds[magnitude]) {
        magnitude++;
    }
    return (enum stats_magnitude)magnitude;
}

/* `delta`: the dominance, or what stands for it when the samples are disjoint; then the
 * sums of squares, which are about the true one, move by the square of the shift. */
static double variance_unbiased(const struct stats_dominance *dominance, double shift,
                                double delta)
{
    double n = (double)dominance->first_count;
    double m = (double)dominance->second_count;
    double moved = shift * shift;
    double first = dominance->first_squares + n * moved;
    double second = dominance->second_squares + m * moved;
    double pair = dominance->pair_squares + n * m * moved;
    double variance =
        (m * m * first + n * n * second - pair) / (n * m * (n - 1.0) * (m - 1.0));
    return variance > 0.0 ? variance : (1.0 - delta * delta) / (n * m - 1.0);
}

static enum duet_code interval_of(const struct stats_dominance *dominance,
                                  double exact_delta, double level,
                                  struct stats_interval *ret_interval,
                                  struct duet_error *reterr)
{
    double n = (double)dominance->first_count;
    double m = (double)dominance->second_count;
    bool disjoint = fabs(exact_delta) >= 1.0;
    double delta = disjoint ? exact_delta * (n * m - 1.0) / (n * m) : exact_delta;
    double t = 0.0;
    enum duet_code code =
        stats_t_quantile(1.0 - (1.0 - level) / 2.0, n + m - 2.0, &t, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double variance = variance_unbiased(dominance, exact_delta - delta, delta);
    double rest = 1.0 - delta * delta;
    double centre = delta * rest;
    double spread = t * sqrt(variance) * sqrt(rest * rest + t * t * variance);
    double scale = rest + t * t * variance;
    *ret_interval =
        (struct stats_interval){(centre - spread) / scale, (centre + spread) / scale};
    if (disjoint && exact_delta > 0.0) {
        ret_interval->high = 1.0;
    } else if (disjoint) {
        ret_interval->low = -1.0;
    }
    return DUET_OK;
}

enum duet_code stats_cliff_delta(const struct stats_dominance *dominance, double level,
                                 struct stats_cliff *ret_cliff,
                                 struct duet_error *reterr)
{
    if (!(level > 0.0 && level < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the level of an interval must lie between 0 and 1, got %g",
                         level);
    }
    double pairs = (double)dominance->first_count * (double)dominance->second_count;
    double delta = ((double)dominance->greater - (double)dominance->less) / pairs;
    struct stats_cliff made = {.delta = delta,
                               .interval = {(double)NAN, (double)NAN},
                               .magnitude = magnitude_of(delta)};
    enum duet_code code = DUET_OK;
    if (dominance->first_count >= 2 && dominance->second_count >= 2) {
        code = interval_of(dominance, delta, level, &made.interval, reterr);
    }
    if (code == DUET_OK) {
        *ret_cliff = made;
    }
    return code;
}
