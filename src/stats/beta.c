#include "stats/beta.h"

#include <float.h>
#include <math.h>

/* Far more than any degrees of freedom up to 10^9 take. */
enum { FRACTION_STEPS_MAX = 1000000 };

/* Even and odd parts advance together. */
double stats_beta_fraction(double x, double a, double b)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int i = 1; i < FRACTION_STEPS_MAX; i++) {
        double m = i;
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 + even * d;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = 1.0 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        result *= c * d;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + odd * d;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = 1.0 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        double step = c * d;
        result *= step;
        if (fabs(step - 1.0) < DBL_EPSILON) {
            break;
        }
    }
    return result;
}

double stats_beta_below(double x, double a, double b)
{
    if (!(x > 0.0)) {
        return 0.0;
    }
    if (!(x < 1.0)) {
        return 1.0;
    }
    int sign = 0;
    double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
    double front = exp(a * log(x) + b * log1p(-x) - log_beta);
    if (x < (a + 1.0) / (a + b + 2.0)) {
        return front * stats_beta_fraction(x, a, b) / a;
    }
    return 1.0 - front * stats_beta_fraction(1.0 - x, b, a) / b;
}
