/* Dominance of sorted samples against that of any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/rank/cliff.h"
#include "stats/rank/dominance_sorted.h"
#include "stats/rank/order.h"
#include "stats/rank/ranksum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values: whole numbers from 1 to `levels`, or no two alike when it is 0. */
static void draw(struct random_stream *stream, uint32_t levels, double shift,
                 double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = levels == 0 ? 1.0 + shift + random_uniform(stream)
                                : shift + 1.0 + (double)random_below(stream, levels);
    }
    stats_sort(values, count);
}

static void compare(const double *a, size_t a_count, double scale, const double *b,
                    size_t b_count)
{
    struct stats_dominance plain;
    double *scaled = malloc(a_count * sizeof *scaled);
    assert_non_null(scaled);
    for (size_t i = 0; i < a_count; i++) {
        scaled[i] = a[i] * scale;
    }
    assert_int_equal(stats_dominance_count(scaled, a_count, b, b_count, &plain, NULL),
                     DUET_OK);
    struct stats_sorted first = stats_sorted_of(a, a_count);
    struct stats_sorted second = stats_sorted_of(b, b_count);
    struct stats_dominance fast = stats_dominance_sorted(&first, scale, &second);
    assert_int_equal(fast.greater, plain.greater);
    assert_int_equal(fast.less, plain.less);
    assert_true(fast.tied == plain.tied);
    assert_true(fabs(fast.ties - plain.ties) <= 1e-12 * plain.ties);
    struct stats_ranksum slow_test;
    struct stats_ranksum fast_test;
    assert_int_equal(stats_ranksum_test(&plain, STATS_RANKSUM_NORMAL, &slow_test, NULL),
                     DUET_OK);
    assert_int_equal(stats_ranksum_test(&fast, STATS_RANKSUM_NORMAL, &fast_test, NULL),
                     DUET_OK);
    assert_true(fabs(fast_test.p_value - slow_test.p_value) <=
                1e-9 * slow_test.p_value);
    free(scaled);
}

static void test_as_the_plain_count(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 50, 129, 500, 1001};
    static const uint32_t levels[] = {0, 1, 3, 40, 5000};
    static const double scales[] = {1.0, 1.001, 1.05, 1.5, 2.0, 11.0, 0.5};
    struct random_stream stream = random_stream_at(5, 0);
    double a[1001];
    double b[1001];
    for (size_t n = 0; n < 8; n++) {
        for (size_t m = 0; m < 8; m++) {
            for (size_t l = 0; l < 5; l++) {
                for (size_t s = 0; s < 7; s++) {
                    draw(&stream, levels[l], 0.0, a, sizes[n]);
                    draw(&stream, levels[l], (double)(s % 2), b, sizes[m]);
                    compare(a, sizes[n], scales[s], b, sizes[m]);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_plain_count)};
    return cmocka_run_group_tests_name("dominance_sorted", tests, NULL, NULL);
}
