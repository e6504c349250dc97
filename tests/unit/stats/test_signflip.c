#include "base/random.h"
#include "stats/rank/signflip.h"
#include "support/alloc_fail.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

/* The test itself, by its definition: the share of sign patterns whose statistic is at
 * least that of the data. */
static double p_value(const double *values, size_t count, double theta)
{
    double observed = 0;
    for (size_t i = 0; i < count; i++) {
        observed += values[i] - theta;
    }
    size_t extreme = 0;
    for (size_t flips = 0; flips < (size_t)1 << count; flips++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            double deviation = values[i] - theta;
            sum += (flips >> i & 1U) != 0 ? -deviation : deviation;
        }
        extreme += fabs(sum) >= fabs(observed) * (1.0 - 1e-12);
    }
    return ldexp((double)extreme, -(int)count);
}

static void test_ends_are_where_the_test_begins_to_reject(void **state)
{
    (void)state;
    const double levels[] = {0.9, 0.95, 0.99};
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct random_stream stream = random_stream_at(8, trial);
        size_t count = 8 + random_below(&stream, 4);
        double level = levels[random_below(&stream, 3)];
        double values[12];
        for (size_t i = 0; i < count; i++) {
            values[i] = tan(3.0 * (random_uniform(&stream) - 0.5)); /* heavy tails */
        }
        struct stats_interval interval = {0};
        assert_int_equal(
            stats_signflip_interval(values, count, level, 0, 0, &interval, NULL),
            DUET_OK);
        double step = 1e-9 * (interval.high - interval.low);
        double alpha = 1.0 - level + 1e-12;
        assert_true(p_value(values, count, interval.low + step) > alpha);
        assert_true(p_value(values, count, interval.high - step) > alpha);
        assert_true(p_value(values, count, interval.low - step) <= alpha);
        assert_true(p_value(values, count, interval.high + step) <= alpha);
    }
}

static void test_interval_agrees_with_bisection(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference_signflip / sizeof reference_signflip[0];
         i++) {
        const double *row = reference_signflip[i];
        struct stats_interval interval = {0};
        assert_int_equal(stats_signflip_interval(reference_values, (size_t)row[0],
                                                 row[1], 0, 0, &interval, NULL),
                         DUET_OK);
        assert_nearly(interval.low, row[2], 1e-10);
        assert_nearly(interval.high, row[3], 1e-10);
    }
}

/* At 0.99 the ends of eight values are the extreme values themselves. */
static void test_eight_values(void **state)
{
    (void)state;
    const double values[] = {3, 1, 4, 1.5, 9, 2.6, 5, 3.5};
    struct stats_interval interval = {0};
    assert_int_equal(stats_signflip_interval(values, 8, 0.99, 0, 0, &interval, NULL),
                     DUET_OK);
    assert_true(interval.low == 1 && interval.high == 9);
}

static void test_too_few_values_are_an_error(void **state)
{
    (void)state;
    struct stats_interval interval = {42, 42};
    struct duet_error error = {0};
    assert_int_equal(stats_signflip_fewest(0.99), 8);
    assert_int_equal(stats_signflip_fewest(0.95), 6);
    assert_int_equal(stats_signflip_fewest(0.5), 2);
    assert_int_equal(stats_signflip_fewest(0.9375), 5);
    assert_int_equal(
        stats_signflip_interval(reference_values, 7, 0.99, 0, 0, &interval, &error),
        DUET_E_TOO_FEW);
    assert_string_equal(
        error.message,
        "a sign-flip interval of confidence 0.99 needs at least 8 values, got 7");
    assert_true(interval.low == 42);
}

