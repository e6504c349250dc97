/* A split of a series: where, with which p value, and what is refused. */
#include "base/random.h"
#include "stats/gaussian.h"
#include "stats/history/level_split.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nearly.h"
#include "support/alloc_fail.h"

static const struct stats_split_options usual = {.replicates = 9999, .seed = 1};

static struct stats_split split_of(const double *values, size_t count)
{
    struct stats_split split = {0};
    struct duet_error error;
    if (stats_split_find(values, count, &usual, &split, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return split;
}

static void test_place_and_statistic(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 11, 12, 13};
    struct stats_split split = split_of(values, 6);
    assert_int_equal(split.at, 3);
    double sum = stats_gaussian_quantile(1.0 / 7) + stats_gaussian_quantile(2.0 / 7) +
                 stats_gaussian_quantile(3.0 / 7);
    assert_nearly(split.statistic, fabs(sum) / sqrt(1.5), 1e-12);
    assert_int_equal(split.block, 1);
    /* Of the 20 ways to choose three of six, two are as clear: there is one place. */
    assert_true(fabs(split.p_value - 0.1) < 0.02);
}

static void test_only_ranks_count(void **state)
{
    (void)state;
    const double values[] = {1, 3, 2, 1.5, 2.5, 7, 9, 8, 7.5, 8.5};
    double others[10];
    for (size_t i = 0; i < 10; i++) {
        others[i] = exp(3 * values[i]);
    }
    struct stats_split first = split_of(values, 10);
    struct stats_split second = split_of(others, 10);
    assert_int_equal(first.at, 5);
    assert_int_equal(second.at, 5);
    assert_true(first.p_value == second.p_value);
    assert_true(first.p_value < 0.03);
}

static void test_equal_values_have_no_split(void **state)
{
    (void)state;
    const double values[12] = {0};
    struct stats_split split = split_of(values, 12);
    assert_true(split.statistic == 0);
    assert_true(split.p_value == 1);
}

static void test_ends_keep_three(void **state)
{
    (void)state;
    double values[20];
    for (size_t i = 0; i < 20; i++) {
        values[i] = i == 19 ? 100 : (double)(i % 3);
    }
    struct stats_split split = split_of(values, 20);
    assert_in_range(split.at, STATS_SPLIT_LEAST, 17);
    assert_true(split.p_value > 0.05);
}

static void test_neighbours_that_follow_each_other_stay_together(void **state)
{
    (void)state;
    double values[200];
    struct random_stream stream = random_stream_at(3, 0);
    double last = 0;
    for (size_t i = 0; i < 200; i++) {
        last = 0.8 * last + stats_gaussian_quantile(random_uniform(&stream));
        values[i] = last;
    }
    struct stats_split split = split_of(values, 200);
    assert_in_range(split.block, 6, 25);
}

static void test_p_values_are_uniform(void **state)
{
    (void)state;
    enum { SERIES = 400, LENGTH = 30 };
    const struct stats_split_options few = {.replicates = 199, .seed = 5};
    size_t below = 0;
    for (uint64_t i = 0; i < SERIES; i++) {
        double values[LENGTH];
        struct random_stream stream = random_stream_at(9, i);
        struct stats_split split = {0};
        for (size_t k = 0; k < LENGTH; k++) {
            values[k] = random_uniform(&stream);
        }
        assert_int_equal(stats_split_find(values, LENGTH, &few, &split, NULL), DUET_OK);
        below += split.p_value <= 0.1;
    }
    assert_in_range(below, 15, 65); /* 40 are expected, with a deviation of 6 */
}

static void test_errors(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, (double)NAN};
    struct stats_split split = {.at = 77};
    struct duet_error error = {0};
    assert_int_equal(stats_split_find(values, 5, &usual, &split, &error),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_split_find(values, 6, &usual, &split, &error),
                     DUET_E_DOMAIN);
    const double fine[] = {1, 2, 3, 4, 5, 6};
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        assert_int_equal(split.at, 77);
        alloc_fail_at(n);
        code = stats_split_find(fine, 6, &usual, &split, &error);
        alloc_fail_at(0);
        assert_true(n < 20);
    }
    assert_int_equal(code, DUET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_and_statistic),
        cmocka_unit_test(test_only_ranks_count),
        cmocka_unit_test(test_equal_values_have_no_split),
        cmocka_unit_test(test_ends_keep_three),
        cmocka_unit_test(test_neighbours_that_follow_each_other_stay_together),
        cmocka_unit_test(test_p_values_are_uniform),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
