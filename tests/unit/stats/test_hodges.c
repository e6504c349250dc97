#include "stats/rank/hodges.h"
#include "stats/rank/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

enum { COUNT = 41, PAIRS = COUNT * (COUNT + 1) / 2 };

static void fill(double *values, size_t count, double scale, double shift)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = scale * floor(20.0 * sin(1.0 + 3.0 * (double)i)) + shift; /* ties */
    }
}

static void test_location_is_the_median_of_pairs(void **state)
{
    (void)state;
    double values[COUNT];
    double pairs[PAIRS];
    for (size_t count = 1; count <= COUNT; count++) {
        size_t made = 0;
        double expected = 0;
        double found = 0;
        fill(values, count, 0.37, 1.0);
        for (size_t i = 0; i < count; i++) {
            for (size_t j = i; j < count; j++) {
                pairs[made++] = 0.5 * (values[i] + values[j]);
            }
        }
        assert_int_equal(stats_quantile_type7(pairs, made, 0.5, &expected, NULL),
                         DUET_OK);
        assert_int_equal(stats_hodges_lehmann(values, count, &found, NULL), DUET_OK);
        assert_nearly(found, expected, 1e-15);
    }
}

static void test_shift_is_the_median_of_differences(void **state)
{
    (void)state;
    double from[COUNT];
    double to[COUNT];
    double pairs[COUNT * COUNT];
    for (size_t count = 1; count < COUNT; count++) {
        size_t made = 0;
        double expected = 0;
        double found = 0;
        fill(from, count, 0.37, 1.0);
        fill(to, COUNT, -0.41, 2.0);
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < COUNT; j++) {
                pairs[made++] = to[j] - from[i];
            }
        }
        assert_int_equal(stats_quantile_type7(pairs, made, 0.5, &expected, NULL),
                         DUET_OK);
        assert_int_equal(
            stats_hodges_lehmann_shift(from, count, to, COUNT, &found, NULL), DUET_OK);
        assert_nearly(found, expected, 1e-14);
    }
}

static void test_edges(void **state)
{
    (void)state;
    double found = 42;
    double odd[] = {1.0, (double)INFINITY};
    double large[] = {1.0, 1e308};
    assert_int_equal(stats_hodges_lehmann(odd, 0, &found, NULL), DUET_E_TOO_FEW);
    assert_int_equal(stats_hodges_lehmann(odd, 2, &found, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_hodges_lehmann(large, 2, &found, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_hodges_lehmann_shift(large, 1, odd, 0, &found, NULL),
                     DUET_E_TOO_FEW);
    assert_true(found == 42);
    double zeros[] = {0.0, -0.0, 0.0};
    assert_int_equal(stats_hodges_lehmann(zeros, 3, &found, NULL), DUET_OK);
    assert_true(found == 0.0);
    double tiny[] = {-5e-324, 5e-324, -1e300, 1e300};
    assert_int_equal(stats_hodges_lehmann(tiny, 4, &found, NULL), DUET_OK);
    assert_true(found == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_location_is_the_median_of_pairs),
        cmocka_unit_test(test_shift_is_the_median_of_differences),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
