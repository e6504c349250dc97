/* Gaussian processes against dense inverses by numpy and against what must hold. */
#include "base/random.h"
#include "stats/regression/gaussian_process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gaussian_process_reference.h"
#include "nearly.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

enum { COUNT = 5, FEATURES = 2, MANY = 24, QUESTIONS = 3 };

static struct stats_lapack lapack;

static int load(void **state)
{
    (void)state;
    return stats_lapack_load(&lapack, NULL) == DUET_OK ? 0 : -1;
}

static const struct stats_gp_data reference = {reference_points, reference_values,
                                               COUNT, FEATURES};

static void test_reference(void **state)
{
    (void)state;
    size_t processes = sizeof reference_processes / sizeof *reference_processes;
    for (size_t p = 0; p < processes; p++) {
        const double *expected = reference_processes[p];
        struct stats_gp_kernel kernel = {{expected[0], expected[1]}, expected[2]};
        struct stats_gp *gp = NULL;
        assert_int_equal(stats_gp_new(&lapack, &reference, &kernel, &gp, NULL),
                         DUET_OK);
        assert_nearly(stats_gp_log_likelihood(gp), expected[3], 1e-12);
        for (size_t q = 0; q < QUESTIONS; q++) {
            double mean = 0.0;
            double variance = 0.0;
            stats_gp_predict(gp, reference_questions + q * FEATURES, &mean, &variance);
            assert_nearly(mean, expected[4 + q], 1e-12);
            assert_true(fabs(variance - expected[7 + q]) <= 1e-12);
        }
        stats_gp_free(gp);
    }
}

/* Two points a distance of r = 1 (in the covariance's terms) apart, by hand:
 * k = (1 + 1 + 1/3) / e, R^-1 = [1, -k; -k, 1] / (1 - k^2); mean 2 by symmetry,
 * s^2 = (y - m)' R^-1 (y - m) / 2 = 1 / (1 - k), log likelihood
 * -ln(2 pi s^2) - ln(1 - k^2) / 2 - 1; half-way the mean, and its variance is
 * s^2 (1 - 2 h^2 / (1 + k) + (1 - 2 h / (1 + k))^2 (1 + k) / 2), h at r = 1/2. */
static void test_two_points_by_hand(void **state)
{
    (void)state;
    const double points[] = {0.0, 1.0};
    const double values[] = {1.0, 3.0};
    const struct stats_gp_data data = {points, values, 2, 1};
    const struct stats_gp_kernel kernel = {{sqrt(5.0)}, 0.0};
    const double k = (2.0 + 1.0 / 3.0) * exp(-1.0);
    const double h = (1.5 + 0.25 / 3.0) * exp(-0.5);
    const double half_way = 0.5;
    const double variance_here = 1.0 / (1.0 - k);
    struct stats_gp *gp = NULL;
    double mean = 0.0;
    double variance = 0.0;
    assert_int_equal(stats_gp_new(&lapack, &data, &kernel, &gp, NULL), DUET_OK);
    assert_nearly(stats_gp_log_likelihood(gp),
                  -log(2.0 * acos(-1.0) * variance_here) - 0.5 * log(1.0 - k * k) - 1.0,
                  1e-13);
    stats_gp_predict(gp, &half_way, &mean, &variance);
    assert_nearly(mean, 2.0, 1e-14);
    double gap = 1.0 - 2.0 * h / (1.0 + k);
    assert_nearly(variance,
                  variance_here *
                      (1.0 - 2.0 * h * h / (1.0 + k) + gap * gap * (1.0 + k) / 2.0),
                  1e-12);
    stats_gp_free(gp);
}

/* A smooth function at random places. */
static double hills(const double *point)
{
    return 10.0 + sin(3.0 * point[0]) + point[1] * point[1];
}

static void fill(double *points, double *values, size_t count, uint64_t which)
{
    struct random_stream stream = random_stream_at(7, which);
    for (size_t i = 0; i < count; i++) {
        points[2 * i] = random_uniform(&stream);
        points[2 * i + 1] = random_uniform(&stream);
        values[i] = hills(points + 2 * i);
    }
}

