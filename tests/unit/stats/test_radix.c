// labels: soakvalgrind
#include "stats/rank/radix.h"

#include "base/alloc.h"
#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Above and below what is sorted in one piece. */
enum { MANY = 1300000, SOME = 30000, KINDS = 7 };

static double value_of_kind(int kind, size_t i, struct random_stream *stream)
{
    double uniform = random_uniform(stream);
    switch (kind) {
    case 0:
        return 1.0 + uniform;
    case 1: /* of all sizes and both signs */
        return ldexp(uniform - 0.5, (int)random_below(stream, 2000) - 1000);
    case 2:
        return floor(3.0 * uniform);
    case 3: /* all but one are equal */
        return i == 17 ? -DBL_MAX : 42.0;
    case 4: /* differ in the last bits */
        return 1.0 + DBL_EPSILON * (double)random_below(stream, 5000);
    case 5:
        return (double)i;
    default:
        return uniform < 0.5 ? -0.0 : 0.0;
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    int order = (a > b) - (a < b);
    return order != 0 ? order : (signbit(b) != 0) - (signbit(a) != 0);
}

static void check_sorting(int kind, size_t count)
{
    struct random_stream stream = random_stream_at(7, (uint64_t)kind);
    struct duet_error error;
    double *values = alloc_array(count, sizeof *values);
    double *expected = alloc_array(count, sizeof *expected);
    assert_non_null(values);
    assert_non_null(expected);
    for (size_t i = 0; i < count; i++) {
        values[i] = value_of_kind(kind, i, &stream);
    }
    memcpy(expected, values, count * sizeof *values);
    qsort(expected, count, sizeof *expected, compare);
    assert_int_equal(stats_radix_sort(values, count, &error), DUET_OK);
    for (size_t i = 0; i < count; i++) {
        assert_true(values[i] == expected[i]);
    }
    free(values);
    free(expected);
}

static void test_sorts_values_of_every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t count = 1; count < SOME; count = count * 5 + 3) {
            check_sorting(kind, count);
        }
        check_sorting(kind, MANY);
    }
}

static void test_refuses_what_has_no_order(void **state)
{
    (void)state;
    struct duet_error error;
    double values[] = {1.0, (double)NAN, 0.0};
    assert_int_equal(stats_radix_sort(values, 3, &error), DUET_E_DOMAIN);
    assert_true(values[0] == 1.0 && values[2] == 0.0);
    assert_int_equal(stats_radix_sort(values, 0, &error), DUET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts_values_of_every_kind),
        cmocka_unit_test(test_refuses_what_has_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
