/* The standard normal distribution. */
#ifndef DUET_STATS_GAUSSIAN_H
#define DUET_STATS_GAUSSIAN_H

/* P(Z <= z). Relative error below 1e-12 where it is at least 1e-300. */
double stats_gaussian_below(double z);

/* The z with P(Z <= z) = probability in (0, 1); -inf and inf at the ends. Relative
 * error below 1e-13. Source: the starting value by Abramowitz and Stegun 1964, 26.2.23,
 * then Halley's method on the logarithm of the tail. */
double stats_gaussian_quantile(double probability);

#endif
