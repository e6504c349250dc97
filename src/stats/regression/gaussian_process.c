#include "stats/regression/gaussian_process.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/regression/gaussian_process_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586;
/* s^2 of values that are all alike, as a share of their square: keeps the likelihood
 * finite. */
static const double variance_min = 1e-24;

static enum duet_code check_data(const struct stats_gp_data *data,
                                 struct duet_error *reterr)
{
    if (data->count < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a Gaussian process needs at least 2 points, got %zu",
                         data->count);
    }
    if (data->count > STATS_GP_POINTS_MAX || data->features == 0 ||
        data->features > STATS_GP_FEATURES_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a Gaussian process takes up to %d points of 1 to %d features, got %zu of %zu",
            STATS_GP_POINTS_MAX, STATS_GP_FEATURES_MAX, data->count, data->features);
    }
    enum duet_code code =
        stats_check_finite(data->points, data->count * data->features, reterr);
    return code == DUET_OK ? stats_check_finite(data->values, data->count, reterr)
                           : code;
}

static enum duet_code check_kernel(const struct stats_gp_kernel *kernel,
                                   size_t features, struct duet_error *reterr)
{
    bool right = kernel->noise >= 0.0 && isfinite(kernel->noise);
    for (size_t i = 0; i < features; i++) {
        right = right && kernel->lengths[i] > 0.0 && isfinite(kernel->lengths[i]);
    }
    return right ? DUET_OK
                 : error_set(reterr, DUET_E_DOMAIN,
                             "a kernel needs lengths above 0 and noise of at least 0");
}

enum duet_code gp_allocate(const struct stats_lapack *lapack,
                           const struct stats_gp_data *data, struct stats_gp **ret_gp,
                           struct duet_error *reterr)
{
    enum duet_code code = check_data(data, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t n = data->count;
    struct stats_gp *made = alloc_array(1, sizeof *made);
    double *room = alloc_array(n * (data->features + n + 3), sizeof *room);
    if (made == NULL || room == NULL) {
        free(made);
        free(room);
        return error_set(reterr, DUET_E_NOMEM, "no memory for a Gaussian process");
    }
    *made = (struct stats_gp){.lapack = *lapack,
                              .count = n,
                              .features = data->features,
                              .points = room,
                              .values = room + n * data->features,
                              .factor = room + n * (data->features + 1),
                              .weights = room + n * (data->features + 1 + n),
                              .ones = room + n * (data->features + 2 + n)};
    memcpy(made->points, data->points, n * data->features * sizeof *room);
    memcpy(made->values, data->values, n * sizeof *room);
    *ret_gp = made;
    return DUET_OK;
}

void stats_gp_free(struct stats_gp *gp)
{
    if (gp != NULL) {
        free(gp->points);
        free(gp);
    }
}

/* Matern's 5/2 correlation of the function at two points. */
static double correlation(const struct stats_gp *gp, const double *a, const double *b)
{
    double squares = 0.0;
    for (size_t i = 0; i < gp->features; i++) {
        double step = (a[i] - b[i]) / gp->kernel.lengths[i];
        squares += step * step;
    }
    double r = sqrt(5.0 * squares);
    /* Far apart r^2 may be infinite, and the product then unknown: it is 0. */
    return r > 700.0 ? 0.0 : (1.0 + r + r * r / 3.0) * exp(-r);
}

static bool factorize(struct stats_gp *gp)
{
    size_t n = gp->count;
    for (size_t column = 0; column < n; column++) {
        gp->factor[column * n + column] = 1.0 + gp->kernel.noise;
        for (size_t row = column + 1; row < n; row++) {
            gp->factor[column * n + row] =
                correlation(gp, gp->points + row * gp->features,
                            gp->points + column * gp->features);
        }
    }
    return gp->lapack.dpotrf(STATS_LAPACK_BY_COLUMNS, 'L', (int)n, gp->factor,
                             (int)n) == 0;
}

static bool solve(const struct stats_gp *gp, double *right)
{
    int n = (int)gp->count;
    return gp->lapack.dpotrs(STATS_LAPACK_BY_COLUMNS, 'L', n, 1, gp->factor, n, right,
                             n) == 0;
}

bool gp_condition(struct stats_gp *gp)
{
    size_t n = gp->count;
    double projected = 0.0; /* 1' R^-1 values */
    double squares = 0.0;   /* (values - mean)' R^-1 (values - mean) */
    double diagonal = 0.0;  /* half of ln det R */
    double largest = 0.0;
    if (!factorize(gp)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        gp->ones[i] = 1.0;
        diagonal += log(gp->factor[i * n + i]);
        largest = fmax(largest, fabs(gp->values[i]));
    }
    if (!solve(gp, gp->ones)) {
        return false;
    }
    gp->ones_sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        gp->ones_sum += gp->ones[i];
        projected += gp->ones[i] * gp->values[i];
    }
    gp->mean = projected / gp->ones_sum;
    for (size_t i = 0; i < n; i++) {
        gp->weights[i] = gp->values[i] - gp->mean;
    }
    if (!solve(gp, gp->weights)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        squares += gp->weights[i] * (gp->values[i] - gp->mean);
    }
    double least = variance_min * (largest > 0.0 ? largest * largest : 1.0);
    gp->variance = fmax(squares / (double)n, least);
    gp->log_likelihood = -0.5 * (double)n * (log(two_pi * gp->variance)) - diagonal -
                         0.5 * squares / gp->variance;
    return isfinite(gp->log_likelihood);
}

enum duet_code stats_gp_new(const struct stats_lapack *lapack,
                            const struct stats_gp_data *data,
                            const struct stats_gp_kernel *kernel,
                            struct stats_gp **ret_gp, struct duet_error *reterr)
{
    struct stats_gp *made = NULL;
    enum duet_code code = check_kernel(kernel, data->features, reterr);
    if (code == DUET_OK) {
        code = gp_allocate(lapack, data, &made, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    made->kernel = *kernel;
    if (!gp_condition(made)) {
        stats_gp_free(made);
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the covariance of %zu points has no inverse: some are the same, or almost; allow for noise",
            data->count);
    }
    *ret_gp = made;
    return DUET_OK;
}

void stats_gp_predict(const struct stats_gp *gp, const double *point, double *ret_mean,
                      double *ret_variance)
{
    double near[STATS_GP_POINTS_MAX];
    double mean = gp->mean;
    double gap = 1.0;
    double open = 1.0;
    int n = (int)gp->count;
    for (size_t i = 0; i < gp->count; i++) {
        near[i] = correlation(gp, point, gp->points + i * gp->features);
        mean += near[i] * gp->weights[i];
        gap -= near[i] * gp->ones[i];
    }
    if (ret_mean != NULL) {
        *ret_mean = mean;
    }
    if (ret_variance == NULL) {
        return;
    }
    /* The factor is of full rank, so that this cannot fail. */
    (void)gp->lapack.dtrtrs(STATS_LAPACK_BY_COLUMNS, 'L', 'N', 'N', n, 1, gp->factor, n,
                            near, n);
    for (size_t i = 0; i < gp->count; i++) {
        open -= near[i] * near[i];
    }
    *ret_variance = gp->variance * (fmax(open, 0.0) + gap * gap / gp->ones_sum);
}

const struct stats_gp_kernel *stats_gp_kernel_of(const struct stats_gp *gp)
{
    return &gp->kernel;
}

double stats_gp_log_likelihood(const struct stats_gp *gp)
{
    return gp->log_likelihood;
}
