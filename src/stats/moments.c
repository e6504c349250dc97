#include "stats/moments.h"

#include <math.h>

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

void stats_moments_add(struct stats_moments *moments, double value)
{
    if (moments->count == 0) {
        *moments = (struct stats_moments){
            .count = 1, .mean = value, .min = value, .max = value};
        return;
    }
    moments->count++;
    double from_old_mean = value - moments->mean;
    moments->mean += from_old_mean / (double)moments->count;
    moments->squares += from_old_mean * (value - moments->mean);
    moments->min = fmin(moments->min, value);
    moments->max = fmax(moments->max, value);
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
    double apart = other->mean - moments->mean;
    moments->mean += apart * (added / (count + added));
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

double stats_moments_sd_population(const struct stats_moments *moments)
{
    return moments->count > 0 ? sqrt(moments->squares / (double)moments->count)
                              : (double)NAN;
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

static double mean_of(const double *values, size_t count)
{
    struct stats_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&sum, values[i]);
    }
    return stats_sum_value(&sum) / (double)count;
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
            return error_set(reterr, DUET_E_DOMAIN,
                             "value %zu of %zu is %g; a geometric mean needs positive, "
                             "finite values",
                             i + 1, count, values[i]);
        }
        stats_sum_add(&logs, log(values[i]));
    }
    *ret_mean = exp(stats_sum_value(&logs) / (double)count);
    return DUET_OK;
}

/* Sum of squared deviations from the mean; two passes, the second corrected. */
static double squares_about(const double *values, size_t count, double mean)
{
    struct stats_sum squares = {0};
    struct stats_sum deviations = {0};
    for (size_t i = 0; i < count; i++) {
        double deviation = values[i] - mean;
        stats_sum_add(&squares, deviation * deviation);
        stats_sum_add(&deviations, deviation);
    }
    double off = stats_sum_value(&deviations);
    return fmax(stats_sum_value(&squares) - off * off / (double)count, 0.0);
}

/* fewer: what the divisor is less than the count. */
static enum duet_code mean_and_sd(const double *values, size_t count, size_t fewer,
                                  double *ret_mean, double *ret_sd,
                                  struct duet_error *reterr)
{
    if (count <= fewer) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a %s standard deviation needs at least %zu value%s, got %zu",
                         fewer == 0 ? "population" : "sample", fewer + 1,
                         fewer == 0 ? "" : "s", count);
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code == DUET_OK) {
        *ret_mean = mean_of(values, count);
        *ret_sd =
            sqrt(squares_about(values, count, *ret_mean) / (double)(count - fewer));
    }
    return code;
}

enum duet_code stats_sd_sample(const double *values, size_t count, double *ret_sd,
                               struct duet_error *reterr)
{
    double mean = 0.0;
    return mean_and_sd(values, count, 1, &mean, ret_sd, reterr);
}

enum duet_code stats_sd_population(const double *values, size_t count, double *ret_sd,
                                   struct duet_error *reterr)
{
    double mean = 0.0;
    return mean_and_sd(values, count, 0, &mean, ret_sd, reterr);
}

enum duet_code stats_cv_sample(const double *values, size_t count, double *ret_cv,
                               struct duet_error *reterr)
{
    double mean = 0.0;
    double sd = 0.0;
    enum duet_code code = mean_and_sd(values, count, 1, &mean, &sd, reterr);
    if (code == DUET_OK && mean == 0.0) {
        code = error_set(reterr, DUET_E_DOMAIN,
                         "values whose mean is 0 have no coefficient of variation");
    }
    if (code == DUET_OK) {
        *ret_cv = sd / mean;
    }
    return code;
}
