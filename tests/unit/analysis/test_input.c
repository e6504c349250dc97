// labels: soakvalgrind
// link: duet_stats
/* What the analysis refuses, how it fails, what it keeps; and unpaired runs. */
#include "analysis/conclude.h"
#include "analysis_data.h"

#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct analysis *new_analysis(bool paired)
{
    struct model_analysis options = model_analysis_default();
    struct analysis *analysis = NULL;
    assert_int_equal(analysis_new(&options, paired, &analysis, NULL), DUET_OK);
    return analysis;
}

static void test_bad_options_are_refused(void **state)
{
    (void)state;
    struct model_analysis bad[10];
    for (size_t i = 0; i < 10; i++) {
        bad[i] = model_analysis_default();
    }
    bad[0].confidence = 0.0;
    bad[1].confidence = 1.0;
    bad[2].confidence = (double)NAN;
    bad[3].replicates = 0;
    bad[4].replicates = UINT64_MAX;
    bad[5].same_within = 0.0;
    bad[6].same_within = (double)INFINITY;
    bad[7].sample_runs = 1;
    bad[8].interval = MODEL_INTERVAL_SIGNFLIP;
    bad[8].confidence = 0.9999999;
    bad[9].same_within = -0.01;
    for (size_t i = 0; i < 10; i++) {
        struct analysis *analysis = NULL;
        struct duet_error error = {0};
        assert_int_equal(analysis_new(&bad[i], true, &analysis, &error), DUET_E_DOMAIN);
        assert_null(analysis);
        assert_true(error.message[0] != '\0');
    }
}

static void test_bad_values_are_named(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis(true);
    double old_times[] = {10, 10, 10};
    double new_times[] = {10, 10, 0};
    struct model_run_values values = {
        .run = 7, .values = {old_times, new_times}, .counts = {3, 3}};
    struct duet_error error = {0};
    assert_int_equal(analysis_add_run(analysis, &values, &error), DUET_E_DOMAIN);
    assert_string_equal(
        error.message,
        "run 8, side new, iteration 3 (of those analysed): the value is 0; the clock is too coarse for it: "
        "do more work in an iteration");
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        old_times[1] = bad[i];
        assert_int_equal(analysis_add_run(analysis, &values, &error), DUET_E_DOMAIN);
        assert_non_null(strstr(error.message, "run 8, side old, iteration 2"));
    }
    values.counts[MODEL_NEW] = 2;
    assert_int_equal(analysis_add_run(analysis, &values, &error), DUET_E_DOMAIN);
    values.counts[MODEL_NEW] = values.counts[MODEL_OLD] = 0;
    assert_int_equal(analysis_add_run(analysis, &values, &error), DUET_E_TOO_FEW);
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, &error), DUET_E_TOO_FEW);
    analysis_free(analysis);
    analysis_free(NULL);
}

/* A refused run leaves no trace, and neither does one for which memory was short. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int estimator = 0; estimator < MODEL_ESTIMATORS; estimator++) {
        for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
            struct model_analysis options = model_analysis_default();
            options.estimator = (enum model_estimator)estimator;
            options.interval = (enum model_interval_method)method;
            options.replicates = 100;
            struct data data = {.runs = 16, .iterations = 9, .ratio = 1.1};
            bool done = false;
            unsigned long failures = 0;
            for (unsigned long n = 1; !done; n++) {
                assert_true(n < 500);
                struct model_comparison comparison = {.ratio = 42};
                enum duet_code code =
                    data_compare_failing(n, &options, data, &comparison);
                done = code == DUET_OK;
                assert_true(done || code == DUET_E_NOMEM);
                assert_true(done || comparison.ratio == 42);
                failures += !done;
            }
            assert_true(failures > 50);
        }
    }
}

/* 10 runs of half a million pairs: with the geometric mean nothing of them is kept. */
static void test_memory_does_not_grow_with_the_iterations(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis(true);
    struct mallinfo2 before = mallinfo2();
    for (uint64_t run = 0; run < 10; run++) {
        struct model_run_values values;
        data_fill((struct data){.iterations = 50000, .ratio = 1.0}, run, &values);
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
        model_run_values_release(&values);
    }
    struct mallinfo2 after = mallinfo2();
    assert_true(after.uordblks + after.hblkhd <
                before.uordblks + before.hblkhd + 20000);
    analysis_free(analysis);
}

static void add_solo(struct analysis *analysis, uint64_t run, enum model_side side,
                     double *times, size_t count)
{
    struct model_run_values values = {.run = run};
    values.values[side] = times;
    values.counts[side] = count;
    assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
}

