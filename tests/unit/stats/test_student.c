#include "base/random.h"
#include "stats/gaussian.h"
#include "stats/student.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

enum { COUNT = sizeof reference_values / sizeof reference_values[0] };

static void test_p_value_agrees_with_mpmath(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference_t_tail / sizeof reference_t_tail[0]; i++) {
        const double *row = reference_t_tail[i];
        assert_nearly(stats_t_p_value(row[1], 1.0, row[0]), 2.0 * row[2], 1e-10);
        assert_true(stats_t_p_value(-3.0 * row[1], 3.0, row[0]) ==
                    stats_t_p_value(3.0 * row[1], 3.0, row[0]));
    }
    assert_true(stats_t_p_value(0.0, 1.0, 5.0) == 1.0);
    assert_true(stats_t_p_value(0.0, 0.0, 5.0) == 1.0);
    assert_true(stats_t_p_value(1e-9, 0.0, 5.0) == 0.0);
}

static void test_quantile_agrees_with_mpmath(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference_t_quantile / sizeof reference_t_quantile[0];
         i++) {
        const double *row = reference_t_quantile[i];
        double quantile = 0;
        assert_int_equal(stats_t_quantile(row[0], row[1], &quantile, NULL), DUET_OK);
        assert_nearly(quantile, row[2], 1e-10);
    }
}

static void test_quantile_is_the_inverse_of_the_tail(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(11, 0);
    for (int i = 0; i < 1000; i++) {
        double degrees = exp(random_uniform(&stream) * 12.0 - 0.5);
        double tail = exp(-random_uniform(&stream) * 30.0) * 0.49;
        double t = 0;
        assert_int_equal(stats_t_quantile(tail, degrees, &t, NULL), DUET_OK);
        assert_nearly(stats_t_p_value(t, 1.0, degrees), 2.0 * tail, 1e-11);
    }
}

static void test_quantile_is_odd_about_one_half(void **state)
{
    (void)state;
    double low = 0;
    double high = 0;
    double middle = 1;
    assert_int_equal(stats_t_quantile(0.25, 4.0, &low, NULL), DUET_OK);
    assert_int_equal(stats_t_quantile(0.75, 4.0, &high, NULL), DUET_OK);
    assert_int_equal(stats_t_quantile(0.5, 4.0, &middle, NULL), DUET_OK);
    assert_true(low == -high);
    assert_true(middle == 0.0);
}

static void test_interval_agrees_with_scipy(void **state)
{
    (void)state;
    struct stats_interval interval = {0};
    assert_int_equal(stats_t_interval(reference_values, COUNT, 0.99, &interval, NULL),
                     DUET_OK);
    assert_nearly(interval.low, reference_t_interval[0], 1e-12);
    assert_nearly(interval.high, reference_t_interval[1], 1e-12);
}

/* With one degree of freedom the distribution is Cauchy's: P(T > t) = atan(1 / t) / pi,
 * whose quantile at 1/2 + d is tan(pi d). */
static void test_far_tail_and_middle(void **state)
{
    (void)state;
    const double far[] = {1e10, 1e100, 1e160, 1e300};
    double t = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_nearly(stats_t_p_value(far[i], 1.0, 1.0), 2.0 / far[i] / M_PI, 1e-10);
        assert_int_equal(stats_t_quantile(1.0 / far[i], 1.0, &t, NULL), DUET_OK);
        assert_nearly(t, -far[i] / M_PI, 1e-10);
    }
    const double near[] = {0x1p-50, 0x1p-30, 0x1p-10};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(stats_t_quantile(0.5 + near[i], 1.0, &t, NULL), DUET_OK);
        assert_nearly(t, tan(M_PI * near[i]), 1e-12);
        assert_int_equal(stats_t_quantile(0.5 - near[i], 1.0, &t, NULL), DUET_OK);
        assert_nearly(t, -tan(M_PI * near[i]), 1e-12);
        /* The density is 1 / sqrt(2 pi) here. */
        double z = stats_gaussian_quantile(0.5 + near[i]);
        assert_nearly(z, near[i] * sqrt(2.0 * M_PI), i < 2 ? 1e-12 : 1e-5);
    }
    t = 42;
    assert_int_equal(stats_t_quantile(1e-300, 0.5, &t, NULL), DUET_E_DOMAIN);
    assert_true(t == 42);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    double t = 42;
    struct stats_interval interval = {42, 42};
    const double probabilities[] = {0.0, 1.0, -1.0, 2.0, (double)NAN};
    const double degrees[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(stats_t_quantile(probabilities[i], 3, &t, NULL),
                         DUET_E_DOMAIN);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stats_t_quantile(0.9, degrees[i], &t, NULL), DUET_E_DOMAIN);
    }
    assert_int_equal(stats_t_interval(reference_values, 1, 0.99, &interval, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_t_interval(reference_values, 5, 1.0, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_t_detectable(1, 3, 0.99, 1.0, &t, NULL), DUET_E_DOMAIN);
    assert_true(t == 42 && interval.low == 42);
}

/* What is announced as detectable is detected about nine times out of ten: 0.87 with
 * few values, as the approximation takes the standard error for known. */
static void test_detectable_difference_has_its_power(void **state)
{
    (void)state;
    enum { TRIALS = 4000, VALUES = 8 };
    double difference = 0;
    assert_int_equal(stats_t_detectable(1.0 / sqrt(VALUES), VALUES - 1, 0.99, 0.9,
                                        &difference, NULL),
                     DUET_OK);
    unsigned found = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct random_stream stream = random_stream_at(77, trial);
        double values[VALUES];
        for (size_t i = 0; i < VALUES; i++) {
            double radius = sqrt(-2.0 * log(random_uniform(&stream)));
            values[i] = difference + radius * cos(2.0 * M_PI * random_uniform(&stream));
        }
        struct stats_interval interval = {0};
        assert_int_equal(stats_t_interval(values, VALUES, 0.99, &interval, NULL),
                         DUET_OK);
        found += interval.low > 0.0;
    }
    double power = (double)found / TRIALS;
    assert_true(power > 0.85 && power < 0.92);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_p_value_agrees_with_mpmath),
        cmocka_unit_test(test_quantile_agrees_with_mpmath),
        cmocka_unit_test(test_quantile_is_the_inverse_of_the_tail),
        cmocka_unit_test(test_quantile_is_odd_about_one_half),
        cmocka_unit_test(test_interval_agrees_with_scipy),
        cmocka_unit_test(test_far_tail_and_middle),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_detectable_difference_has_its_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