static void test_without_noise_it_goes_through_the_data(void **state)
{
    (void)state;
    double points[2 * MANY];
    double values[MANY];
    const struct stats_gp_kernel kernel = {{0.5, 0.8}, 0.0};
    const struct stats_gp_data data = {points, values, MANY, 2};
    struct stats_gp *gp = NULL;
    fill(points, values, MANY, 0);
    assert_int_equal(stats_gp_new(&lapack, &data, &kernel, &gp, NULL), DUET_OK);
    for (size_t i = 0; i < MANY; i++) {
        const double beside[] = {points[2 * i] + 0.05, points[2 * i + 1]};
        const double away[] = {points[2 * i] + 5.0, points[2 * i + 1]};
        double mean = 0.0;
        double variances[3] = {0.0, 0.0, 0.0};
        stats_gp_predict(gp, points + 2 * i, &mean, &variances[0]);
        assert_nearly(mean, values[i], 1e-9);
        stats_gp_predict(gp, beside, NULL, &variances[1]);
        stats_gp_predict(gp, away, NULL, &variances[2]);
        assert_true(variances[0] < 1e-6 * variances[1]);
        assert_true(variances[1] < variances[2]);
    }
    stats_gp_free(gp);
}

static void test_a_value_shrinks_the_variance_at_its_point(void **state)
{
    (void)state;
    double points[2 * MANY];
    double values[MANY];
    const struct stats_gp_kernel kernel = {{0.5, 0.8}, 0.1};
    double last = (double)INFINITY;
    fill(points, values, MANY, 1);
    /* With the same s^2, which the likelihood does not keep: in its units. */
    for (size_t count = 2; count <= MANY; count++) {
        const struct stats_gp_data data = {points, values, count, 2};
        const double far[] = {1e6, 1e6};
        struct stats_gp *gp = NULL;
        double here = 0.0;
        double there = 0.0;
        assert_int_equal(stats_gp_new(&lapack, &data, &kernel, &gp, NULL), DUET_OK);
        stats_gp_predict(gp, points, NULL, &here);
        stats_gp_predict(gp, far, NULL, &there);
        assert_true(here > 0.0 && here < 0.15 * there);
        assert_true(here / there < last + 0.02);
        last = here / there;
        stats_gp_free(gp);
    }
}

static void test_fit_is_the_likeliest(void **state)
{
    (void)state;
    for (int one_length = 0; one_length < 2; one_length++) {
        double points[2 * MANY];
        double values[MANY];
        const struct stats_gp_data data = {points, values, MANY, 2};
        struct stats_gp *best = NULL;
        fill(points, values, MANY, 2);
        assert_int_equal(stats_gp_fit(&lapack, &data, one_length == 1, &best, NULL),
                         DUET_OK);
        const struct stats_gp_kernel *fitted = stats_gp_kernel_of(best);
        for (int change = 0; change < 6; change++) {
            struct stats_gp_kernel kernel = *fitted;
            double factor = change % 2 == 0 ? 1.1 : 1.0 / 1.1;
            kernel.lengths[0] *= change / 2 == 0 || one_length == 1 ? factor : 1.0;
            kernel.lengths[1] *= change / 2 == 1 || one_length == 1 ? factor : 1.0;
            kernel.noise *= change / 2 == 2 ? factor : 1.0;
            struct stats_gp *other = NULL;
            if (kernel.noise < 1e-8) {
                continue; /* the fit may not go there */
            }
            assert_int_equal(stats_gp_new(&lapack, &data, &kernel, &other, NULL),
                             DUET_OK);
            assert_true(stats_gp_log_likelihood(other) <
                        stats_gp_log_likelihood(best) + 1e-6);
            stats_gp_free(other);
        }
        /* And it knows the function between the points. */
        const double inside[] = {0.45, 0.55};
        double mean = 0.0;
        stats_gp_predict(best, inside, &mean, NULL);
        assert_nearly(mean, hills(inside), 0.002);
        stats_gp_free(best);
    }
}

/* Units of features and values do not matter, nor does a feature that is the same
 * everywhere. */
