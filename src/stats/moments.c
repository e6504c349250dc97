#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void stats_sum_add(struct stats_sum *sum, double value)
{
    double total = sum->total + value;
    if (fabs(sum->total) >= fabs(value)) {
        sum->compensation += (sum->total - total) + value;
    } else {
        sum->compensation += (value - total) + sum->total;
    }
    sum->total = total;
}

double stats_sum_value(const struct stats_sum *sum)
{
    return sum->total + sum->compensation;
}

static void move_mean(struct stats_moments *moments, double by)
{
    struct stats_sum mean = {moments->mean, moments->mean_rest};
    stats_sum_add(&mean, by);
    moments->mean = stats_sum_value(&mean);
    moments->mean_rest = (mean.total - moments->mean) + mean.compensation;
}

void stats_moments_add(struct stats_moments *moments, double value)
{
    if (moments->count == 0) {
        *moments = (struct stats_moments){
            .count = 1, .mean = value, .min = value, .max = value};
        return;
    }
    moments->count++;
    double from_old_mean = value - moments->mean - moments->mean_rest;
    move_mean(moments, from_old_mean / (double)moments->count);
    moments->squares += from_old_mean * (value - moments->mean - moments->mean_rest);
    moments->min = fmin(moments->min, value);
    moments->max = fmax(moments->max, value);
}

struct stats_moments stats_moments_of(const double *values, size_t count)
{
    struct stats_moments moments = {0};
    for (size_t i = 0; i < count; i++) {
        stats_moments_add(&moments, values[i]);
    }
    return moments;
}

void stats_moments_merge(struct stats_moments *moments,
                         const struct stats_moments *other)
{
    if (other->count == 0) {
        return;
    }
    if (moments->count == 0) {
        *moments = *other;
        return;
    }
    double count = (double)moments->count;
    double added = (double)other->count;
    double apart =
        (other->mean - moments->mean) + (other->mean_rest - moments->mean_rest);
    move_mean(moments, apart * (added / (count + added)));
    moments->squares +=
        other->squares + apart * apart * (count * added / (count + added));
    moments->count += other->count;
    moments->min = fmin(moments->min, other->min);
    moments->max = fmax(moments->max, other->max);
}

double stats_moments_sd_sample(const struct stats_moments *moments)
{
    if (moments->count < 2) {
        return (double)NAN;
    }
    return sqrt(moments->squares / (double)(moments->count - 1));
}

enum duet_code stats_check_finite(const double *values, size_t count,
                                  struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "value %zu of %zu is not a finite number (%g); remove it",
                             i + 1, count, values[i]);
        }
    }
    return DUET_OK;
}

enum duet_code stats_check_summable(const double *values, size_t count, size_t terms,
                                    struct duet_error *reterr)
{
    enum duet_code code = stats_check_finite(values, count, reterr);
    double most = DBL_MAX / (double)terms;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (fabs(values[i]) > most) {
            code = error_set(
                reterr, DUET_E_DOMAIN,
                "value %zu of %zu (%g) is too large for %zu to be added up; take a larger unit",
                i + 1, count, values[i], terms);
        }
    }
    return code;
}

double stats_power_scale(const double *values, size_t count)
{
    enum { EXPONENT_MAX = 300 };
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double magnitude = fabs(values[i]);
        largest = magnitude > largest ? magnitude : largest;
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    if (largest <= 0.0 || abs(exponent) <= EXPONENT_MAX) {
        return 1.0;
    }
    /* Of the smallest numbers, what a double can still be multiplied with. */
    return ldexp(1.0, exponent < 1 - DBL_MAX_EXP ? DBL_MAX_EXP - 1 : -exponent);
}

/* Of the values times `scale`, a power of two. */
static double scaled_mean(const double *values, size_t count, double scale)
{
    struct stats_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&sum, values[i] * scale);
    }
    return stats_sum_value(&sum) / (double)count;
}

static double mean_of(const double *values, size_t count)
{
    double mean = scaled_mean(values, count, 1.0);
    /* The sum overflowed: no count of values does that to these. */
    return isfinite(mean) ? mean : scaled_mean(values, count, 0x1p-64) * 0x1p64;
}

enum duet_code stats_mean(const double *values, size_t count, double *ret_mean,
                          struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a mean needs at least one value");
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code == DUET_OK) {
        *ret_mean = mean_of(values, count);
    }
    return code;
}

enum duet_code stats_mean_geometric(const double *values, size_t count,
                                    double *ret_mean, struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a geometric mean needs at least one value");
    }
    struct stats_sum logs = {0};
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || values[i] <= 0.0) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "value %zu of %zu is %g; a geometric mean needs positive, finite values",
                i + 1, count, values[i]);
        }
        stats_sum_add(&logs, log(values[i]));
    }
    *ret_mean = exp(stats_sum_value(&logs) / (double)count);
    return DUET_OK;
}

enum duet_code stats_centre(const double *values, size_t count, double *ret_centred,
                            struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a mean needs at least one value");
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double scale = stats_power_scale(values, count);
    double mean = scaled_mean(values, count, scale);
    struct stats_sum rest = {0}; /* what the mean's own rounding leaves in each */
    for (size_t i = 0; i < count; i++) {
        ret_centred[i] = values[i] * scale - mean;
        stats_sum_add(&rest, ret_centred[i]);
    }
    double off = stats_sum_value(&rest) / (double)count;
    for (size_t i = 0; i < count; i++) {
        ret_centred[i] -= off;
    }
    return DUET_OK;
}

/* Sum of squared deviations from the mean; two passes, the second corrected. */
static double squares_about(const double *values, size_t count, double scale,
                            double mean)
{
    struct stats_sum squares = {0};
    struct stats_sum deviations = {0};
    for (size_t i = 0; i < count; i++) {
        double deviation = values[i] * scale - mean;
        stats_sum_add(&squares, deviation * deviation);
        stats_sum_add(&deviations, deviation);
    }
    double off = stats_sum_value(&deviations);
    return fmax(stats_sum_value(&squares) - off * off / (double)count, 0.0);
}

enum duet_code stats_sd_sample(const double *values, size_t count, double *ret_sd,
                               struct duet_error *reterr)
{
    if (count < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a sample standard deviation needs at least 2 values, got %zu",
                         count);
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double scale = stats_power_scale(values, count); /* squares keep all digits */
    double mean = scaled_mean(values, count, scale);
    double squares = squares_about(values, count, scale, mean);
    double sd = sqrt(squares / (double)(count - 1)) / scale;
    if (!isfinite(sd)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the standard deviation is larger than any number; take a larger unit");
    }
    *ret_sd = sd;
    return DUET_OK;
}

bool stats_is_constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (values[i] < values[0] || values[i] > values[0]) {
            return false;
        }
    }
    return true;
}
