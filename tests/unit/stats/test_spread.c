/* Kernel densities, open and between two ends. */
#include "nearly.h"
#include "stats/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A density is one: not negative, and its area is 1, also where it ends at 0. */
static void densities_have_area_one(void **state)
{
    (void)state;
    double samples[][6] = {{1, 2, 3, 4, 5, 6},
                           {5, 5, 5, 5, 5, 5},
                           {1, 1, 1, 1, 1, 9},
                           {0, 0.1, 0.3, 0.4, 2, 3},
                           {-1, 0, 1, 2, 3, 4}};
    enum { POINTS = 400 };
    double at[POINTS];
    double density[POINTS];
    struct duet_error error = {0};
    for (size_t s = 0; s < sizeof samples / sizeof samples[0]; s++) {
        double area = 0;
        assert_int_equal(stats_density_of(samples[s], 6, POINTS, at, density, &error),
                         DUET_OK);
        assert_true(s == 4 ? at[0] < -1 : at[0] >= 0);
        for (size_t i = 0; i < POINTS; i++) {
            assert_true(density[i] >= 0);
            if (i > 0) {
                assert_true(at[i] > at[i - 1]);
                area += (at[i] - at[i - 1]) * (density[i] + density[i - 1]) / 2;
            }
        }
        assert_nearly(area, 1, 0.02);
    }
    assert_int_equal(stats_density_of(samples[0], 0, POINTS, at, density, &error),
                     DUET_E_TOO_FEW);
}

/* Whatever the values, what is mirrored at the ends makes the whole 1. */
static void mirrored_ends_keep_the_area(void **state)
{
    (void)state;
    enum { POINTS = 2001 };
    static double at[POINTS];
    static double density[POINTS];
    double ends[] = {0, 0, 0, 100};
    double middle[] = {40, 45, 50, 60, 61};
    double one[] = {0};
    const struct {
        double *values;
        size_t count;
    } cases[] = {{ends, 4}, {middle, 5}, {one, 1}};
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        assert_int_equal(stats_density_between(cases[c].values, cases[c].count, 0, 100,
                                               1, POINTS, at, density, NULL),
                         DUET_OK);
        for (size_t p = 0; p < POINTS; p++) {
            bool end = p == 0 || p + 1 == POINTS;
            sum += density[p] * (end ? 0.5 : 1.0) * 100 / (POINTS - 1);
            assert_true(density[p] >= 0);
        }
        assert_true(fabs(sum - 1) < 1e-3);
    }
    assert_true(at[0] >= 0 && fabs(at[POINTS - 1] - 100) < 1e-12);
    /* A single value at the end, bandwidth 1: twice the normal density at 0. */
    assert_true(fabs(density[0] - 2 * 0.398942280401432678) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_have_area_one),
        cmocka_unit_test(mirrored_ends_keep_the_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
