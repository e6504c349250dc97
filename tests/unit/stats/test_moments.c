#include "stats/moments.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

enum { COUNT = sizeof reference_values / sizeof reference_values[0] };

static void test_means_agree_with_numpy(void **state)
{
    (void)state;
    double mean = 0;
    double geometric = 0;
    double sd = 0;
    assert_int_equal(stats_mean(reference_values, COUNT, &mean, NULL), DUET_OK);
    assert_int_equal(stats_mean_geometric(reference_values, COUNT, &geometric, NULL),
                     DUET_OK);
    assert_int_equal(stats_sd_sample(reference_values, COUNT, &sd, NULL), DUET_OK);
    assert_nearly(mean, reference_mean, 1e-14);
    assert_nearly(geometric, reference_gmean, 1e-14);
    assert_nearly(sd, reference_sd, 1e-14);
}

static void test_stream_agrees_with_two_passes(void **state)
{
    (void)state;
    struct stats_moments all = {0};
    struct stats_moments first = {0};
    struct stats_moments second = {0};
    for (size_t i = 0; i < COUNT; i++) {
        stats_moments_add(&all, reference_values[i]);
        stats_moments_add(i < 7 ? &first : &second, reference_values[i]);
    }
    stats_moments_merge(&first, &second);
    assert_nearly(all.mean, reference_mean, 1e-14);
    assert_nearly(stats_moments_sd_sample(&all), reference_sd, 1e-14);
    assert_nearly(first.mean, reference_mean, 1e-14);
    assert_nearly(stats_moments_sd_sample(&first), reference_sd, 1e-14);
    assert_true(first.count == COUNT);
    assert_true(first.min == all.min && first.max == all.max);
}

static void test_merging_with_nothing(void **state)
{
    (void)state;
    struct stats_moments none = {0};
    struct stats_moments one = {0};
    stats_moments_add(&one, 3.0);
    stats_moments_merge(&one, &none);
    assert_true(one.count == 1 && one.mean == 3.0);
    stats_moments_merge(&none, &one);
    assert_true(none.count == 1 && none.min == 3.0 && none.max == 3.0);
    assert_true(isnan(stats_moments_sd_sample(&one)));
}

/* 10^6 values 1e9 + {0, 1e-3, 2e-3}: they differ in the 12th digit. */
static void test_values_that_differ_far_behind_the_point(void **state)
{
    (void)state;
    enum { MANY = 999999 };
    const double base = 1e9;
    const double step = 0x1p-10;
    struct stats_moments moments = {0};
    struct stats_sum sum = {0};
    for (int i = 0; i < MANY; i++) {
        stats_moments_add(&moments, base + step * (i % 3));
        stats_sum_add(&sum, base + step * (i % 3));
    }
    double sd = step * sqrt(2.0 / 3.0 * MANY / (MANY - 1.0));
    assert_nearly(stats_moments_sd_sample(&moments), sd, 1e-12);
    /* Merged, too: a mean in one part would leave the spread 5 digits. */
    struct stats_moments parts[2] = {{0}};
    for (int i = 0; i < MANY; i++) {
        stats_moments_add(&parts[i % 7 == 0], 1e6 + 0x1p-20 * (i % 3));
    }
    stats_moments_merge(&parts[0], &parts[1]);
    assert_nearly(stats_moments_sd_sample(&parts[0]),
                  0x1p-20 * sqrt(2.0 / 3.0 * MANY / (MANY - 1.0)), 1e-10);
    assert_true(fabs(stats_sum_value(&sum) / MANY - (base + step)) <
                2.5e-7); /* 2 ulp */
}

static void test_sum_keeps_what_a_plain_one_loses(void **state)
{
    (void)state;
    struct stats_sum sum = {0};
    const double terms[] = {1.0, 1e100, 1.0, -1e100};
    for (size_t i = 0; i < 4; i++) {
        stats_sum_add(&sum, terms[i]);
    }
    assert_true(stats_sum_value(&sum) == 2.0);
}

static void test_geometric_mean_does_not_overflow(void **state)
{
    (void)state;
    const double values[] = {1e300, 1e300, 1e-300, 1e-300};
    double mean = 0;
    assert_int_equal(stats_mean_geometric(values, 4, &mean, NULL), DUET_OK);
    assert_nearly(mean, 1.0, 1e-12);
}

/* Their squares are beyond what a double holds. */
static void test_extreme_magnitudes(void **state)
{
    (void)state;
    const double scales[] = {0x1p-1060, 0x1p-1000, 0x1p-600, 0x1p600, 0x1p1020};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const double values[] = {scales[i], 2.0 * scales[i], 3.0 * scales[i]};
        double result = 0;
        assert_int_equal(stats_mean(values, 3, &result, NULL), DUET_OK);
        assert_nearly(result / scales[i], 2.0, 1e-15);
        assert_int_equal(stats_sd_sample(values, 3, &result, NULL), DUET_OK);
        assert_nearly(result / scales[i], 1.0, 1e-15);
    }
    const double apart[] = {-1.7e308, 1.7e308};
    const double high[] = {1.7e308, 1.7e308};
    double result = 42;
    assert_int_equal(stats_sd_sample(apart, 2, &result, NULL), DUET_E_DOMAIN);
    assert_true(result == 42);
    assert_int_equal(stats_mean(high, 2, &result, NULL), DUET_OK);
    assert_true(result == 1.7e308);
}

static void test_bad_data_is_refused(void **state)
{
    (void)state;
    const double nan[] = {1.0, (double)NAN};
    const double infinite[] = {1.0, (double)INFINITY};
    const double zero[] = {1.0, 0.0};
    const double good[] = {1.0, 2.0};
    double result = 42;
    struct duet_error error = {0};
    assert_int_equal(stats_mean(good, 0, &result, &error), DUET_E_TOO_FEW);
    assert_int_equal(stats_mean(nan, 2, &result, &error), DUET_E_DOMAIN);
    assert_string_equal(error.message,
                        "value 2 of 2 is not a finite number (nan); remove it");
    assert_int_equal(stats_mean_geometric(good, 0, &result, &error), DUET_E_TOO_FEW);
    assert_int_equal(stats_mean_geometric(zero, 2, &result, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_mean_geometric(infinite, 2, &result, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_sd_sample(good, 1, &result, &error), DUET_E_TOO_FEW);
    assert_int_equal(stats_sd_sample(infinite, 2, &result, &error), DUET_E_DOMAIN);
    assert_true(result == 42);
}

static void test_constant_data_has_no_spread(void **state)
{
    (void)state;
    const double same[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    double sd = 1;
    assert_int_equal(stats_sd_sample(same, 5, &sd, NULL), DUET_OK);
    assert_true(sd < 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means_agree_with_numpy),
        cmocka_unit_test(test_stream_agrees_with_two_passes),
        cmocka_unit_test(test_merging_with_nothing),
        cmocka_unit_test(test_values_that_differ_far_behind_the_point),
        cmocka_unit_test(test_sum_keeps_what_a_plain_one_loses),
        cmocka_unit_test(test_extreme_magnitudes),
        cmocka_unit_test(test_geometric_mean_does_not_overflow),
        cmocka_unit_test(test_bad_data_is_refused),
        cmocka_unit_test(test_constant_data_has_no_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
