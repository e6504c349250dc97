#include "base/random.h"
#include "session/running_median.h"
#include "stats/rank/order.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 3 * RUNNING_MEDIAN_KEPT + 7 };

static double values[MANY];
static double copy[MANY];

/* In pieces of odd lengths. */
static void assert_median_of(size_t count)
{
    struct running_median median = {0};
    double expected = (double)NAN;
    for (size_t at = 0; at < count;) {
        size_t some = count - at < 40009 ? count - at : 40009;
        assert_int_equal(running_median_add(&median, values + at, some, NULL), DUET_OK);
        at += some;
    }
    assert_int_equal(median.filed > 0, count > RUNNING_MEDIAN_KEPT);
    memcpy(copy, values, count * sizeof *copy);
    (void)!stats_quantile_type7(copy, count, 0.5, &expected, NULL);
    double got = running_median_value(&median);
    assert_true(got == expected || (isnan(got) && isnan(expected)));
    running_median_release(&median);
}

static void many_have_the_median_of_all(void **state)
{
    (void)state;
    static const double spreads[] = {0.0, 1e-12, 0.01, 1.0, 200.0};
    static const size_t counts[] = {
        0, 1, 2, RUNNING_MEDIAN_KEPT, RUNNING_MEDIAN_KEPT + 1, MANY - 1, MANY};
    struct random_stream stream = random_stream_at(1, 2);
    for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
        for (size_t i = 0; i < MANY; i++) {
            values[i] = 1000.0 * exp(spreads[s] * (random_uniform(&stream) - 0.5));
        }
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            assert_median_of(counts[c]);
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        values[i] = i < MANY / 2 ? 5.0 : (double)i; /* ties at the middle */
    }
    assert_median_of(MANY);
}

/* A file that cannot be written: no median, and no error. */
static void lost_values_have_no_median(void **state)
{
    (void)state;
    struct running_median median = {0};
    assert_int_equal(running_median_add(&median, values, RUNNING_MEDIAN_KEPT, NULL),
                     DUET_OK);
    median.filed = 1;
    median.file = -1;
    assert_int_equal(running_median_add(&median, values, MANY, NULL), DUET_OK);
    assert_true(median.lost);
    assert_true(isnan(running_median_value(&median)));
    running_median_release(&median);
}

static void no_memory_is_an_error_or_no_median(void **state)
{
    (void)state;
    struct running_median median = {0};
    alloc_fail_at(1);
    assert_int_equal(running_median_add(&median, values, 10, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(running_median_add(&median, values, MANY, NULL), DUET_OK);
    for (unsigned long nth = 1; nth <= 3; nth++) {
        alloc_fail_at(nth);
        double got = running_median_value(&median);
        alloc_fail_at(0);
        assert_true(isnan(got));
    }
    running_median_release(&median);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_have_the_median_of_all),
        cmocka_unit_test(lost_values_have_no_median),
        cmocka_unit_test(no_memory_is_an_error_or_no_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
