/* Gains and distributions of widths. */
#include "study/study_widths.h"
#include "support/alloc_fail.h"
#include "unit/stats/nearly.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NONE ((double)NAN)

static const struct study_width rows[] = {
    {"cloud",
     "a",
     "spec",
     "one",
     {1, 9, 10, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
    {"cloud",
     "a",
     "spec",
     "two",
     {2, 50, 80, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
    {"cloud",
     "b",
     "spec",
     "one",
     {4, 4, 4, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
    {"cloud",
     "b",
     "java",
     "one",
     {5, NONE, 10, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
    {"metal",
     "c",
     "spec",
     "one",
     {NONE, 3, 3, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
    {"metal",
     "c",
     "spec",
     "two",
     {0, 3, 6, NONE, NONE, NONE},
     NONE,
     10,
     5,
     NONE,
     NONE,
     0,
     0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double gain(const char *group, const char *platform, const char *suite,
                   enum study_width_kind under, size_t workloads)
{
    const struct study_widths_filter filter = {group, platform, suite};
    struct duet_error error = {0};
    double result = 0;
    size_t found = 0;
    assert_int_equal(study_widths_gain(rows, ROWS, &filter, STUDY_WIDTH_STANDARD, under,
                                       &result, &found, &error),
                     DUET_OK);
    assert_int_equal(found, workloads);
    return result;
}

static void gains_are_geometric_means(void **state)
{
    (void)state;
    assert_nearly(gain(NULL, "a", "spec", STUDY_WIDTH_DUET, 2), 20, 1e-12);
    assert_nearly(gain("cloud", NULL, "spec", STUDY_WIDTH_DUET, 3), cbrt(400), 1e-12);
    assert_nearly(gain("cloud", NULL, NULL, STUDY_WIDTH_DUET, 4), pow(800, 0.25),
                  1e-12);
    assert_nearly(gain(NULL, "b", NULL, STUDY_WIDTH_SHUFFLED, 1), 1, 1e-12);
}

/* Unknown widths and those of 0, which have no logarithm, do not count. */
static void what_is_unknown_does_not_count(void **state)
{
    (void)state;
    assert_nearly(gain(NULL, NULL, "java", STUDY_WIDTH_DUET, 1), 2, 1e-12);
    const struct study_widths_filter metal = {"metal", NULL, NULL};
    struct duet_error error = {0};
    double result = 7;
    size_t found = 7;
    assert_int_equal(study_widths_gain(rows, ROWS, &metal, STUDY_WIDTH_STANDARD,
                                       STUDY_WIDTH_DUET, &result, &found, &error),
                     DUET_E_TOO_FEW);
    assert_nearly(result, 7, 0);
    assert_int_equal(found, 7);
    assert_non_null(strstr(error.message, "width"));
}

static void spreads_are_quantiles(void **state)
{
    (void)state;
    const struct study_widths_filter all = {NULL, NULL, NULL};
    const struct study_widths_filter none = {NULL, "nowhere", NULL};
    struct stats_spread spread;
    struct duet_error error = {0};
    assert_int_equal(
        study_widths_spread(rows, ROWS, &all, STUDY_WIDTH_DUET, &spread, &error),
        DUET_OK);
    assert_int_equal(spread.count, 4); /* 1, 2, 4, 5 */
    assert_nearly(spread.low, 1, 0);
    assert_nearly(spread.quarter_low, 1.75, 1e-12);
    assert_nearly(spread.median, 3, 1e-12);
    assert_nearly(spread.quarter_high, 4.25, 1e-12);
    assert_nearly(spread.high, 5, 0);
    assert_int_equal(
        study_widths_spread(rows, ROWS, &none, STUDY_WIDTH_DUET, &spread, &error),
        DUET_E_TOO_FEW);
    alloc_fail_at(1);
    enum duet_code code =
        study_widths_spread(rows, ROWS, &all, STUDY_WIDTH_DUET, &spread, &error);
    alloc_fail_at(0);
    assert_int_equal(code, DUET_E_NOMEM);
}

static void rows_by_how_much_slower_together(void **state)
{
    (void)state;
    const struct study_width some[] = {{.together_ratio = 1.1},
                                       {.together_ratio = NONE},
                                       {.together_ratio = 1.5},
                                       {.together_ratio = 0.9}};
    const struct study_width *order[4];
    study_widths_by_together(some, 4, order);
    assert_ptr_equal(order[0], &some[2]);
    assert_ptr_equal(order[1], &some[0]);
    assert_ptr_equal(order[2], &some[3]);
    assert_ptr_equal(order[3], &some[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_geometric_means),
        cmocka_unit_test(what_is_unknown_does_not_count),
        cmocka_unit_test(spreads_are_quantiles),
        cmocka_unit_test(rows_by_how_much_slower_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
