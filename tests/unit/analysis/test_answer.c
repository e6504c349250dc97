// labels: soakvalgrind
// link: duet_stats
#include "analysis/conclude.h"
#include "analysis_data.h"
#include "base/threads.h"
#include "support/use_threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Fewer replicates, so that Valgrind gets through. */
static struct model_analysis quick_options(void)
{
    struct model_analysis options = model_analysis_default();
    options.replicates = 1000;
    return options;
}

static struct model_comparison compare_data(const struct model_analysis *options,
                                            bool paired, struct data data)
{
    struct analysis *analysis = data_analysis(options, paired, data);
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

static const enum model_interval_method paired_methods[] = {
    MODEL_INTERVAL_PERCENTILE, MODEL_INTERVAL_T, MODEL_INTERVAL_SIGNFLIP};

static void test_a_known_change_is_found_by_every_estimator_and_interval(void **state)
{
    (void)state;
    const struct data data = {.runs = 20, .iterations = 12, .ratio = 1.05};
    for (int estimator = 0; estimator < MODEL_ESTIMATORS; estimator++) {
        for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
            struct model_analysis options = quick_options();
            options.estimator = (enum model_estimator)estimator;
            options.interval = (enum model_interval_method)method;
            struct model_comparison got = compare_data(&options, true, data);
            if (method == MODEL_INTERVAL_DIFFERENCE) {
                assert_true(got.interval.high - got.interval.low >
                            5.0 * got.paired_width);
                assert_true(fabs(got.ratio - 1.05) < 0.002);
                continue;
            }
            if (method == MODEL_INTERVAL_ANYTIME) { /* 10 blocks: no upper end yet */
                assert_int_equal(got.interval.method, method);
                assert_true(got.interval.low > 1.04 && got.interval.low < 1.05);
                assert_true(isnan(got.interval.high));
                continue;
            }
            assert_int_equal(got.verdict, MODEL_VERDICT_SLOWER);
            assert_int_equal(got.interval.method, method);
            assert_int_equal(got.estimator, estimator);
            assert_true(got.interval.confidence == 0.99);
            assert_true(got.interval.low < 1.05 && 1.05 < got.interval.high);
            assert_true(got.interval.low < got.ratio && got.ratio < got.interval.high);
            assert_true(got.runs == 20 && got.iterations == 240);
            assert_true(got.shuffled_width > 5.0 * got.paired_width);
            assert_true(got.stratified_width > 0.0);
            assert_true(got.could_have_seen > 0.0 && got.could_have_seen < 0.01);
            assert_true(got.tails[MODEL_TAIL_P90].ratio > 1.03 &&
                        got.tails[MODEL_TAIL_P90].ratio < 1.07);
            bool bootstrap = method <= MODEL_INTERVAL_BLOCK; /* measured on 20 runs */
            assert_true(isnan(got.measured_coverage) == !bootstrap);
            assert_true(!bootstrap ||
                        (got.measured_coverage > 0.9 && got.measured_coverage < 0.99));
            assert_int_equal(got.warning_count, 0);
        }
    }
}

/* The sides swapped: every ratio becomes its inverse, every verdict its opposite. */
static void test_swapping_the_labels_turns_the_answer_around(void **state)
{
    (void)state;
    const struct data data = {.runs = 16, .iterations = 7, .ratio = 1.01};
    struct data swapped = data;
    swapped.swapped = true;
    for (int estimator = 0; estimator < MODEL_ESTIMATORS; estimator++) {
        for (size_t m = 0; m < 3; m++) {
            struct model_analysis options = quick_options();
            options.estimator = (enum model_estimator)estimator;
            options.interval = paired_methods[m];
            struct model_comparison one = compare_data(&options, true, data);
            struct model_comparison other = compare_data(&options, true, swapped);
            assert_true(fabs(one.ratio * other.ratio - 1.0) < 1e-14);
            assert_true(fabs(one.interval.low * other.interval.high - 1.0) < 1e-12);
            assert_true(fabs(one.interval.high * other.interval.low - 1.0) < 1e-12);
            assert_int_equal(one.verdict, MODEL_VERDICT_SLOWER);
            assert_int_equal(other.verdict, MODEL_VERDICT_FASTER);
            assert_true(fabs(one.could_have_seen - other.could_have_seen) < 1e-14);
        }
    }
}

/* Or both unknown. */
static void assert_close(double one, double other)
{
    assert_int_equal(isnan(one) != 0, isnan(other) != 0);
    assert_true(isnan(one) || fabs(one - other) < 1e-13);
}

