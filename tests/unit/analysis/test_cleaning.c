// labels: soakvalgrind
// link: duet_stats
/* What is left out of whole experiments, and the check for dependence. */
#include "analysis_data.h"

#include "analysis/group_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void add(struct analysis *analysis, uint64_t run, double old_time,
                double new_time)
{
    double times[MODEL_SIDES] = {old_time, new_time};
    struct model_run_values values = {.run = run,
                                      .block = run / 2,
                                      .values = {&times[0], &times[1]},
                                      .counts = {1, 1}};
    assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
}

static struct model_comparison answer_of(struct analysis *analysis)
{
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

/* Runs of one pair: only the other runs can tell that a time is out of order. */
static void test_an_outlier_among_runs_of_one_pair(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.cleaning.drop_magnitude = true;
    struct analysis *with = NULL;
    struct analysis *without = NULL;
    assert_int_equal(analysis_new(&options, true, &with, NULL), DUET_OK);
    options.cleaning.drop_magnitude = false;
    assert_int_equal(analysis_new(&options, true, &without, NULL), DUET_OK);
    for (uint64_t run = 0; run < 20; run++) {
        double noise = 1.0 + 0.001 * sin(7.0 * (double)run);
        bool odd_one = run == 7;
        add(with, run, odd_one ? 5000.0 : 100.0, 110.0 * noise);
        if (!odd_one) {
            add(without, run, 100.0, 110.0 * noise);
        }
    }
    struct model_comparison one = answer_of(with);
    struct model_comparison other = answer_of(without);
    assert_true(one.dropped_outliers == 2 && other.dropped_outliers == 0);
    assert_true(one.runs == 19);
    assert_true(one.ratio == other.ratio);
    assert_true(one.interval.low == other.interval.low);
    assert_true(one.interval.high == other.interval.high);
    /* its partner in the block is left alone */
    assert_int_equal(one.warning_count, 1);
    assert_non_null(strstr(one.warnings[0].text, "no partner"));
}

static void test_warm_up_is_counted(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    struct data data = {.runs = 6, .iterations = 11, .ratio = 1.2};
    const struct {
        enum model_warmup warmup;
        uint64_t count;
        uint64_t dropped;
    } rules[] = {{MODEL_WARMUP_NONE, 0, 0},
                 {MODEL_WARMUP_HALF, 0, 5},
                 {MODEL_WARMUP_COUNT, 3, 3}};
    for (size_t i = 0; i < 3; i++) {
        options.cleaning.warmup = rules[i].warmup;
        options.cleaning.warmup_count = rules[i].count;
        struct model_comparison got = answer_of(data_analysis(&options, true, data));
        assert_true(got.dropped_warmup == 6 * 2 * rules[i].dropped);
        assert_true(got.iterations == 6 * (11 - rules[i].dropped));
    }
    options.cleaning.warmup = MODEL_WARMUP_COUNT;
    options.cleaning.warmup_count = 11;
    struct analysis *analysis = NULL;
    struct model_run_values values;
    assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
    data_fill(data, 0, &values);
    assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_E_TOO_FEW);
    model_run_values_release(&values);
    analysis_free(analysis);
}

/* The tests of two groups see what the interval sees. */
static void test_group_tests_are_cleaned_too(void **state)
{
    (void)state;
    double old_times[] = {1, 2, 3, 4, 900};
    double new_times[] = {50, 11, 12, 13, 14};
    struct model_run_values run = {.values = {old_times, new_times}, .counts = {5, 5}};
    const struct model_values values = {.runs = &run, .run_count = 1};
    struct model_analysis options = model_analysis_default();
    struct model_test_result raw;
    struct model_test_result cleaned;
    assert_int_equal(
        analysis_group_test(MODEL_TEST_RANKSUM, &values, &options, &raw, NULL),
        DUET_OK);
    options.cleaning =
        (struct model_cleaning){MODEL_WARMUP_COUNT, 1, .drop_magnitude = true};
    assert_int_equal(
        analysis_group_test(MODEL_TEST_RANKSUM, &values, &options, &cleaned, NULL),
        DUET_OK);
    assert_true(raw.delta < 0.7);
    assert_true(cleaned.delta == 1.0); /* {2, 3, 4} against {11, 12, 13, 14} */
    assert_true(old_times[4] > 899.0 && run.counts[MODEL_OLD] == 5);
}

/* Of independent data hardly any is warned of; of dependent data nearly all. */
static void test_dependence_of_unpaired_values(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        for (int dependent = 0; dependent < 2; dependent++) {
            size_t warned = 0;
            for (uint64_t seed = 0; seed < 50; seed++) {
                enum { COUNT = 60 };
                double times[MODEL_SIDES][COUNT];
                struct random_stream stream = random_stream_at(seed, 1);
                double level = 0.0;
                for (size_t i = 0; i < (size_t)MODEL_SIDES * COUNT; i++) {
                    level =
                        (dependent ? 0.7 * level : 0.0) + random_uniform(&stream) - 0.5;
                    times[i / COUNT][i % COUNT] = 100.0 + level;
                }
                struct model_analysis options = model_analysis_default();
                struct analysis *analysis = NULL;
                options.replicates = 100;
                options.iterations_alone = alone != 0;
                assert_int_equal(analysis_new(&options, false, &analysis, NULL),
                                 DUET_OK);
                for (size_t r = 0; r < (alone ? 1 : COUNT); r++) {
                    struct model_run_values values = {
                        .run = r,
                        .values = {times[0] + r, times[1] + r},
                        .counts = {alone ? COUNT : 1, alone ? COUNT : 1}};
                    assert_int_equal(analysis_add_run(analysis, &values, NULL),
                                     DUET_OK);
                }
                struct model_comparison got = answer_of(analysis);
                warned += got.warning_count;
                if (got.warning_count > 0) {
                    assert_non_null(
                        strstr(got.warnings[0].text,
                               alone ? "consecutive values" : "consecutive runs"));
                }
            }
            assert_true(dependent ? warned > 45 : warned < 6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_outlier_among_runs_of_one_pair),
        cmocka_unit_test(test_warm_up_is_counted),
        cmocka_unit_test(test_group_tests_are_cleaned_too),
        cmocka_unit_test(test_dependence_of_unpaired_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