static void test_units_do_not_matter(void **state)
{
    (void)state;
    double points[2 * MANY];
    double scaled[3 * MANY];
    double values[MANY];
    double moved[MANY];
    const double question[] = {0.3, 0.6};
    const double question_scaled[] = {300.0, 0.6 / 1024.0, 4.0};
    double means[2];
    double variances[2];
    struct stats_gp *gps[2] = {NULL, NULL};
    fill(points, values, MANY, 3);
    for (size_t i = 0; i < MANY; i++) {
        scaled[3 * i] = 1000.0 * points[2 * i];
        scaled[3 * i + 1] = points[2 * i + 1] / 1024.0;
        scaled[3 * i + 2] = 4.0;
        moved[i] = 8.0 * values[i];
    }
    const struct stats_gp_data plain = {points, values, MANY, 2};
    const struct stats_gp_data other = {scaled, moved, MANY, 3};
    assert_int_equal(stats_gp_fit(&lapack, &plain, true, &gps[0], NULL), DUET_OK);
    assert_int_equal(stats_gp_fit(&lapack, &other, true, &gps[1], NULL), DUET_OK);
    stats_gp_predict(gps[0], question, &means[0], &variances[0]);
    stats_gp_predict(gps[1], question_scaled, &means[1], &variances[1]);
    assert_nearly(means[1], 8.0 * means[0], 1e-5);
    assert_nearly(variances[1], 64.0 * variances[0], 0.05);
    stats_gp_free(gps[0]);
    stats_gp_free(gps[1]);
}

static void test_equal_values(void **state)
{
    (void)state;
    const double values[COUNT] = {3.0, 3.0, 3.0, 3.0, 3.0};
    const struct stats_gp_data data = {reference_points, values, COUNT, FEATURES};
    struct stats_gp *gp = NULL;
    double mean = 0.0;
    double variance = 0.0;
    assert_int_equal(stats_gp_fit(&lapack, &data, false, &gp, NULL), DUET_OK);
    stats_gp_predict(gp, reference_questions, &mean, &variance);
    assert_nearly(mean, 3.0, 1e-12);
    assert_true(variance >= 0.0 && variance < 1e-12);
    stats_gp_free(gp);
}

static void test_errors(void **state)
{
    (void)state;
    const double twins[] = {0.0, 0.0, 1.0};
    const double values[] = {1.0, 2.0, 3.0};
    const double unknown[] = {1.0, (double)NAN, 3.0};
    const struct stats_gp_kernel kernel = {{1.0}, 0.0};
    const struct stats_gp_kernel flat = {{0.0}, 0.0};
    const struct stats_gp_kernel noisy = {{1.0}, 0.01};
    struct stats_gp *gp = NULL;
    struct stats_gp_data data = {twins, values, 3, 1};
    assert_int_equal(stats_gp_new(&lapack, &data, &kernel, &gp, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_gp_new(&lapack, &data, &flat, &gp, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_gp_new(&lapack, &data, &noisy, &gp, NULL), DUET_OK);
    stats_gp_free(gp);
    gp = NULL;
    data.values = unknown;
    assert_int_equal(stats_gp_fit(&lapack, &data, true, &gp, NULL), DUET_E_DOMAIN);
    data = (struct stats_gp_data){twins, values, 1, 1};
    assert_int_equal(stats_gp_fit(&lapack, &data, true, &gp, NULL), DUET_E_TOO_FEW);
    data.count = STATS_GP_POINTS_MAX + 1;
    assert_int_equal(stats_gp_fit(&lapack, &data, true, &gp, NULL), DUET_E_DOMAIN);
    data = (struct stats_gp_data){twins, values, 3, STATS_GP_FEATURES_MAX + 1};
    assert_int_equal(stats_gp_fit(&lapack, &data, true, &gp, NULL), DUET_E_DOMAIN);
    for (unsigned long n = 1; n <= 2; n++) {
        alloc_fail_at(n);
        assert_int_equal(stats_gp_fit(&lapack, &reference, true, &gp, NULL),
                         DUET_E_NOMEM);
        alloc_fail_at(0);
    }
    assert_null(gp);
    stats_gp_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_two_points_by_hand),
        cmocka_unit_test(test_without_noise_it_goes_through_the_data),
        cmocka_unit_test(test_a_value_shrinks_the_variance_at_its_point),
        cmocka_unit_test(test_fit_is_the_likeliest),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_equal_values),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