static void test_unit_order_and_threads_do_not_matter(void **state)
{
    (void)state;
    int threads_before = threads_usual();
    for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
        struct model_analysis options = quick_options();
        options.interval = (enum model_interval_method)method;
        struct data data = {.runs = 16, .iterations = 20, .ratio = 1.01};
        use_threads(1);
        struct model_comparison one = compare_data(&options, true, data);
        use_threads(4);
        data.backwards = true;
        struct model_comparison other = compare_data(&options, true, data);
        assert_memory_equal(&one.interval, &other.interval, sizeof one.interval);
        assert_true(one.ratio == other.ratio);
        assert_true(one.shuffled_width == other.shuffled_width);
        use_threads(2);
        data.scale = 1024.0;
        other = compare_data(&options, true, data);
        assert_true(fabs(one.ratio - other.ratio) < 1e-14);
        assert_close(one.interval.low, other.interval.low);
        assert_close(one.interval.high, other.interval.high);
        assert_true(fabs(one.paired_width - other.paired_width) < 1e-13);
        assert_true(other.sides[MODEL_OLD].mean_ns ==
                    1024.0 * one.sides[MODEL_OLD].mean_ns);
    }
    use_threads(threads_before);
}

static void test_few_runs_leave_it_unsure(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        for (size_t runs = 1; runs <= 4; runs++) {
            struct model_analysis options = quick_options();
            options.interval = paired_methods[m];
            struct model_comparison got = compare_data(
                &options, true,
                (struct data){.runs = runs, .iterations = 5, .ratio = 2.0});
            size_t needed = m == 0 ? 2 : m == 1 ? 4 : 16;
            assert_true(isnan(got.interval.low) == (runs < needed));
            assert_true(isnan(got.interval.high) == (runs < needed));
            assert_int_equal(got.verdict, runs < needed ? MODEL_VERDICT_UNSURE
                                                        : MODEL_VERDICT_SLOWER);
            assert_true(fabs(got.ratio - 2.0) < 0.1);
            assert_true(isnan(got.paired_width) == (runs < 2));
            assert_true(isnan(got.shuffled_width) == (runs < 2));
            assert_true(isnan(got.stratified_width) == (runs < 4));
            assert_true(isnan(got.could_have_seen) == (runs < needed));
        }
    }
}

static void test_a_run_without_its_partner_is_left_out_of_blocks_only(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    struct data data = {.runs = 16, .iterations = 5, .ratio = 1.02};
    struct model_comparison whole = compare_data(&options, true, data);
    data.runs = 17;
    struct model_comparison odd = compare_data(&options, true, data);
    assert_memory_equal(&whole.interval, &odd.interval, sizeof whole.interval);
    assert_true(whole.ratio == odd.ratio);
    assert_true(odd.runs == 17);
    assert_int_equal(odd.warning_count, 1);
    assert_non_null(strstr(odd.warnings[0].text, "1 of 17 runs has no partner"));
    options.interval = MODEL_INTERVAL_PERCENTILE;
    struct model_comparison over_runs = compare_data(&options, true, data);
    assert_int_equal(over_runs.warning_count, 0);
    assert_true(over_runs.ratio != whole.ratio);
}

static void test_same_needs_a_band(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    struct data data = {.runs = 20, .iterations = 20, .ratio = 1.0};
    assert_int_equal(compare_data(&options, true, data).verdict, MODEL_VERDICT_UNSURE);
    options.same_within = 0.01;
    struct model_comparison got = compare_data(&options, true, data);
    assert_int_equal(got.verdict, MODEL_VERDICT_SAME);
    assert_true(got.same_within == 0.01);
    /* a difference that is there but inside the band */
    data.ratio = 1.004;
    assert_int_equal(compare_data(&options, true, data).verdict, MODEL_VERDICT_SLOWER);
    options.same_within_asked = true; /* then it does not matter */
    assert_int_equal(compare_data(&options, true, data).verdict, MODEL_VERDICT_SAME);
    options.same_within = (double)NAN;
    assert_int_equal(compare_data(&options, true, data).verdict, MODEL_VERDICT_SLOWER);
    /* too little data is not the same */
    options.same_within = 0.01;
    data.runs = 2;
    assert_int_equal(compare_data(&options, true, data).verdict, MODEL_VERDICT_UNSURE);
}

static void test_constant_data_is_said_to_be_suspicious(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    struct data data = {.runs = 16, .iterations = 3, .ratio = 2.0, .constant = true};
    struct model_comparison got = compare_data(&options, true, data);
    assert_true(got.ratio == 2.0 || fabs(got.ratio - 2.0) < 1e-14);
    assert_true(got.could_have_seen < 1e-12);
    assert_int_equal(got.warning_count, 1);
    assert_non_null(strstr(got.warnings[0].text, "clock is too coarse"));
}

