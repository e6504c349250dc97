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

/* ln Gamma(z) less Stirling's (z - 1/2) ln z - z + ln(2 pi) / 2. DLMF 5.11.1. */
static double stirling_rest(double z)
{
    if (z < 10.0) {
        int sign = 0;
        return lgamma_r(z, &sign) - ((z - 0.5) * log(z) - z + 0.5 * log(2.0 * M_PI));
    }
    double u = 1.0 / (z * z);
    double series =
        1.0 / 12.0 -
        u * (1.0 / 360.0 -
             u * (1.0 / 1260.0 -
                  u * (1.0 / 1680.0 -
                       u * (1.0 / 1188.0 - u * (691.0 / 360360.0 - u / 156.0)))));
    return series / z;
}

/* x^a (1 - x)^b / B(a, b). The logarithms of the gamma functions are huge for large a
 * and b and cancel; with Stirling's formula they do so on paper. */
static double front_of(double x, double a, double b)
{
    double sum = a + b;
    double apart = x * sum - a;
    double first = apart > -0.5 * a ? a * log1p(apart / a) : a * log(x * sum / a);
    double second =
        apart < 0.5 * b ? b * log1p(-apart / b) : b * (log1p(-x) + log1p(a / b));
    double rest = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
    return sqrt(a / sum * b / (2.0 * M_PI)) * exp(first + second + rest);
}

double stats_beta_below(double x, double a, double b)
{
    if (!(x > 0.0)) {
        return 0.0;
    }
    if (!(x < 1.0)) {
        return 1.0;
    }
    double front = front_of(x, a, b);
    if (x < (a + 1.0) / (a + b + 2.0)) {
        return front * stats_beta_fraction(x, a, b) / a;
    }
    return 1.0 - front * stats_beta_fraction(1.0 - x, b, a) / b;
}
