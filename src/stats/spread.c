#include "stats/spread.h"

#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>

enum duet_code stats_spread_of(double *values, size_t count,
                               struct stats_spread *ret_spread,
                               struct duet_error *reterr)
{
    static const double probabilities[] = {0, 0.25, 0.5, 0.75, 1};
    double quantiles[5];
    enum duet_code code =
        stats_quantiles_type7(values, count, probabilities, 5, quantiles, reterr);
    if (code == DUET_OK) {
        *ret_spread = (struct stats_spread){quantiles[0], quantiles[1], quantiles[2],
                                            quantiles[3], quantiles[4], count};
    }
    return code;
}

static double bandwidth_of(const double *values, size_t count,
                           const struct stats_spread *spread)
{
    const struct stats_moments moments = stats_moments_of(values, count);
    double sd = count < 2 ? 0 : stats_moments_sd_sample(&moments);
    double quarters = (spread->quarter_high - spread->quarter_low) / 1.34;
    double least = quarters > 0 ? fmin(sd, quarters) : sd;
    double bandwidth = 0.9 * least * pow((double)count, -0.2);
    double size = fmax(fabs(spread->low), fabs(spread->high));
    return bandwidth > 0 ? bandwidth : fmax(size / 1000, 1e-300);
}

/* The density at `at` of a kernel around each value. */
static double density_at(const double *values, size_t count, double bandwidth,
                         double at)
{
    const double two_pi = 6.283185307179586;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double away = (at - values[i]) / bandwidth;
        sum += exp(-away * away / 2);
    }
    return sum / ((double)count * bandwidth * sqrt(two_pi));
}

enum duet_code stats_density_of(double *values, size_t count, size_t points,
                                double *ret_at, double *ret_density,
                                struct duet_error *reterr)
{
    struct stats_spread spread = {0};
    enum duet_code code = stats_spread_of(values, count, &spread, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double bandwidth = bandwidth_of(values, count, &spread);
    double first = spread.low - 3 * bandwidth;
    bool mirrored = spread.low >= 0 && first < 0;
    first = mirrored ? 0 : first;
    double step = (spread.high + 3 * bandwidth - first) / (double)(points - 1);
    for (size_t p = 0; p < points; p++) {
        ret_at[p] = first + (double)p * step;
        ret_density[p] = density_at(values, count, bandwidth, ret_at[p]);
        if (mirrored) {
            ret_density[p] += density_at(values, count, bandwidth, -ret_at[p]);
        }
    }
    return DUET_OK;
}

enum duet_code stats_density_between(double *values, size_t count, double low,
                                     double high, double bandwidth_least, size_t points,
                                     double *ret_at, double *ret_density,
                                     struct duet_error *reterr)
{
    struct stats_spread spread = {0};
    enum duet_code code = stats_spread_of(values, count, &spread, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double bandwidth = fmax(bandwidth_of(values, count, &spread), bandwidth_least);
    for (size_t p = 0; p < points; p++) {
        double at = low + (high - low) * (double)p / (double)(points - 1);
        ret_at[p] = at;
        ret_density[p] = density_at(values, count, bandwidth, at) +
                         density_at(values, count, bandwidth, 2 * low - at) +
                         density_at(values, count, bandwidth, 2 * high - at);
    }
    return DUET_OK;
}
