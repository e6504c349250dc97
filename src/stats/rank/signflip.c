#include "stats/rank/signflip.h"

#include "base/alloc.h"
#include "base/random.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>

/* 1 - 0.99 is a little more than 0.01 in binary; a flip count may not hang on that. */
static double rejected_share(double level)
{
    return (1.0 - level) * (1.0 + 1e-9);
}

size_t stats_signflip_fewest(double level)
{
    return (size_t)ceil(log2(2.0 / rejected_share(level)));
}

/* Mean of every non-empty subset; subset s + 1 is at [s], its bits the members. */
static void subset_means(const double *values, size_t count, double *ret_means)
{
    for (size_t i = 0; i < count; i++) {
        size_t bit = (size_t)1 << i;
        ret_means[bit - 1] = values[i];
        for (size_t rest = 1; rest < bit; rest++) {
            ret_means[bit + rest - 1] = ret_means[rest - 1] + values[i];
        }
    }
    size_t subsets = ((size_t)1 << count) - 1;
    for (size_t s = 0; s < subsets; s++) {
        ret_means[s] /= (double)__builtin_popcountll(s + 1);
    }
}

static enum duet_code interval_exact(const double *values, size_t count, double level,
                                     struct stats_interval *ret_interval,
                                     struct duet_error *reterr)
{
    size_t subsets = ((size_t)1 << count) - 1;
    size_t k = (size_t)(rejected_share(level) * ldexp(1.0, (int)count - 1));
    double *means = alloc_array(subsets, sizeof *means);
    if (means == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu sign flips", subsets);
    }
    subset_means(values, count, means);
    stats_select(means, subsets, k - 1);
    double low = means[k - 1];
    stats_select(means, subsets, subsets - k);
    *ret_interval = (struct stats_interval){low, means[subsets - k]};
    free(means);
    return DUET_OK;
}

/* Means of a random subset and of its complement, the smaller first. An empty one of
 * the two is extreme for every theta. */
static struct stats_interval random_split(const double *values, size_t count,
                                          struct random_stream *stream)
{
    struct stats_sum sums[2] = {{0}};
    size_t members[2] = {0};
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits = i % 32 == 0 ? random_u32(stream) : bits >> 1U;
        stats_sum_add(&sums[bits & 1U], values[i]);
        members[bits & 1U]++;
    }
    if (members[0] == 0 || members[1] == 0) {
        return (struct stats_interval){-(double)INFINITY, (double)INFINITY};
    }
    double one = stats_sum_value(&sums[0]) / (double)members[0];
    double other = stats_sum_value(&sums[1]) / (double)members[1];
    return (struct stats_interval){fmin(one, other), fmax(one, other)};
}

static enum duet_code interval_sampled(const double *values, size_t count, double level,
                                       uint64_t seed, uint64_t stream_number,
                                       struct stats_interval *ret_interval,
                                       struct duet_error *reterr)
{
    size_t k = (size_t)(rejected_share(level) * (STATS_FLIPS + 1));
    if (k == 0) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the sign-flip interval of more than %d values reaches confidence up to %g, got %.9g",
            STATS_SIGNFLIP_EXACT_MAX, 1.0 - 1.0 / (STATS_FLIPS + 1), level);
    }
    double *lows = alloc_array(2 * (size_t)STATS_FLIPS, sizeof *lows);
    if (lows == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %d sign flips",
                         STATS_FLIPS);
    }
    double *highs = lows + STATS_FLIPS;
    struct random_stream stream = random_stream_at(seed, stream_number);
    for (size_t i = 0; i < STATS_FLIPS; i++) {
        struct stats_interval split = random_split(values, count, &stream);
        lows[i] = split.low;
        highs[i] = split.high;
    }
    stats_select(lows, STATS_FLIPS, k - 1);
    stats_select(highs, STATS_FLIPS, STATS_FLIPS - k);
    *ret_interval = (struct stats_interval){lows[k - 1], highs[STATS_FLIPS - k]};
    free(lows);
    return DUET_OK;
}

enum duet_code stats_signflip_interval(const double *values, size_t count, double level,
                                       uint64_t seed, uint64_t stream,
                                       struct stats_interval *ret_interval,
                                       struct duet_error *reterr)
{
    if (!(level > 0.0 && level < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "an interval's confidence must lie between 0 and 1, got %g",
                         level);
    }
    size_t fewest = stats_signflip_fewest(level);
    if (count < fewest) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "a sign-flip interval of confidence %g needs at least %zu values, got %zu",
            level, fewest, count);
    }
    enum duet_code code = stats_check_summable(values, count, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    return count <= STATS_SIGNFLIP_EXACT_MAX
               ? interval_exact(values, count, level, ret_interval, reterr)
               : interval_sampled(values, count, level, seed, stream, ret_interval,
                                  reterr);
}

/* Sums that differ by rounding alone are equal. */
static double extreme_from(const double *values, size_t count)
{
    struct stats_sum sum = {0};
    struct stats_sum sizes = {0};
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&sum, values[i]);
        stats_sum_add(&sizes, fabs(values[i]));
    }
    return fabs(stats_sum_value(&sum)) - 1e-12 * stats_sum_value(&sizes);
}

/* Half of all patterns, those that leave the last value as it is: the others mirror
 * them. From one to the next a single sign changes (Gray's code). */
static double p_value_exact(const double *values, size_t count, double extreme)
{
    struct stats_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&sum, values[i]);
    }
    size_t patterns = (size_t)1 << (count - 1);
    size_t reached = fabs(stats_sum_value(&sum)) >= extreme;
    uint64_t negative = 0;
    for (size_t p = 1; p < patterns; p++) {
        size_t flipped = (size_t)__builtin_ctzll(p);
        negative ^= UINT64_C(1) << flipped;
        double sign = (negative >> flipped & 1U) != 0 ? -2.0 : 2.0;
        stats_sum_add(&sum, sign * values[flipped]);
        reached += fabs(stats_sum_value(&sum)) >= extreme;
    }
    return (double)reached / (double)patterns;
}

static double p_value_sampled(const double *values, size_t count, double extreme,
                              struct random_stream *stream)
{
    size_t reached = 1;
    for (size_t f = 0; f < STATS_FLIPS; f++) {
        struct stats_sum sum = {0};
        uint32_t bits = 0;
        for (size_t i = 0; i < count; i++) {
            bits = i % 32 == 0 ? random_u32(stream) : bits >> 1U;
            stats_sum_add(&sum, (bits & 1U) != 0 ? values[i] : -values[i]);
        }
        reached += fabs(stats_sum_value(&sum)) >= extreme;
    }
    return (double)reached / (STATS_FLIPS + 1.0);
}

enum duet_code stats_signflip_p_value(const double *values, size_t count, uint64_t seed,
                                      uint64_t stream_number, double *ret_p_value,
                                      struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "there is no value to flip");
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double extreme = extreme_from(values, count);
    struct random_stream stream = random_stream_at(seed, stream_number);
    *ret_p_value = count <= STATS_SIGNFLIP_EXACT_MAX
                       ? p_value_exact(values, count, extreme)
                       : p_value_sampled(values, count, extreme, &stream);
    return DUET_OK;
}

double stats_signflip_p_value_of_equal(double value, size_t count)
{
    return fabs(value) > 0.0 ? ldexp(1.0, 1 - (int)fmin((double)count, 1000.0)) : 1.0;
}
