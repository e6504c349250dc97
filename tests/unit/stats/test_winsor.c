#include "stats/winsor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct example {
    double values[5];
    size_t count;
    enum stats_winsor_rule rule;
    int replaced_at; /* -1: none */
    double by;
};

static const struct example examples[] = {
    /* 1.2 x max and min / 1.2 of the remaining are still inside */
    {{10, 11, 10, 13.2, 12}, 5, STATS_WINSOR_FACTOR, -1, 0},
    {{10, 11, 10, 14.41, 12}, 5, STATS_WINSOR_FACTOR, 3, 12},
    {{14.41, 11, 10, 12, 12}, 5, STATS_WINSOR_FACTOR, 0, 12},
    {{10, 11, 8.4, 12, 12}, 5, STATS_WINSOR_FACTOR, -1, 0},
    {{10, 11, 8.3, 12, 12}, 5, STATS_WINSOR_FACTOR, 2, 10},
    {{8.3, 10, 11, 12, 12}, 5, STATS_WINSOR_FACTOR, 0, 10},
    /* both ends: the one further away in logarithms */
    {{1, 10, 10, 10, 20}, 5, STATS_WINSOR_FACTOR, 0, 10},
    {{5, 10, 10, 10, 100}, 5, STATS_WINSOR_FACTOR, 4, 10},
    {{5, 10, 10, 10, 20}, 5, STATS_WINSOR_FACTOR, 4, 10},
    /* the same in the last digits: 4 units below, 3 above */
    {{0x1.e66p0, 0x1.e660000000004p0, 0x1.e660000000004p0, 0x1.e660000000007p0},
     4,
     STATS_WINSOR_RANGE,
     0,
     0x1.e660000000004p0},
    /* an outlier that comes twice has a neighbour */
    {{10, 10, 10, 90, 90}, 5, STATS_WINSOR_FACTOR, -1, 0},
    /* 20 % of the width of the remaining range: 2 beyond 10..20 */
    {{10, 20, 15, 22, 12}, 5, STATS_WINSOR_RANGE, -1, 0},
    {{10, 20, 15, 22.1, 12}, 5, STATS_WINSOR_RANGE, 3, 20},
    {{10, 20, 19, 7.9, 12}, 5, STATS_WINSOR_RANGE, 3, 10},
    {{10, 20, 19, 8.1, 12}, 5, STATS_WINSOR_RANGE, -1, 0},
    {{10, 10, 10, 10.5, 0}, 4, STATS_WINSOR_RANGE, 3, 10},
    /* constant data, and too few to tell */
    {{7, 7, 7, 7, 7}, 5, STATS_WINSOR_FACTOR, -1, 0},
    {{7, 7, 7, 7, 7}, 5, STATS_WINSOR_RANGE, -1, 0},
    {{1, 100}, 2, STATS_WINSOR_FACTOR, -1, 0},
    {{1}, 1, STATS_WINSOR_FACTOR, -1, 0},
    {{0}, 0, STATS_WINSOR_FACTOR, -1, 0},
    {{1, 100, 1}, 3, STATS_WINSOR_FACTOR, 1, 1},
};

static void test_examples(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        struct example example = examples[e];
        double expected[5];
        memcpy(expected, example.values, sizeof expected);
        if (example.replaced_at >= 0) {
            expected[example.replaced_at] = example.by;
        }
        bool replaced =
            stats_winsorize_one(example.values, example.count, example.rule);
        if (replaced != (example.replaced_at >= 0)) {
            print_error("example %zu\n", e);
        }
        assert_true(replaced == (example.replaced_at >= 0));
        assert_memory_equal(example.values, expected, sizeof expected);
    }
}

/* Another unit changes nothing. A power of two, so that no rounding interferes. */
static void test_scale_does_not_matter(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        struct example plain = examples[e];
        struct example scaled = examples[e];
        for (size_t i = 0; i < 5; i++) {
            scaled.values[i] *= 1024;
        }
        bool one = stats_winsorize_one(plain.values, plain.count, plain.rule);
        bool other = stats_winsorize_one(scaled.values, scaled.count, scaled.rule);
        assert_true(one == other);
        for (size_t i = 0; i < plain.count; i++) {
            assert_true(plain.values[i] * 1024 == scaled.values[i]);
        }
    }
}

/* Every order of five values gives the same values in that order. */
static void test_order_does_not_matter(void **state)
{
    (void)state;
    const double sorted[] = {5, 10, 11, 12, 20};
    for (int code = 0; code < 3125; code++) {
        double values[5];
        int seen = 0;
        for (int i = 0, rest = code; i < 5; i++, rest /= 5) {
            values[i] = sorted[rest % 5];
            seen |= 1 << (rest % 5);
        }
        if (seen != 31) {
            continue;
        }
        assert_true(stats_winsorize_one(values, 5, STATS_WINSOR_FACTOR));
        double sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += values[i];
        }
        assert_true(sum == 5 + 5 + 58 - 5 || sum == 10 + 10 + 11 + 12 + 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_scale_does_not_matter),
        cmocka_unit_test(test_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