/* Their variance is 0: a test that estimates it would be certain with two of them. */
static void test_few_equal_blocks_are_not_certain(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    options.interval = MODEL_INTERVAL_T;
    options.confidence = 0.99;
    for (uint64_t blocks = 2; blocks < 10; blocks++) {
        struct data data = {
            .runs = 2 * blocks, .iterations = 3, .ratio = 2.0, .constant = true};
        struct model_comparison got = compare_data(&options, true, data);
        bool enough = blocks >= 8; /* 2^-7 < 0.01 */
        assert_int_equal(got.verdict,
                         enough ? MODEL_VERDICT_SLOWER : MODEL_VERDICT_UNSURE);
        assert_int_equal(isfinite(got.interval.low), enough);
        assert_true(got.p_value == ldexp(1.0, 1 - (int)blocks));
    }
}

static void test_a_sample_of_runs(void **state)
{
    (void)state;
    for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
        struct model_analysis options = quick_options();
        options.interval = (enum model_interval_method)method;
        options.sample_runs = 20;
        struct data data = {.runs = 50, .iterations = 4, .ratio = 1.0};
        struct model_comparison one = compare_data(&options, true, data);
        struct model_comparison again = compare_data(&options, true, data);
        options.seed = 1;
        struct model_comparison other = compare_data(&options, true, data);
        assert_true(one.runs == 20 && one.iterations == 80);
        assert_true(one.sides[MODEL_NEW].count == 80);
        assert_true(one.ratio == again.ratio && one.ratio != other.ratio);
        assert_true(!isnan(one.interval.low) || method == MODEL_INTERVAL_ANYTIME);
        assert_int_equal(one.warning_count, 0); /* over blocks: whole ones only */
        options.sample_runs = 60;
        assert_true(compare_data(&options, true, data).runs == 50);
    }
}

/* Of pairs both go; the rest is analysed as if they had never been. */
static void test_orders_of_magnitude_are_left_out(void **state)
{
    (void)state;
    double old_times[] = {10, 11, 12, 500, 10, 11};
    double new_times[] = {11, 12, 300, 12, 11, 12};
    struct model_idle old_idle[6];
    struct model_idle new_idle[6];
    for (int i = 0; i < 6; i++) {
        old_idle[i] = (struct model_idle){.all = i + 1};
        new_idle[i] = (struct model_idle){.all = i + 7};
    }
    struct model_run_values values = {.values = {old_times, new_times},
                                      .idle = {old_idle, new_idle},
                                      .counts = {6, 6}};
    double limits[MODEL_SIDES];
    assert_int_equal(analysis_magnitude_limits(&values, 1, limits, NULL), DUET_OK);
    assert_true(limits[MODEL_OLD] == 110.0 && limits[MODEL_NEW] == 120.0);
    assert_int_equal(analysis_drop_magnitude(limits, true, &values), 4);
    assert_int_equal(values.counts[MODEL_OLD], 4);
    assert_int_equal(values.counts[MODEL_NEW], 4);
    const double expected[] = {10, 11, 10, 11};
    assert_memory_equal(old_times, expected, sizeof expected);
    assert_true(old_idle[2].all == 5.0 && new_idle[2].all == 11.0);
    assert_true(new_idle[3].all == 12.0);
    struct model_analysis options = model_analysis_default();
    options.cleaning.drop_magnitude = true;
    struct data data = {.runs = 4, .iterations = 20, .ratio = 1.1, .outlier = 1000};
    struct analysis *analysis = data_analysis(&options, true, data);
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    assert_int_equal(comparison.sides[MODEL_OLD].count, 4 * 19);
    assert_int_equal(comparison.sides[MODEL_NEW].count, 4 * 19);
    assert_int_equal(comparison.dropped_outliers, 4 * 2);
    assert_int_equal(comparison.warning_count, 0);
    analysis_free(analysis);
}

