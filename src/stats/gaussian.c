#include "stats/gaussian.h"

#include <float.h>
#include <math.h>

double stats_gaussian_below(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Abramowitz and Stegun 26.2.23: absolute error below 4.5e-4. */
static double start(double tail)
{
    double t = sqrt(-2.0 * log(tail));
    double above = 2.515517 + t * (0.802853 + t * 0.010328);
    double below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    return t - above / below;
}

/* Halley's method on f = log(P(Z > z) / tail): f' = -hazard, f'' = hazard * (z -
 * hazard). */
static double step_in_tail(double z, double tail, double density)
{
    double reached = 0.5 * erfc(z * M_SQRT1_2);
    double hazard = density / reached;
    double step = log(reached / tail) / hazard;
    return step / (1.0 + 0.5 * step * (z - hazard));
}

/* Halley's method on f = (1/2 - tail) - P(0 < Z < z), which keeps the digits of a small
 * z: f' = -density, f'' = z * density. */
static double step_near_middle(double z, double tail, double density)
{
    double step = ((0.5 - tail) - 0.5 * erf(z * M_SQRT1_2)) / density;
    return step / (1.0 - 0.5 * step * z);
}

/* The z >= 0 with P(Z > z) = tail. */
static double upper(double tail)
{
    double z = start(tail);
    for (int i = 0; i < 20; i++) {
        double density = exp(-0.5 * z * z) / sqrt(2.0 * M_PI);
        double step = tail > 0.25 ? step_near_middle(z, tail, density)
                                  : step_in_tail(z, tail, density);
        z += step;
        if (fabs(step) <= 2.0 * DBL_EPSILON * fabs(z)) {
            break;
        }
    }
    return z;
}

double stats_gaussian_quantile(double probability)
{
    if (!(probability > 0.0)) {
        return -(double)INFINITY;
    }
    if (!(probability < 1.0)) {
        return (double)INFINITY;
    }
    if (probability == 0.5) {
        return 0.0;
    }
    return probability < 0.5 ? -upper(probability) : upper(1.0 - probability);
}