/* Both sides in a run, or a run for each: the same data, the same answer. */
static void check_unpaired_runs(const struct model_analysis *options,
                                struct model_comparison *ret_comparison)
{
    struct analysis *together = NULL;
    struct analysis *apart = NULL;
    assert_int_equal(analysis_new(options, false, &together, NULL), DUET_OK);
    assert_int_equal(analysis_new(options, false, &apart, NULL), DUET_OK);
    struct data data = {.runs = 10, .iterations = 30, .ratio = 2.0};
    for (uint64_t run = 0; run < data.runs; run++) {
        struct model_run_values values;
        data_fill(data, run, &values);
        values.counts[MODEL_NEW] -= run % 3;
        assert_int_equal(analysis_add_run(together, &values, NULL), DUET_OK);
        add_solo(apart, 2 * run, MODEL_NEW, values.values[MODEL_NEW],
                 values.counts[MODEL_NEW]);
        add_solo(apart, 2 * run + 1, MODEL_OLD, values.values[MODEL_OLD],
                 values.counts[MODEL_OLD]);
        model_run_values_release(&values);
    }
    struct model_comparison one = {0};
    struct model_comparison other = {0};
    assert_int_equal(analysis_conclude(together, &one, NULL), DUET_OK);
    assert_int_equal(analysis_conclude(apart, &other, NULL), DUET_OK);
    assert_true(one.ratio == other.ratio);
    assert_memory_equal(&one.interval, &other.interval, sizeof one.interval);
    assert_int_equal(one.verdict, MODEL_VERDICT_SLOWER);
    assert_true(one.interval.low < 2.0 && 2.0 < one.interval.high);
    assert_true(isnan(one.shuffled_width) && isnan(one.stratified_width));
    assert_true(one.could_have_seen > 0.0);
    assert_true(one.p_value < 0.01);
    *ret_comparison = one;
    analysis_free(together);
    analysis_free(apart);
}

static void test_unpaired_runs(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    struct model_comparison by_t = {0};
    struct model_comparison by_bootstrap = {0};
    check_unpaired_runs(&options, &by_t);
    assert_int_equal(by_t.interval.method, MODEL_INTERVAL_T);
    assert_int_equal(by_t.interval.unit, MODEL_UNIT_RUNS);
    options.interval = MODEL_INTERVAL_DIFFERENCE;
    options.interval_asked = true;
    check_unpaired_runs(&options, &by_bootstrap);
    assert_int_equal(by_bootstrap.interval.method, MODEL_INTERVAL_DIFFERENCE);
    assert_int_equal(by_bootstrap.interval.unit, MODEL_UNIT_LEVELS);
    assert_true(by_t.ratio == by_bootstrap.ratio);
    /* (hi - lo) / mean of all against (hi - lo) / mean of old: 1.5 times as much */
    double relative_to_old = by_bootstrap.interval.high - by_bootstrap.interval.low;
    assert_true(fabs(relative_to_old / by_bootstrap.paired_width - 1.5) < 0.05);
    /* and with the uncertainty of old, whose share at a ratio of 2 is as large */
    assert_true(by_t.interval.high - by_t.interval.low > 1.5 * by_t.paired_width);
    assert_true(by_t.paired_width > by_bootstrap.paired_width);
}

static void test_unpaired_with_too_little(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis(false);
    double old_times[] = {10, 11, 12};
    double new_times[] = {20, 21, 22};
    struct model_comparison got = {0};
    struct duet_error error = {0};
    add_solo(analysis, 0, MODEL_OLD, old_times, 3);
    assert_int_equal(analysis_conclude(analysis, &got, &error), DUET_E_TOO_FEW);
    assert_string_equal(error.message, "the new side has no run");
    add_solo(analysis, 1, MODEL_NEW, new_times, 3);
    add_solo(analysis, 2, MODEL_NEW, new_times, 3);
    assert_int_equal(analysis_conclude(analysis, &got, NULL), DUET_OK);
    assert_true(fabs(got.ratio - 21.0 / 11.0) < 1e-15);
    assert_true(isnan(got.interval.low) && isnan(got.could_have_seen));
    assert_int_equal(got.verdict, MODEL_VERDICT_UNSURE);
    assert_int_equal(got.iterations, 6);
    analysis_free(analysis);
}

/* Runs too long to keep are resampled by groups: the interval stays what it is. */
static void test_long_unpaired_runs_are_grouped(void **state)
{
    (void)state;
    double width[2];
    for (int longer = 0; longer < 2; longer++) {
        struct model_analysis options = model_analysis_default();
        options.replicates = 1000;
        struct data data = {
            .runs = 6, .iterations = longer ? 2500 : 1000, .ratio = 1.0};
        struct analysis *analysis = data_analysis(&options, false, data);
        struct model_comparison got = {0};
        assert_int_equal(analysis_conclude(analysis, &got, NULL), DUET_OK);
        assert_true(fabs(got.ratio - got.sides[MODEL_NEW].mean_ns /
                                         got.sides[MODEL_OLD].mean_ns) < 1e-14);
        width[longer] = got.interval.high - got.interval.low;
        analysis_free(analysis);
    }
    assert_true(fabs(width[1] / width[0] - 1.0) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_options_are_refused),
        cmocka_unit_test(test_bad_values_are_named),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_memory_does_not_grow_with_the_iterations),
        cmocka_unit_test(test_unpaired_runs),
        cmocka_unit_test(test_unpaired_with_too_little),
        cmocka_unit_test(test_long_unpaired_runs_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
