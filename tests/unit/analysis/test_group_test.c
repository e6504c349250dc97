/* Tests of two groups, and unpaired data without runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/group_test.h"
#include "analysis_data.h"
#include "support/alloc_fail.h"

#include <math.h>

/* `runs` runs; new is `ratio` times old. */
static struct model_values values_of(size_t runs, size_t iterations, double ratio)
{
    struct model_values values = {.run_count = runs};
    values.runs = calloc(runs, sizeof *values.runs);
    assert_non_null(values.runs);
    for (size_t r = 0; r < runs; r++) {
        data_fill((struct data){.runs = runs, .iterations = iterations, .ratio = ratio},
                  r, &values.runs[r]);
    }
    return values;
}

static struct model_test_result test_of(enum model_test test,
                                        const struct model_values *values)
{
    struct model_analysis options = model_analysis_default();
    struct model_test_result result;
    struct duet_error error = {0};
    if (analysis_group_test(test, values, &options, &result, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return result;
}

static void test_changes_are_found(void **state)
{
    (void)state;
    struct model_values slower = values_of(10, 20, 1.3);
    struct model_values same = values_of(10, 20, 1.0);
    struct model_test_result result = test_of(MODEL_TEST_RANKSUM, &slower);
    assert_true(result.change && result.delta > 0.33 && result.p_value < 1e-6);
    assert_true(result.delta_low < result.delta && result.delta < result.delta_high);
    assert_false(result.exact);
    assert_string_equal(result.magnitude, "large");
    result = test_of(MODEL_TEST_RANKSUM, &same);
    assert_false(result.change);
    assert_string_equal(result.magnitude, "negligible");
    result = test_of(MODEL_TEST_OVERLAP, &slower);
    assert_true(result.change);
    assert_true(result.high_ns[MODEL_OLD] < result.low_ns[MODEL_NEW]);
    assert_true(isnan(result.p_value));
    result = test_of(MODEL_TEST_OVERLAP, &same);
    assert_false(result.change);
    result = test_of(MODEL_TEST_NONE, &same);
    assert_int_equal(result.test, MODEL_TEST_NONE);
    model_values_release(&slower);
    model_values_release(&same);
}

static void test_swapped_sides(void **state)
{
    (void)state;
    struct model_values values = values_of(6, 9, 1.1);
    struct model_test_result forth = test_of(MODEL_TEST_RANKSUM, &values);
    for (size_t r = 0; r < values.run_count; r++) {
        double *old_values = values.runs[r].values[MODEL_OLD];
        values.runs[r].values[MODEL_OLD] = values.runs[r].values[MODEL_NEW];
        values.runs[r].values[MODEL_NEW] = old_values;
    }
    struct model_test_result back = test_of(MODEL_TEST_RANKSUM, &values);
    assert_true(fabs(forth.p_value - back.p_value) < 1e-12);
    assert_true(fabs(forth.delta + back.delta) < 1e-12);
    assert_true(fabs(forth.delta_low + back.delta_high) < 1e-12);
    model_values_release(&values);
}

/* One run a side: an interval only where it is declared to be the sample. */
static void test_data_without_runs(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct model_analysis options = model_analysis_default();
        options.iterations_alone = alone != 0;
        struct analysis *analysis = data_analysis(
            &options, false, (struct data){1, 400, 1.02, 0, 0, false, false, false});
        struct model_comparison comparison = {.name = "x"};
        assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
        assert_true(fabs(comparison.ratio - 1.02) < 0.002);
        if (alone != 0) {
            /* 5 % uniform noise: sd 1.4 %, of a mean of 400 0.07 %; two sides and
             * 2.58 standard errors to each end. */
            double width = comparison.interval.high - comparison.interval.low;
            assert_true(width > 0.003 && width < 0.008);
            assert_int_equal(comparison.verdict, MODEL_VERDICT_SLOWER);
            assert_true(comparison.could_have_seen > 0.001 &&
                        comparison.could_have_seen < 0.01);
        } else {
            assert_true(isnan(comparison.interval.low));
            assert_int_equal(comparison.verdict, MODEL_VERDICT_UNSURE);
        }
        analysis_free(analysis);
    }
}

static void test_errors(void **state)
{
    (void)state;
    struct model_values values = values_of(2, 3, 1.0);
    struct model_analysis options = model_analysis_default();
    struct model_test_result result = {.delta = 7};
    for (size_t r = 0; r < 2; r++) {
        values.runs[r].counts[MODEL_NEW] = 0;
    }
    for (int test = MODEL_TEST_RANKSUM; test < MODEL_TESTS; test++) {
        assert_int_equal(analysis_group_test((enum model_test)test, &values, &options,
                                             &result, NULL),
                         DUET_E_TOO_FEW);
    }
    for (size_t r = 0; r < 2; r++) {
        values.runs[r].counts[MODEL_NEW] = 3;
    }
    values.runs[1].values[MODEL_NEW][2] = (double)NAN;
    for (int test = MODEL_TEST_RANKSUM; test < MODEL_TESTS; test++) {
        assert_int_equal(analysis_group_test((enum model_test)test, &values, &options,
                                             &result, NULL),
                         DUET_E_DOMAIN);
    }
    assert_true(result.delta > 6);
    model_values_release(&values);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct model_values values = values_of(3, 4, 1.0);
    struct model_analysis options = model_analysis_default();
    for (int test = MODEL_TEST_RANKSUM; test < MODEL_TESTS; test++) {
        enum duet_code code = DUET_E_NOMEM;
        size_t failures = 0;
        for (unsigned long nth = 1; code != DUET_OK; nth++) {
            struct model_test_result result;
            alloc_fail_at(nth);
            code = analysis_group_test((enum model_test)test, &values, &options,
                                       &result, NULL);
            alloc_fail_at(0);
            assert_true(code == DUET_OK || code == DUET_E_NOMEM);
            failures += code == DUET_E_NOMEM;
        }
        /* The rank-sum test sorts its two copies of the values in place. */
        assert_true(failures >= (test == MODEL_TEST_RANKSUM ? 2 : 4));
    }
    model_values_release(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_are_found), cmocka_unit_test(test_swapped_sides),
        cmocka_unit_test(test_data_without_runs), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
