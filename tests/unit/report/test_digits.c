#include "unit/report/report_samples.h"

#include "report/digits.h"

static void assert_text(struct text *text, const char *expected)
{
    assert_string_equal(text_string(text), expected);
    text_release(text);
}

static void times_have_four_digits_and_fit_their_unit(void **state)
{
    (void)state;
    static const struct {
        double ns;
        double unit_ns;
        const char *expected;
    } cases[] = {{12.34e6, 0, "12.34 ms"},
                 {1.0211e9, 0, "1.021 s"},
                 {999.96e3, 0, "1.000 ms"},
                 {999.94e3, 0, "999.9 us"},
                 {0, 0, "0 ns"},
                 {17, 0, "17.00 ns"},
                 {3.6e12, 0, "3600 s"},
                 {12.34e6, 1e9, "0.01234 s"},
                 {12.34e6, 1, "12340000 ns"},
                 {-150, 0, "-150.0 ns"},
                 {(double)NAN, 0, "unknown"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        const struct report_style style = {.unit_ns = cases[i].unit_ns};
        report_time(&text, cases[i].ns, &style);
        assert_text(&text, cases[i].expected);
    }
    struct text text = {0};
    report_time(&text, 999.94e3, &(struct report_style){.unicode = true});
    assert_text(&text, "999.9 µs");
}

static void decimals_follow_the_spread(void **state)
{
    (void)state;
    assert_int_equal(digits_decimals(0.315, 9), 2);
    assert_int_equal(digits_decimals(0.0994, 9), 3);
    assert_int_equal(digits_decimals(0.09999, 9), 2); /* printed as 0.10 */
    assert_int_equal(digits_decimals(31, 9), 0);
    assert_int_equal(digits_decimals(3100, 9), 0);
    assert_int_equal(digits_decimals(1e-30, 5), 9);
    assert_int_equal(digits_decimals(0, 5), 5);
    assert_int_equal(digits_decimals((double)NAN, 5), 5);
    assert_int_equal(digits_decimals((double)INFINITY, 5), 5);
}

static void means_show_two_digits_of_their_deviation(void **state)
{
    (void)state;
    assert_int_equal(digits_time_decimals(1.0211e9, 13e6, 1e9), 3);
    assert_int_equal(digits_time_decimals(1.0211e9, (double)NAN, 1e9), 3);
    assert_int_equal(digits_time_decimals(1.0211e9, 0, 1e9), 3);
    /* A deviation far below the mean buys at most six digits of the mean. */
    assert_int_equal(digits_time_decimals(1.0211e9, 13, 1e9), 5);
    assert_int_equal(digits_time_decimals(1234e6, 567e6, 1e6), 0);
    assert_int_equal(digits_time_decimals((double)NAN, 1, 1), 0);
}

static void a_time_is_never_0(void **state)
{
    (void)state;
    assert_int_equal(digits_above_zero(0.139, 0), 1);
    assert_int_equal(digits_above_zero(0.5, 0), 1); /* printf rounds it to 0 */
    assert_int_equal(digits_above_zero(0.51, 0), 0);
    assert_int_equal(digits_above_zero(0.00012, 2), 4);
    assert_int_equal(digits_above_zero(12.0, 2), 2);
    assert_int_equal(digits_above_zero(0.0, 1), 1);
    assert_int_equal(digits_above_zero(1e-20, 1), 9);
    assert_int_equal(digits_above_zero((double)NAN, 1), 1);
}

static void changes_carry_their_sign(void **state)
{
    (void)state;
    struct text text = {0};
    digits_append_change(&text, 1.0302, 2);
    assert_text(&text, "+3.02");
    digits_append_change(&text, 0.99996, 2);
    assert_text(&text, "-0.00");
    digits_append_change(&text, 1, 2);
    assert_text(&text, "+0.00");
    digits_append_change(&text, (double)NAN, 2);
    assert_text(&text, "?");
}

static void short_numbers_and_levels(void **state)
{
    (void)state;
    struct text text = {0};
    digits_append_pct(&text, 0.008);
    assert_text(&text, "0.8 %");
    digits_append_pct(&text, 0.0083);
    assert_text(&text, "0.83 %");
    digits_append_pct(&text, 1.234);
    assert_text(&text, "120 %");
    digits_append_pct(&text, 0.0999);
    assert_text(&text, "10 %");
    digits_append_seen(&text, 0.0083);
    assert_text(&text, "0.83 %");
    digits_append_seen(&text, 54);
    assert_text(&text, "nothing below a doubling");
    digits_append_short(&text, 5.26);
    assert_text(&text, "5.3");
    digits_append_short(&text, 0);
    assert_text(&text, "0");
    digits_append_short(&text, 1e300);
    assert_int_equal(text.length, 301);
    text_release(&text);
    digits_append_short(&text, (double)INFINITY);
    assert_text(&text, "?");
    digits_append_level(&text, 0.99);
    assert_text(&text, "99 %");
    digits_append_level(&text, 0.995);
    assert_text(&text, "99.5 %");
    digits_append_level(&text, 1 - 0.01 / 3);
    assert_text(&text, "99.6667 %");
    digits_append_level(&text, 0.9999999); /* not "100 %" */
    assert_text(&text, "99.99999 %");
    digits_append_level(&text, 1);
    assert_text(&text, "100 %");
}

static void durations_in_whole_units(void **state)
{
    (void)state;
    struct text text = {0};
    digits_append_duration(&text, UINT64_C(7600000000));
    assert_text(&text, "8 s");
    digits_append_duration(&text, UINT64_C(59600000000));
    assert_text(&text, "1 min 0 s");
    digits_append_duration(&text, UINT64_C(7530000000000));
    assert_text(&text, "2 h 5 min");
    digits_append_duration(&text, UINT64_MAX);
    assert_text(&text, "5124095 h 34 min");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_four_digits_and_fit_their_unit),
        cmocka_unit_test(decimals_follow_the_spread),
        cmocka_unit_test(means_show_two_digits_of_their_deviation),
        cmocka_unit_test(a_time_is_never_0),
        cmocka_unit_test(changes_carry_their_sign),
        cmocka_unit_test(short_numbers_and_levels),
        cmocka_unit_test(durations_in_whole_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
