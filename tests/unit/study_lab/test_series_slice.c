/* Which measurements of a series are for tests. */
#include "study/lab/series_slice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc_fail.h"

enum { POINTS = 10 };

static struct duet_error error;
static char name[] = "one";
static char group[] = "all";
static char benchmark[] = "sort";
static double values[POINTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/* A folder of one series. */
static enum duet_code slice(const struct series_slicing *slicing, size_t test_points,
                            struct study_series *ret_series)
{
    struct formats_series one = {.name = name,
                                 .group = group,
                                 .values = values,
                                 .count = POINTS,
                                 .test_points = test_points};
    const struct formats_series_folder folder = {.series = &one, .count = 1};
    struct study_series *series = NULL;
    enum duet_code code = series_slice_folder(slicing, &folder, &series, &error);
    if (code == DUET_OK) {
        *ret_series = series[0];
    }
    free(series);
    return code;
}

/* A table of one row. */
static enum duet_code slice_row(const struct series_slicing *slicing,
                                struct formats_configuration row,
                                struct study_configuration *ret_made)
{
    const struct formats_configuration_table table = {.rows = &row, .count = 1};
    struct study_configuration *made = NULL;
    enum duet_code code = series_slice_table(slicing, &table, &made, &error);
    if (code == DUET_OK) {
        *ret_made = made[0];
    }
    free(made);
    return code;
}

static void intervals_decide_where_nothing_else_does(void **state)
{
    (void)state;
    struct series_slicing slicing = {.points = 1.5, .intervals = 3};
    struct study_series series = {.count = 0};
    assert_int_equal(slice(&slicing, 0, &series), DUET_OK);
    assert_string_equal(series.name, "one");
    assert_string_equal(series.group, "all");
    assert_true(series.values == values && series.count == POINTS);
    assert_int_equal(series.test_points, 4);
    assert_true(series.interval == 1.5);
    slicing.intervals = 100; /* all there are */
    assert_int_equal(slice(&slicing, 0, &series), DUET_OK);
    assert_int_equal(series.test_points, POINTS);
}

static void test_points_stay(void **state)
{
    (void)state;
    const struct series_slicing slicing = {.intervals = 4};
    struct study_series series = {.count = 0};
    assert_int_equal(slice(&slicing, 6, &series), DUET_OK);
    assert_int_equal(series.test_points, 6);
    assert_true(series.interval == 1.5);
}

static void something_must_say_it(void **state)
{
    (void)state;
    const struct series_slicing slicing = {.intervals = 4};
    struct study_series series = {.count = 77};
    assert_int_equal(slice(&slicing, 0, &series), DUET_E_USAGE);
    assert_int_equal(series.count, 77);
    assert_non_null(strstr(error.message, "measurements of one make an interval"));
}

static struct formats_configuration row_of(size_t test_points, double truth)
{
    return (struct formats_configuration){.benchmark = benchmark,
                                          .name = name,
                                          .values = values,
                                          .count = POINTS,
                                          .test_points = test_points,
                                          .truth = truth};
}

static void the_rest_of_a_row_is_the_truth(void **state)
{
    (void)state;
    const struct series_slicing slicing = {.intervals = 2};
    const struct formats_configuration row = row_of(8, (double)NAN);
    struct study_configuration made = {.count = 0};
    assert_int_equal(slice_row(&slicing, row, &made), DUET_OK);
    assert_int_equal(made.count, 8);
    assert_true(made.truth == 9.5 && made.interval == 4.0);
    assert_ptr_equal(made.values, values);
}

static void a_row_may_tell_the_truth(void **state)
{
    (void)state;
    const struct series_slicing slicing = {.intervals = 2};
    const struct formats_configuration row = row_of(0, 3.0);
    struct study_configuration made = {.count = 0};
    assert_int_equal(slice_row(&slicing, row, &made), DUET_OK);
    assert_int_equal(made.count, POINTS);
    assert_true(made.truth == 3.0);
}

static void a_row_needs_enough(void **state)
{
    (void)state;
    struct study_configuration made = {.count = 77};
    struct series_slicing slicing = {.intervals = 2};
    struct formats_configuration row = row_of(POINTS + 1, (double)NAN);
    assert_int_equal(slice_row(&slicing, row, &made), DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "sort on one has 10 measurements"));
    row = row_of(POINTS, (double)NAN); /* nothing is left for the truth */
    assert_int_equal(slice_row(&slicing, row, &made), DUET_E_DOMAIN);
    row = row_of(4, (double)NAN); /* less than an interval */
    slicing.points = 5.0;
    assert_int_equal(slice_row(&slicing, row, &made), DUET_E_DOMAIN);
    slicing.points = 0.0;
    row = row_of(0, (double)NAN);
    assert_int_equal(slice_row(&slicing, row, &made), DUET_E_USAGE);
    assert_int_equal(made.count, 77);
}

static void an_allocation_may_fail(void **state)
{
    (void)state;
    const struct series_slicing slicing = {.intervals = 2};
    struct study_series series = {.count = 77};
    struct study_configuration made = {.count = 77};
    alloc_fail_at(1);
    assert_int_equal(slice(&slicing, 4, &series), DUET_E_NOMEM);
    alloc_fail_at(1);
    assert_int_equal(slice_row(&slicing, row_of(8, (double)NAN), &made), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_true(series.count == 77 && made.count == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_decide_where_nothing_else_does),
        cmocka_unit_test(test_points_stay),
        cmocka_unit_test(something_must_say_it),
        cmocka_unit_test(the_rest_of_a_row_is_the_truth),
        cmocka_unit_test(a_row_may_tell_the_truth),
        cmocka_unit_test(a_row_needs_enough),
        cmocka_unit_test(an_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
