#include "stats/history/step_fit.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* Below that share of the largest variance, rounding decides. */
static const double least_share = 1e-9;
static const double least_variance = 1e-14;

/* Cholesky's factor in the lower triangle, in place. A value that is known for certain
 * (the reference) gets a variance that does not matter. */
static void factorize(double *matrix, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, matrix[i * count + i]);
    }
    double ridge = fmax(least_variance, least_share * most);
    for (size_t i = 0; i < count; i++) {
        matrix[i * count + i] += ridge;
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * count + j];
            for (size_t k = 0; k < j; k++) {
                sum -= matrix[i * count + k] * matrix[j * count + k];
            }
            matrix[i * count + j] = i == j ? sqrt(fmax(sum, ridge * least_share))
                                           : sum / matrix[j * count + j];
        }
    }
}

/* L x = b in place, of which the first `zeros` are 0. */
static void solve(const double *factor, size_t count, size_t zeros, double *x)
{
    for (size_t i = zeros; i < count; i++) {
        for (size_t k = zeros; k < i; k++) {
            x[i] -= factor[i * count + k] * x[k];
        }
        x[i] /= factor[i * count + i];
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

enum duet_code stats_step_fit_all(const double *values, double *covariances,
                                  size_t count, struct stats_step_fit *ret_fits,
                                  struct duet_error *reterr)
{
    double *room = alloc_array(count, 4 * sizeof *room);
    if (room == NULL) {
        return error_no_memory(reterr);
    }
    double *ones = room;
    double *seen = room + count;
    double *behind = room + 2 * count; /* of the indicator i >= k */
    double *one = room + 3 * count;
    factorize(covariances, count);
    for (size_t i = 0; i < count; i++) {
        ones[i] = 1;
        seen[i] = values[i];
    }
    solve(covariances, count, 0, ones);
    solve(covariances, count, 0, seen);
    double all = dot(ones, ones, count);
    double mean = dot(ones, seen, count) / all;
    for (size_t k = count; k-- > 1;) {
        for (size_t i = 0; i < count; i++) {
            one[i] = i == k;
        }
        solve(covariances, count, k, one);
        for (size_t i = k; i < count; i++) {
            behind[i] += one[i];
        }
        double shared = dot(behind, ones, count);
        double information = dot(behind, behind, count) - shared * shared / all;
        ret_fits[k].sd = 1 / sqrt(information);
        ret_fits[k].step = (dot(behind, seen, count) - shared * mean) / information;
    }
    free(room);
    return DUET_OK;
}
