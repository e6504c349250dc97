#include "stats/student.h"
#include "stats/welch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct stats_welch_group five = {
    .mean = 10.0, .variance = 0.25, .count = 5};
static const struct stats_welch_group nine = {
    .mean = 11.5, .variance = 1.0, .count = 9};

static struct stats_welch ratio_of(const struct stats_welch_group *from,
                                   const struct stats_welch_group *to, double level)
{
    struct stats_welch welch = {0};
    assert_int_equal(stats_welch_ratio(from, to, level, &welch, NULL), DUET_OK);
    return welch;
}

/* By hand: error^2 = 0.25 / 5 + 1 / 9, t = 1.5 / error at 4 degrees. */
static void test_statistic_and_degrees(void **state)
{
    (void)state;
    struct stats_welch welch = ratio_of(&five, &nine, 0.99);
    assert_true(fabs(welch.error - sqrt(0.05 + 1.0 / 9.0)) < 1e-15);
    assert_true(fabs(welch.degrees - 4.0) < 1e-15);
    assert_true(fabs(welch.p_value - stats_t_p_value(1.5, welch.error, 4.0)) < 1e-15);
}

/* By hand: Welch and Satterthwaite's degrees of freedom; none without any spread. */
static void test_estimated_degrees(void **state)
{
    (void)state;
    const struct stats_welch_group constant = {.mean = 10.0, .count = 5};
    struct stats_welch_test test = stats_welch_test_of(&five, &nine);
    double square = 0.05 + 1.0 / 9.0;
    double degrees = square * square / (0.0025 / 4.0 + 1.0 / 81.0 / 8.0);
    assert_true(fabs(test.degrees - degrees) < 1e-12);
    assert_true(fabs(test.p_value - stats_t_p_value(1.5, sqrt(square), degrees)) <
                1e-15);
    test = stats_welch_test_of(&constant, &constant);
    assert_true(test.error <= 0.0 && isnan(test.degrees) && isnan(test.p_value));
}

/* At an end the data is just significantly different from it. */
static void test_ends_are_where_the_test_turns(void **state)
{
    (void)state;
    struct stats_welch welch = ratio_of(&five, &nine, 0.99);
    const double ends[] = {welch.ratio.low, welch.ratio.high};
    double t = 0.0;
    assert_int_equal(stats_t_quantile(0.995, 4.0, &t, NULL), DUET_OK);
    for (size_t i = 0; i < 2; i++) {
        double error = sqrt(1.0 / 9.0 + ends[i] * ends[i] * 0.05);
        assert_true(fabs(fabs(11.5 - ends[i] * 10.0) / error - t) < 1e-9);
    }
    assert_true(welch.ratio.low < 1.15 && 1.15 < welch.ratio.high);
}

static void test_swapped_groups_give_the_inverse(void **state)
{
    (void)state;
    struct stats_welch forth = ratio_of(&five, &nine, 0.95);
    struct stats_welch back = ratio_of(&nine, &five, 0.95);
    assert_true(fabs(forth.ratio.low * back.ratio.high - 1.0) < 1e-12);
    assert_true(fabs(forth.ratio.high * back.ratio.low - 1.0) < 1e-12);
    assert_true(fabs(forth.p_value - back.p_value) < 1e-15);
}

static void test_excludes_1_exactly_when_significant(void **state)
{
    (void)state;
    for (double level = 0.5; level < 0.9995; level += 0.0007) {
        struct stats_welch welch = ratio_of(&five, &nine, level);
        assert_int_equal(welch.ratio.low > 1.0, welch.p_value < 1.0 - level);
    }
}

/* A mean that may as well be 0 bounds nothing: from above where it is the
 * denominator's, from below where it is the numerator's. */
static void test_ends_may_be_open(void **state)
{
    (void)state;
    const struct stats_welch_group wild = {.mean = 10.0, .variance = 50.0, .count = 3};
    struct stats_welch welch = ratio_of(&wild, &nine, 0.99);
    assert_true(isnan(welch.ratio.high) && !isnan(welch.ratio.low));
    welch = ratio_of(&nine, &wild, 0.99);
    assert_true(isnan(welch.ratio.low) && !isnan(welch.ratio.high));
    welch = ratio_of(&wild, &wild, 0.99);
    assert_true(isnan(welch.ratio.low) && isnan(welch.ratio.high));
    assert_true(welch.p_value >= 1.0);
}

static void test_equal_values(void **state)
{
    (void)state;
    struct stats_welch_group from = {.mean = 10.0, .count = 4};
    struct stats_welch_group to = {.mean = 11.0, .count = 4};
    struct stats_welch welch = ratio_of(&from, &to, 0.99);
    assert_true(isnan(welch.ratio.low) && isnan(welch.ratio.high));
    assert_true(fabs(welch.p_value - 2.0 / 70.0) < 1e-15);
    assert_int_equal(stats_welch_needed(&from, &to, 0.99), 5);
    from.count = to.count = 5;
    welch = ratio_of(&from, &to, 0.99);
    assert_true(fabs(welch.ratio.low - 1.1) < 1e-15);
    assert_true(fabs(welch.ratio.high - 1.1) < 1e-15);
    from.mean = to.mean;
    assert_true(ratio_of(&from, &to, 0.99).p_value >= 1.0);
    assert_int_equal(stats_welch_needed(&from, &to, 0.99), 0);
}

/* The fewest that are enough: with them the same means are told apart, with one less
 * they are not. */
static void test_needed_is_enough_and_no_more(void **state)
{
    (void)state;
    for (double away = 0.05; away < 5.0; away *= 1.7) {
        struct stats_welch_group from = {.mean = 10.0, .variance = 1.0, .count = 2};
        struct stats_welch_group to = {
            .mean = 10.0 + away, .variance = 0.5, .count = 2};
        size_t needed = stats_welch_needed(&from, &to, 0.99);
        assert_true(needed > 2);
        from.count = to.count = needed;
        assert_true(ratio_of(&from, &to, 0.99).p_value < 0.01);
        from.count = to.count = needed - 1;
        assert_true(ratio_of(&from, &to, 0.99).p_value >= 0.01);
    }
}

static void test_errors(void **state)
{
    (void)state;
    struct stats_welch welch = {0};
    struct stats_welch_group bad = five;
    bad.count = 1;
    assert_int_equal(stats_welch_ratio(&bad, &nine, 0.99, &welch, NULL),
                     DUET_E_TOO_FEW);
    bad = five;
    bad.mean = 0.0;
    assert_int_equal(stats_welch_ratio(&nine, &bad, 0.99, &welch, NULL), DUET_E_DOMAIN);
    bad = five;
    bad.variance = (double)NAN;
    assert_int_equal(stats_welch_ratio(&nine, &bad, 0.99, &welch, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_welch_ratio(&nine, &five, 1.0, &welch, NULL), DUET_E_DOMAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistic_and_degrees),
        cmocka_unit_test(test_estimated_degrees),
        cmocka_unit_test(test_ends_are_where_the_test_turns),
        cmocka_unit_test(test_swapped_groups_give_the_inverse),
        cmocka_unit_test(test_excludes_1_exactly_when_significant),
        cmocka_unit_test(test_ends_may_be_open),
        cmocka_unit_test(test_equal_values),
        cmocka_unit_test(test_needed_is_enough_and_no_more),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
