/* The regularized incomplete beta function. */
#ifndef DUET_STATS_BETA_H
#define DUET_STATS_BETA_H

/* The continued fraction F of I_x(a, b) = x^a (1 - x)^b F / (a B(a, b)), for a, b > 0.
 * Converges fast for x < (a + 1) / (a + b + 2); elsewhere use I_x(a, b) = 1 -
 * I_{1-x}(b, a).
 * Source: DLMF 8.17.22, by the modified Lentz method (Thompson and Barnett 1986). */
double stats_beta_fraction(double x, double a, double b);

/* I_x(a, b) for a, b > 0 and x in [0, 1]. Relative error below 1e-10 for a and b up to
 * 10^5 (tests/oracle). */
double stats_beta_below(double x, double a, double b);

#endif
