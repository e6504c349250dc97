/* Gaussian process regression: a smooth function of several features, from some of its
 * values (Rasmussen and Williams 2006, chapters 2 and 5; He 2021, s.V, and CherryPick
 * before it predict the performance of machines so). */
#ifndef DUET_STATS_GAUSSIAN_PROCESS_H
#define DUET_STATS_GAUSSIAN_PROCESS_H

#include "base/error.h"
#include "stats/regression/lapack.h"

#include <stdbool.h>
#include <stddef.h>

/* Up to this many points LAPACK works in the calling thread, whichever implementation
 * is installed (OpenBLAS shares matrices of 64 rows and more among threads, which
 * changes their last digits), so that results do not depend on threads. */
enum { STATS_GP_POINTS_MAX = 63, STATS_GP_FEATURES_MAX = 16 };

/* Borrowed. */
struct stats_gp_data {
    const double *points; /* count x features, by rows */
    const double *values; /* count */
    size_t count;
    size_t features;
};

/* The prior: a constant mean, and Matern's covariance of smoothness 5/2,
 * s^2 (1 + r + r^2 / 3) exp(-r) with r^2 = 5 sum of ((a_i - b_i) / lengths_i)^2;
 * values are the function plus independent noise of variance s^2 noise. */
struct stats_gp_kernel {
    double lengths[STATS_GP_FEATURES_MAX]; /* > 0, in the features' units */
    double noise;                          /* >= 0 */
};

struct stats_gp;

/* The process given the data. Its mean (by generalized least squares) and s^2 are those
 * that make the data likeliest. 2 to STATS_GP_POINTS_MAX points of 1 to
 * STATS_GP_FEATURES_MAX features. lapack: only for the call and those on *ret_gp.
 * O(count^3). Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (too many; not finite; kernel;
 * points so alike that their covariance has no inverse), DUET_E_NOMEM.
 * stats_gp_free() releases it. */
BASE_MUST_USE enum duet_code stats_gp_new(const struct stats_lapack *lapack,
                                          const struct stats_gp_data *data,
                                          const struct stats_gp_kernel *kernel,
                                          struct stats_gp **ret_gp,
                                          struct duet_error *reterr);

/* The same with the kernel that makes the data likeliest: from a grid of kernels the
 * STATS_GP_STARTS best, each improved by steps along the axes of the logarithms that
 * halve when none helps (Hooke and Jeeves 1961). Lengths lie within 0.05 and 20 times a
 * feature's range among the points, noise within 1e-8 and 10. one_length: all features
 * have the same multiple of their range; otherwise each has its own. A feature whose
 * range is 0 has no effect. Deterministic. Errors as above. */
enum { STATS_GP_STARTS = 2 };
BASE_MUST_USE enum duet_code stats_gp_fit(const struct stats_lapack *lapack,
                                          const struct stats_gp_data *data,
                                          bool one_length, struct stats_gp **ret_gp,
                                          struct duet_error *reterr);
void stats_gp_free(struct stats_gp *gp);

/* Of the function (without noise) at a point of as many features: posterior mean, and
 * variance, which allows for the mean's being estimated (universal kriging). ret_*:
 * NULL where not wanted. Safe in several threads at once. O(count^2). */
void stats_gp_predict(const struct stats_gp *gp, const double *point, double *ret_mean,
                      double *ret_variance);

/* Borrowed from the process. */
const struct stats_gp_kernel *stats_gp_kernel_of(const struct stats_gp *gp);
/* ln of the density of the values, at the mean and s^2 above. */
double stats_gp_log_likelihood(const struct stats_gp *gp);

#endif
