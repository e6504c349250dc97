#include "stats/student.h"

#include "stats/beta.h"
#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* ln(Gamma(a + 1/2) / Gamma(a)). For large a the two logarithms are huge and their
 * difference small: the series in 1/a keeps its digits. */
static double log_gamma_half_step(double a)
{
    if (a < 20.0) {
        int sign = 0;
        return lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign);
    }
    double u = 1.0 / (a * a);
    double series =
        1.0 / 8.0 - u * (1.0 / 192.0 - u * (1.0 / 640.0 - u * (17.0 / 14336.0 -
                                                               u * (31.0 / 18432.0))));
    return 0.5 * log(a) - series / a;
}

/* ln B(a, 1/2) = ln Gamma(1/2) - ln(Gamma(a + 1/2) / Gamma(a)) */
static double log_beta_half(double a)
{
    return 0.5 * log(M_PI) - log_gamma_half_step(a);
}

/* ln(1 + t^2 / degrees): exact where that is small, and beyond where it overflows. */
static double log_growth(double t, double degrees)
{
    double ratio = t * t / degrees;
    return isfinite(ratio) ? log1p(ratio) : 2.0 * log(t) - log(degrees);
}

/* P(0 < T < t) and P(T > t): the smaller is computed, the other one what is left. */
struct halves {
    double inner;
    double tail;
};

static struct halves split_at(double t, double degrees)
{
    double a = degrees / 2.0;
    double root = t / sqrt(degrees);
    double ratio = root * root;
    double x = 1.0 / (1.0 + ratio);
    double y = ratio > 0.0 ? 1.0 / (1.0 + 1.0 / ratio) : 0.0;
    if (t <= 0.0) {
        return (struct halves){0.0, 0.5};
    }
    /* ln y, ratio being too small for it or not. */
    double log_y = y > DBL_MIN ? log(y) : 2.0 * log(root);
    double front = exp(-a * log_growth(t, degrees) + 0.5 * log_y - log_beta_half(a));
    if (x < (a + 1.0) / (a + 2.5)) {
        double tail = 0.5 * front * stats_beta_fraction(x, a, 0.5) / a;
        return (struct halves){0.5 - tail, tail};
    }
    double inner = front * stats_beta_fraction(y, 0.5, a);
    return (struct halves){inner, 0.5 - inner};
}

double stats_t_p_value(double estimate, double error, double degrees)
{
    double distance = fabs(estimate);
    return distance > 0.0 ? 2.0 * split_at(distance / error, degrees).tail : 1.0;
}

static double density(double t, double degrees)
{
    double a = degrees / 2.0;
    return exp(-(a + 0.5) * log_growth(t, degrees) - log_beta_half(a) -
               0.5 * log(degrees));
}

/* How far Newton's method goes from t: on the logarithm of the tail, which is concave
 * and close to a line; near the middle, where the tail keeps no digits of t, on what
 * lies between. */
static double newton_step(double t, double tail, double degrees)
{
    struct halves reached = split_at(t, degrees);
    if (tail > 0.25) {
        return ((0.5 - tail) - reached.inner) / density(t, degrees);
    }
    return log(reached.tail / tail) * reached.tail / density(t, degrees);
}

/* The t with P(T > t) = tail, for tail < 1/2: Newton's method, kept inside a bracket by
 * bisection. Infinite where t is beyond a double. */
static double upper_quantile(double tail, double degrees)
{
    double low = 0.0;
    double high = 1.0;
    while (split_at(high, degrees).tail > tail) {
        low = high;
        high *= 2.0;
        if (!isfinite(high)) {
            return high;
        }
    }
    double t = 0.5 * (low + high);
    for (int i = 0; i < 2000; i++) {
        double step = newton_step(t, tail, degrees);
        if (step > 0.0) {
            low = t;
        } else {
            high = t;
        }
        double next = t + step;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        bool settled = fabs(next - t) <= 4.0 * DBL_EPSILON * t;
        t = next;
        if (settled || high - low <= 2.0 * DBL_EPSILON * high) {
            break;
        }
    }
    return t;
}

enum duet_code stats_t_quantile(double probability, double degrees,
                                double *ret_quantile, struct duet_error *reterr)
{
    if (!(probability > 0.0 && probability < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a probability must lie between 0 and 1, got %g", probability);
    }
    if (!(degrees > 0.0 && isfinite(degrees))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "degrees of freedom must be positive and finite, got %g",
                         degrees);
    }
    double quantile = 0.0;
    if (probability > 0.5) {
        quantile = upper_quantile(1.0 - probability, degrees);
    } else if (probability < 0.5) {
        quantile = -upper_quantile(probability, degrees);
    }
    if (!isfinite(quantile)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "Student's t at probability %g with %g degrees of freedom is larger than any number",
            probability, degrees);
    }
    *ret_quantile = quantile;
    return DUET_OK;
}

enum duet_code stats_t_interval(const double *values, size_t count, double level,
                                struct stats_interval *ret_interval,
                                struct duet_error *reterr)
{
    if (count < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a t interval needs at least two values, got %zu", count);
    }
    double mean = 0.0;
    double sd = 0.0;
    double t = 0.0;
    enum duet_code code = stats_mean(values, count, &mean, reterr);
    if (code == DUET_OK) {
        code = stats_sd_sample(values, count, &sd, reterr);
    }
    if (code == DUET_OK) {
        code = stats_t_quantile((1.0 + level) / 2.0, (double)(count - 1), &t, reterr);
    }
    if (code == DUET_OK) {
        double half = t * (sd / sqrt((double)count));
        if (!isfinite(mean - half) || !isfinite(mean + half)) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "the t interval ends beyond any number; take a larger unit");
        }
        *ret_interval = (struct stats_interval){mean - half, mean + half};
    }
    return code;
}

enum duet_code stats_t_detectable(double error, double degrees, double level,
                                  double power, double *ret_difference,
                                  struct duet_error *reterr)
{
    double excluding = 0.0;
    double missing = 0.0;
    enum duet_code code =
        stats_t_quantile((1.0 + level) / 2.0, degrees, &excluding, reterr);
    if (code == DUET_OK) {
        code = stats_t_quantile(power, degrees, &missing, reterr);
    }
    if (code == DUET_OK) {
        *ret_difference = (excluding + missing) * error;
    }
    return code;
}
