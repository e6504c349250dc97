/* A step in values by generalised least squares. */
#include "nearly.h"
#include "stats/history/step_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { COUNT = 5 };
static const double values[COUNT] = {1, 2, 4, 3, 8};

/* Each value has its own variance and shares `common` with every other one. */
static void fit(double common, struct stats_step_fit *ret_fits)
{
    double covariances[COUNT * COUNT];
    for (size_t i = 0; i < COUNT * COUNT; i++) {
        covariances[i] = common + (i % (COUNT + 1) == 0 ? 0.25 : 0);
    }
    assert_int_equal(stats_step_fit_all(values, covariances, COUNT, ret_fits, NULL),
                     DUET_OK);
}

/* Then the best constants are the two means, and what all share falls out. */
static void alike_values_give_the_difference_of_means(void **state)
{
    (void)state;
    const double steps[COUNT] = {0, 4.25 - 1, 5 - 1.5, 5.5 - 7.0 / 3, 8 - 2.5};
    struct stats_step_fit fits[COUNT];
    for (int shared = 0; shared < 2; shared++) {
        fit(shared, fits);
        for (size_t k = 1; k < COUNT; k++) {
            double halves = 1.0 / (double)k + 1.0 / (double)(COUNT - k);
            assert_nearly(fits[k].step, steps[k], 1e-7);
            assert_nearly(fits[k].sd, 0.5 * sqrt(halves), 1e-7);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_values_give_the_difference_of_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
