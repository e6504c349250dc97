#include "stats/bootstrap/blocklength.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { QUIET_LAGS_MIN = 5 };

/* Sum of left[i] * right[i], in four lanes. */
static double dot(const double *left, const double *right, size_t count)
{
    double lanes[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t lane = 0; lane < 4; lane++) {
            lanes[lane] += left[i + lane] * right[i + lane];
        }
    }
    for (; i < count; i++) {
        lanes[0] += left[i] * right[i];
    }
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/* The first lag from which `quiet` autocorrelations in a row are insignificant; -1 when
 * there is none up to `most`. Fills the autocovariances of all lags up to `most`. */
static long quiet_from(const double *centred, size_t count, size_t most, size_t quiet,
                       double *covariances)
{
    double size = (double)count;
    double critical = 2.0 * sqrt(log10(size) / size);
    size_t in_a_row = 0;
    long found = -1;
    for (size_t lag = 0; lag <= most; lag++) {
        double product = dot(centred + lag, centred, count - lag);
        double later = dot(centred + lag + 1, centred + lag + 1, count - lag - 1);
        double earlier = dot(centred, centred, count - lag - 1);
        covariances[lag] = product / size;
        if (found < 0 && in_a_row >= quiet) {
            found = (long)(lag - quiet);
        }
        bool is_quiet = fabs(product) / sqrt(later * earlier) < critical;
        in_a_row = is_quiet ? in_a_row + 1 : 0;
    }
    return found;
}

/* The flat-top lag window's weight (Politis and Romano 1995). */
static double window(size_t lag, size_t bandwidth)
{
    double share = (double)lag / (double)bandwidth;
    return share <= 0.5 ? 1.0 : 2.0 * (1.0 - share);
}

static struct stats_block_lengths lengths_of(const double *covariances,
                                             size_t bandwidth, double size)
{
    double slope = 0.0;
    double spectrum = covariances[0];
    for (size_t lag = 1; lag <= bandwidth; lag++) {
        double weighted = 2.0 * window(lag, bandwidth) * covariances[lag];
        slope += weighted * (double)lag;
        spectrum += weighted;
    }
    double most = ceil(fmin(3.0 * sqrt(size), size / 3.0));
    double stationary = 2.0 * spectrum * spectrum;
    double circular = 4.0 / 3.0 * spectrum * spectrum;
    double bias = 2.0 * slope * slope;
    return (struct stats_block_lengths){
        fmin(cbrt(bias / stationary) * cbrt(size), most),
        fmin(cbrt(bias / circular) * cbrt(size), most), most};
}

static struct stats_block_lengths estimate(const double *centred, size_t count,
                                           size_t most, size_t quiet,
                                           double *covariances)
{
    long from = quiet_from(centred, count, most, quiet, covariances);
    size_t bandwidth = most;
    if (from >= 0) {
        size_t twice = 2 * (size_t)(from > 1 ? from : 1);
        bandwidth = twice < most ? twice : most;
    }
    if (!(covariances[0] > 0.0)) {
        return (struct stats_block_lengths){1.0, 1.0, 0.0};
    }
    return lengths_of(covariances, bandwidth, (double)count);
}

enum duet_code stats_block_lengths_estimate(const double *values, size_t count,
                                            struct stats_block_lengths *ret_lengths,
                                            struct duet_error *reterr)
{
    if (count < STATS_BLOCK_LENGTH_VALUES_MIN) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a block length needs a series of at least %d values, got %zu",
                         STATS_BLOCK_LENGTH_VALUES_MIN, count);
    }
    size_t decades = (size_t)log10((double)count);
    size_t quiet = decades > QUIET_LAGS_MIN ? decades : QUIET_LAGS_MIN;
    size_t most = (size_t)ceil(sqrt((double)count)) + quiet;
    double *centred = alloc_array(count, sizeof *centred);
    double *covariances = alloc_array(most + 1, sizeof *covariances);
    enum duet_code code = DUET_OK;
    if (centred == NULL || covariances == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for a series of %zu values",
                         count);
    } else {
        code = stats_centre(values, count, centred, reterr);
    }
    if (code == DUET_OK) {
        *ret_lengths = estimate(centred, count, most, quiet, covariances);
    }
    free(centred);
    free(covariances);
    return code;
}
