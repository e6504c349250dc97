/* Where values and ticks lie on a picture's axis. */
#include "report/plot/plot_scale.h"
#include "unit/stats/nearly.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct plot_ruler ruler_of(enum plot_scale scale, double low, double high)
{
    return (struct plot_ruler){
        .scale = scale, .low = low, .high = high, .from = 100, .to = 300};
}

/* The labels of the ticks, with blanks between; minor ticks as dots. */
static void assert_ticks(const struct plot_ruler *ruler, size_t wanted,
                         const char *expected)
{
    struct plot_tick ticks[PLOT_TICKS_MAX];
    char found[1024] = "";
    size_t at = 0;
    size_t count = plot_ticks(ruler, wanted, ticks);
    for (size_t i = 0; i < count; i++) {
        assert_true(ticks[i].value >= ruler->low - 1e-6 * fabs(ruler->low));
        assert_true(ticks[i].value <= ruler->high + 1e-6 * fabs(ruler->high));
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%s", at > 0 ? " " : "",
                               ticks[i].label[0] != '\0' ? ticks[i].label : ".");
    }
    assert_string_equal(found, expected);
}

static void ticks_of_linear_axes(void **state)
{
    (void)state;
    static const struct {
        double low;
        double high;
        size_t wanted;
        const char *expected;
    } cases[] = {
        {0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {-0.3, 0.3, 6, "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3"},
        {0.998, 1.004, 5, "0.998 1.000 1.002 1.004"},
        {3, 97, 4, "20 40 60 80"},
        {0, 2.4e7, 3, "0 1e+07 2e+07"},
        {-5, 105, 0, "0 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct plot_ruler ruler = ruler_of(PLOT_LINEAR, cases[i].low, cases[i].high);
        assert_ticks(&ruler, cases[i].wanted, cases[i].expected);
    }
}

static void ticks_of_logarithmic_axes(void **state)
{
    (void)state;
    static const struct {
        double low;
        double high;
        size_t wanted;
        const char *expected;
    } cases[] = {
        {0.9, 110, 5, ". 1 . . . . . . . . 10 . . . . . . . . 100"},
        {0.9, 11, 6, ". 1 2 . . 5 . . . . 10"},
        {1e-9, 1e9, 4, ". . . . 1e-05 . . . . 1 . . . . 100000 . . . ."},
        {40, 110, 8, "40 50 60 70 80 90 100 110"},
        /* E-values of a hundred blocks and of a thousand: labels to the end. */
        {0.01, 1e92, 4, "1 1e+24 1e+48 1e+72"},
        {0.01, 1e301, 3, "1 1e+101 1e+202"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct plot_ruler ruler = ruler_of(PLOT_LOG, cases[i].low, cases[i].high);
        assert_ticks(&ruler, cases[i].wanted, cases[i].expected);
    }
    /* However far it reaches, labels stay few and the ticks fit. */
    struct plot_ruler wide = ruler_of(PLOT_LOG, 1e-300, 1e300);
    struct plot_tick ticks[PLOT_TICKS_MAX];
    size_t count = plot_ticks(&wide, 5, ticks);
    assert_true(count <= PLOT_TICKS_MAX);
}

static void values_to_pixels(void **state)
{
    (void)state;
    struct plot_ruler linear = ruler_of(PLOT_LINEAR, 0, 10);
    struct plot_ruler bent = ruler_of(PLOT_LOG, 1, 100);
    assert_nearly(plot_ruler_place(&linear, 0), 100, 1e-12);
    assert_nearly(plot_ruler_place(&linear, 2.5), 150, 1e-12);
    assert_nearly(plot_ruler_place(&linear, 20), 500, 1e-12);
    assert_nearly(plot_ruler_place(&bent, 10), 200, 1e-12);
    assert_true(isnan(plot_ruler_place(&bent, 0)));
    assert_true(isnan(plot_ruler_place(&bent, -1)));
    assert_true(isnan(plot_ruler_place(&linear, (double)NAN)));
    assert_nearly(plot_ruler_place(&linear, (double)INFINITY), 300, 0);
    assert_nearly(plot_ruler_place(&bent, (double)-INFINITY), 100, 0);
}

static void ranges_leave_a_margin(void **state)
{
    (void)state;
    struct plot_range range = PLOT_RANGE_EMPTY;
    struct plot_axis axis = {.scale = PLOT_LINEAR};
    struct plot_ruler ruler = {0};
    assert_true(plot_range_is_empty(&range));
    plot_range_add(&range, PLOT_LINEAR, (double)NAN);
    plot_range_add(&range, PLOT_LOG, -1);
    assert_true(plot_range_is_empty(&range));
    plot_ruler_set(&ruler, &axis, &range, false);
    assert_true(ruler.low < ruler.high);
    plot_range_add(&range, PLOT_LINEAR, 3);
    plot_ruler_set(&ruler, &axis, &range, false);
    assert_true(ruler.low < 3 && ruler.high > 3);
    plot_range_add(&range, PLOT_LINEAR, 5);
    plot_ruler_set(&ruler, &axis, &range, true);
    assert_nearly(ruler.low, 0, 0);
    assert_true(ruler.high > 5);
    axis.low = 1;
    axis.high = 2;
    plot_ruler_set(&ruler, &axis, &range, true);
    assert_nearly(ruler.low, 1, 0);
    assert_nearly(ruler.high, 2, 0);
    static const char *const names[] = {"a", "b", "c"};
    axis = (struct plot_axis){.categories = names, .category_count = 3};
    plot_ruler_set(&ruler, &axis, &range, false);
    assert_nearly(ruler.low, -0.5, 0);
    assert_nearly(ruler.high, 2.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_of_linear_axes),
        cmocka_unit_test(ticks_of_logarithmic_axes),
        cmocka_unit_test(values_to_pixels),
        cmocka_unit_test(ranges_leave_a_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
