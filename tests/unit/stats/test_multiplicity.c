/* Adjusted p values and overlapping intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"
#include "stats/multiplicity.h"
#include "stats/overlap.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

/* R: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.2), method). */
static const double raw[] = {0.01, 0.04, 0.03, 0.005, 0.2};
enum { COUNT = sizeof raw / sizeof raw[0] };
static const double expected[][COUNT] = {
    {0.01, 0.04, 0.03, 0.005, 0.2},
    {0.05, 0.2, 0.15, 0.025, 1.0},
    {0.04, 0.09, 0.09, 0.025, 0.2},
    {0.025, 0.05, 0.05, 0.025, 0.2},
};

static void test_reference(void **state)
{
    (void)state;
    for (int method = 0; method <= STATS_MULTIPLICITY_BH; method++) {
        double adjusted[COUNT];
        assert_int_equal(stats_multiplicity_adjust((enum stats_multiplicity)method, raw,
                                                   COUNT, adjusted, NULL),
                         DUET_OK);
        for (size_t i = 0; i < COUNT; i++) {
            assert_nearly(adjusted[i], expected[method][i], 1e-14);
        }
    }
}

/* In place, with a test that could not be made. */
static void test_unknown(void **state)
{
    (void)state;
    for (int method = 0; method <= STATS_MULTIPLICITY_BH; method++) {
        double values[COUNT + 1];
        memcpy(values, raw, sizeof raw);
        values[COUNT] = values[0];
        values[0] = (double)NAN;
        assert_int_equal(stats_multiplicity_adjust((enum stats_multiplicity)method,
                                                   values, COUNT + 1, values, NULL),
                         DUET_OK);
        assert_true(isnan(values[0]));
        assert_nearly(values[COUNT], expected[method][0], 1e-14);
        assert_nearly(values[3], expected[method][3], 1e-14);
        assert_int_equal(stats_multiplicity_adjust((enum stats_multiplicity)method,
                                                   values, 0, values, NULL),
                         DUET_OK);
    }
}

static void test_errors(void **state)
{
    (void)state;
    const double wrong[] = {0.5, -0.1};
    double adjusted[2] = {7, 7};
    struct duet_error error;
    assert_int_equal(
        stats_multiplicity_adjust(STATS_MULTIPLICITY_HOLM, wrong, 2, adjusted, &error),
        DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "p value 2"));
    alloc_fail_at(1);
    assert_int_equal(
        stats_multiplicity_adjust(STATS_MULTIPLICITY_BH, raw, 2, adjusted, &error),
        DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_true(adjusted[0] > 6 && adjusted[1] > 6);
}

static void test_overlap(void **state)
{
    (void)state;
    struct stats_interval a = {1, 2};
    struct stats_interval inside = {1.2, 1.4};
    struct stats_interval touching = {2, 3};
    struct stats_interval apart = {2.5, 3};
    struct stats_interval unknown = {(double)NAN, 3};
    assert_true(stats_intervals_overlap(&a, &inside));
    assert_true(stats_intervals_overlap(&inside, &a));
    assert_true(stats_intervals_overlap(&a, &touching));
    assert_false(stats_intervals_overlap(&a, &apart));
    assert_false(stats_intervals_overlap(&apart, &a));
    assert_true(stats_intervals_overlap(&a, &unknown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