static void test_interval_moves_stretches_and_turns_with_the_data(void **state)
{
    (void)state;
    const size_t counts[] = {9, 20, 23};
    for (size_t c = 0; c < 3; c++) {
        double moved[23];
        double turned[23];
        for (size_t i = 0; i < counts[c]; i++) {
            moved[i] = 4.0 * reference_values[i] - 7.0;
            turned[i] = -reference_values[i];
        }
        struct stats_interval plain = {0};
        struct stats_interval other = {0};
        assert_int_equal(stats_signflip_interval(reference_values, counts[c], 0.99, 1,
                                                 2, &plain, NULL),
                         DUET_OK);
        assert_int_equal(
            stats_signflip_interval(moved, counts[c], 0.99, 1, 2, &other, NULL),
            DUET_OK);
        assert_nearly(other.low, 4.0 * plain.low - 7.0, 1e-12);
        assert_nearly(other.high, 4.0 * plain.high - 7.0, 1e-12);
        assert_int_equal(
            stats_signflip_interval(turned, counts[c], 0.99, 1, 2, &other, NULL),
            DUET_OK);
        assert_nearly(other.low, -plain.high, 1e-14);
        assert_nearly(other.high, -plain.low, 1e-14);
    }
}

/* Twenty values can be had both ways only by adding one; with a value in the middle the
 * sampled interval must lie close to the exact one. */
static void test_sampled_interval_is_close_to_the_exact_one(void **state)
{
    (void)state;
    double values[21];
    double sum = 0;
    for (size_t i = 0; i < 20; i++) {
        values[i] = reference_values[i];
        sum += values[i];
    }
    values[20] = sum / 20;
    struct stats_interval exact = {0};
    struct stats_interval sampled = {0};
    assert_int_equal(stats_signflip_interval(values, 20, 0.99, 1, 0, &exact, NULL),
                     DUET_OK);
    assert_int_equal(stats_signflip_interval(values, 21, 0.99, 1, 0, &sampled, NULL),
                     DUET_OK);
    double width = exact.high - exact.low;
    assert_true(fabs(sampled.low - exact.low) < 0.05 * width);
    assert_true(fabs(sampled.high - exact.high) < 0.05 * width);
}

static void test_constant_data_has_no_width(void **state)
{
    (void)state;
    double values[25];
    for (size_t i = 0; i < 25; i++) {
        values[i] = 0.25;
    }
    struct stats_interval interval = {0};
    assert_int_equal(stats_signflip_interval(values, 10, 0.99, 0, 0, &interval, NULL),
                     DUET_OK);
    assert_true(interval.low == 0.25 && interval.high == 0.25);
    assert_int_equal(stats_signflip_interval(values, 25, 0.99, 0, 0, &interval, NULL),
                     DUET_OK);
    assert_true(interval.low == 0.25 && interval.high == 0.25);
}

static void test_bad_arguments_and_no_memory(void **state)
{
    (void)state;
    double values[25] = {0};
    values[7] = (double)NAN;
    struct stats_interval interval = {42, 42};
    assert_int_equal(stats_signflip_interval(values, 8, 0.99, 0, 0, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_signflip_interval(values, 8, 1.0, 0, 0, &interval, NULL),
                     DUET_E_DOMAIN);
    values[7] = 0;
    assert_int_equal(
        stats_signflip_interval(values, 25, 0.999999, 0, 0, &interval, NULL),
        DUET_E_DOMAIN);
    for (size_t count = 8; count <= 25; count += 17) {
        alloc_fail_at(1);
        assert_int_equal(
            stats_signflip_interval(values, count, 0.99, 0, 0, &interval, NULL),
            DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    assert_true(interval.low == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_are_where_the_test_begins_to_reject),
        cmocka_unit_test(test_interval_agrees_with_bisection),
        cmocka_unit_test(test_eight_values),
        cmocka_unit_test(test_too_few_values_are_an_error),
        cmocka_unit_test(test_interval_moves_stretches_and_turns_with_the_data),
        cmocka_unit_test(test_sampled_interval_is_close_to_the_exact_one),
        cmocka_unit_test(test_constant_data_has_no_width),
        cmocka_unit_test(test_bad_arguments_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