static void test_warm_up_is_left_out_of_both_sides(void **state)
{
    (void)state;
    double times[2][40];
    struct model_idle idle[2][40];
    struct model_run_values values = {.values = {times[0], times[1]},
                                      .idle = {idle[0], idle[1]}};
    struct model_cleaning cleaning = {.warmup = MODEL_WARMUP_STEADY};
    uint64_t dropped = 0;
    for (size_t i = 0; i < 40; i++) {
        double noise = 0.1 * sin(11.0 * (double)i);
        times[0][i] = (i < 12 ? 90.0 : 10.0) + noise;
        times[1][i] = (i < 8 ? 90.0 : 20.0) + noise;
        idle[0][i].all = idle[1][i].all = (double)i;
    }
    values.counts[MODEL_OLD] = values.counts[MODEL_NEW] = 40;
    assert_int_equal(analysis_drop_warmup(&cleaning, true, &values, &dropped, NULL),
                     DUET_OK);
    assert_int_equal(values.counts[MODEL_OLD], 28);
    assert_int_equal(values.counts[MODEL_NEW], 28);
    assert_true(times[0][0] < 11.0);
    assert_true(idle[0][0].all == 12.0 && idle[1][27].all == 39.0);
    cleaning.warmup = MODEL_WARMUP_HALF;
    assert_int_equal(analysis_drop_warmup(&cleaning, true, &values, &dropped, NULL),
                     DUET_OK);
    assert_int_equal(values.counts[MODEL_NEW], 14);
    cleaning =
        (struct model_cleaning){.warmup = MODEL_WARMUP_COUNT, .warmup_count = 14};
    struct duet_error error;
    assert_int_equal(analysis_drop_warmup(&cleaning, true, &values, &dropped, &error),
                     DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "run 1, side old"));
}

static void test_winsorized_observations_are_counted(void **state)
{
    (void)state;
    const struct data data = {
        .runs = 16, .iterations = 10, .ratio = 1.0, .outlier = 5.0};
    for (int how = 0; how < 3; how++) {
        struct model_analysis options = quick_options();
        options.winsorize = (enum model_winsorize)how;
        struct model_comparison got = compare_data(&options, true, data);
        bool off = how == MODEL_WINSORIZE_OFF;
        assert_true(off ? got.winsorized == 0 : got.winsorized >= 16);
        assert_true((got.sides[MODEL_NEW].max_ns > 4e6) == off);
    }
}

static void test_estimate_is_what_compare_says(void **state)
{
    (void)state;
    for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
        struct model_analysis options = quick_options();
        options.interval = (enum model_interval_method)method;
        struct analysis *analysis = data_analysis(
            &options, true, (struct data){.runs = 16, .iterations = 3, .ratio = 1.0});
        struct model_comparison comparison = {0};
        double ratio = 0;
        struct model_interval interval = {0};
        assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
        assert_int_equal(analysis_estimate(analysis, &ratio, &interval, NULL), DUET_OK);
        assert_true(ratio == comparison.ratio);
        assert_memory_equal(&interval, &comparison.interval, sizeof interval);
        assert_int_equal(interval.method, method);
        analysis_free(analysis);
    }
}

static void test_what_is_not_the_answers_stays(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    struct analysis *analysis = data_analysis(
        &options, true, (struct data){.runs = 4, .iterations = 3, .ratio = 1.0});
    struct model_comparison comparison = {.name = "kept", .metric = "time"};
    comparison.sides[MODEL_OLD].median_ns = 7.0;
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    assert_string_equal(comparison.name, "kept");
    assert_true(comparison.sides[MODEL_OLD].median_ns == 7.0);
    analysis_free(analysis);
}

static void test_tail_of_short_runs_is_pooled(void **state)
{
    (void)state;
    struct model_analysis options = quick_options();
    struct data data = {.runs = 49, .iterations = 1, .ratio = 1.5};
    assert_true(isnan(compare_data(&options, true, data).tails[MODEL_TAIL_P90].ratio));
    data.runs = 50;
    assert_true(fabs(compare_data(&options, true, data).tails[MODEL_TAIL_P90].ratio -
                     1.5) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_known_change_is_found_by_every_estimator_and_interval),
        cmocka_unit_test(test_swapping_the_labels_turns_the_answer_around),
        cmocka_unit_test(test_unit_order_and_threads_do_not_matter),
        cmocka_unit_test(test_few_runs_leave_it_unsure),
        cmocka_unit_test(test_a_run_without_its_partner_is_left_out_of_blocks_only),
        cmocka_unit_test(test_same_needs_a_band),
        cmocka_unit_test(test_constant_data_is_said_to_be_suspicious),
        cmocka_unit_test(test_few_equal_blocks_are_not_certain),
        cmocka_unit_test(test_a_sample_of_runs),
        cmocka_unit_test(test_orders_of_magnitude_are_left_out),
        cmocka_unit_test(test_warm_up_is_left_out_of_both_sides),
        cmocka_unit_test(test_winsorized_observations_are_counted),
        cmocka_unit_test(test_estimate_is_what_compare_says),
        cmocka_unit_test(test_what_is_not_the_answers_stays),
        cmocka_unit_test(test_tail_of_short_runs_is_pooled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
