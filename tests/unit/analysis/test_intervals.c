// link: duet_stats
// labels: soakvalgrind
/* Every interval of paired runs against the bootstrap as the textbooks write it. */
#include "analysis_data.h"
#include "naive.h"

#include "stats/gaussian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RUNS = 24 };

struct ends {
    double low;
    double high;
};

/* Skewed log ratios whose neighbours hang together a little. */
static void draw_logs(double logs[RUNS])
{
    struct random_stream stream = random_stream_at(99, 1);
    double before = 0.0;
    for (size_t i = 0; i < RUNS; i++) {
        double u = random_uniform(&stream);
        before = 0.3 * before - 0.02 * log(u);
        logs[i] = before;
    }
}

/* Runs of one pair; the second run of a block has its positions swapped. */
static struct analysis *analysis_of(const struct model_analysis *options,
                                    const double logs[RUNS])
{
    struct analysis *analysis = NULL;
    assert_int_equal(analysis_new(options, true, &analysis, NULL), DUET_OK);
    for (size_t i = 0; i < RUNS; i++) {
        double old_time = 1e6;
        double new_time = 1e6 * exp(logs[i]);
        struct model_run_values values = {.run = i,
                                          .block = i / 2,
                                          .old_position = (i + i / 2) % 2,
                                          .values = {&old_time, &new_time},
                                          .counts = {1, 1}};
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    return analysis;
}

static struct model_interval interval_of(struct model_analysis options)
{
    double logs[RUNS];
    double ratio = 0.0;
    struct model_interval interval = {0};
    struct duet_error error = {0};
    draw_logs(logs);
    struct analysis *analysis = analysis_of(&options, logs);
    if (analysis_estimate(analysis, &ratio, &interval, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(fabs(log(ratio) - naive_mean(logs, RUNS)) < 1e-12);
    analysis_free(analysis);
    return interval;
}

static struct model_analysis options_of(enum model_interval_method method)
{
    struct model_analysis options = model_analysis_default();
    options.confidence = 0.95;
    options.interval = method;
    options.interval_asked = true;
    return options;
}

/* Ends within 3 % of the width: five standard errors of 10,000 replicates. */
static void check(const char *what, const struct model_interval *got, struct ends naive)
{
    double width = naive.high - naive.low;
    if (fabs(log(got->low) - naive.low) > 0.03 * width ||
        fabs(log(got->high) - naive.high) > 0.03 * width) {
        fail_msg("%s: [%g, %g], by hand [%g, %g]", what, log(got->low), log(got->high),
                 naive.low, naive.high);
    }
}

/* Means of resamples; errors: their standard errors. */
static void resample(const double *values, size_t count, double *means, double *errors)
{
    struct random_stream stream = random_stream_at(5, 0);
    for (size_t b = 0; b < NAIVE_REPLICATES; b++) {
        double drawn[RUNS];
        for (size_t i = 0; i < count; i++) {
            drawn[i] = values[random_below(&stream, (uint32_t)count)];
        }
        means[b] = naive_mean(drawn, count);
        errors[b] = naive_sd(drawn, count) / sqrt((double)count);
    }
}

static struct ends naive_bca(const double *values, size_t count, double *means)
{
    double estimate = naive_mean(values, count);
    double cubes = 0.0;
    double squares = 0.0;
    size_t below = 0;
    for (size_t i = 0; i < count; i++) { /* influence of each value on the mean */
        double away = (values[i] - estimate) / (double)count;
        cubes += away * away * away;
        squares += away * away;
    }
    for (size_t b = 0; b < NAIVE_REPLICATES; b++) {
        below += means[b] < estimate;
    }
    double acceleration = cubes / (6.0 * pow(squares, 1.5));
    double bias = stats_gaussian_quantile((double)below / NAIVE_REPLICATES);
    double at[2];
    for (int end = 0; end < 2; end++) {
        double z = bias + (end == 0 ? -1.0 : 1.0) * 1.959963984540054;
        at[end] = stats_gaussian_below(bias + z / (1.0 - acceleration * z));
    }
    return (struct ends){naive_quantile(means, NAIVE_REPLICATES, at[0]),
                         naive_quantile(means, NAIVE_REPLICATES, at[1])};
}

static void check_bootstraps(enum model_resample units, const double *values,
                             size_t count, enum model_unit unit)
{
    static double means[NAIVE_REPLICATES];
    static double errors[NAIVE_REPLICATES];
    double estimate = naive_mean(values, count);
    resample(values, count, means, errors);
    struct model_analysis options = options_of(MODEL_INTERVAL_BCA);
    options.resample = units;
    struct model_interval got = interval_of(options);
    check("bca", &got, naive_bca(values, count, means)); /* sorts the means */
    assert_int_equal(got.unit, unit);
    double low = naive_quantile(means, NAIVE_REPLICATES, 0.025);
    double high = naive_quantile(means, NAIVE_REPLICATES, 0.975);
    options.interval = MODEL_INTERVAL_PERCENTILE;
    got = interval_of(options);
    check("percentile", &got, (struct ends){low, high});
    options.interval = MODEL_INTERVAL_BASIC;
    got = interval_of(options);
    check("basic", &got, (struct ends){2 * estimate - high, 2 * estimate - low});
    assert_int_equal(got.unit, unit);
    resample(values, count, means, errors);
    for (size_t b = 0; b < NAIVE_REPLICATES; b++) {
        means[b] = (means[b] - estimate) / errors[b];
    }
    low = naive_quantile(means, NAIVE_REPLICATES, 0.025);
    high = naive_quantile(means, NAIVE_REPLICATES, 0.975);
    double error = naive_sd(values, count) / sqrt((double)count);
    options.interval = MODEL_INTERVAL_STUDENTIZED;
    got = interval_of(options);
    check("studentized", &got,
          (struct ends){estimate - high * error, estimate - low * error});
}

static void test_over_runs_and_over_blocks(void **state)
{
    (void)state;
    double logs[RUNS];
    double blocks[RUNS / 2];
    draw_logs(logs);
    check_bootstraps(MODEL_RESAMPLE_RUNS, logs, RUNS, MODEL_UNIT_RUNS);
    for (size_t b = 0; b < RUNS / 2; b++) {
        blocks[b] = (logs[2 * b] + logs[2 * b + 1]) / 2.0;
    }
    check_bootstraps(MODEL_RESAMPLE_BLOCKS, blocks, RUNS / 2, MODEL_UNIT_BLOCKS);
}

/* Half of the runs have old at position 0; each half is drawn from itself. */
static void test_within_assignments(void **state)
{
    (void)state;
    static double means[NAIVE_REPLICATES];
    double logs[RUNS];
    double halves[2][RUNS / 2];
    draw_logs(logs);
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < RUNS; i++) {
        size_t position = (i + i / 2) % 2;
        halves[position][counts[position]++] = logs[i];
    }
    struct random_stream stream = random_stream_at(6, 0);
    for (size_t b = 0; b < NAIVE_REPLICATES; b++) {
        means[b] = 0.0;
        for (size_t i = 0; i < RUNS; i++) {
            means[b] += halves[i % 2][random_below(&stream, RUNS / 2)] / RUNS;
        }
    }
    struct model_analysis options = options_of(MODEL_INTERVAL_PERCENTILE);
    options.resample = MODEL_RESAMPLE_ASSIGNMENTS;
    struct model_interval got = interval_of(options);
    assert_int_equal(got.unit, MODEL_UNIT_ASSIGNMENTS);
    check("assignments", &got,
          (struct ends){naive_quantile(means, NAIVE_REPLICATES, 0.025),
                        naive_quantile(means, NAIVE_REPLICATES, 0.975)});
}

/* Circular and moving blocks of four runs, and stationary ones of four on average. */
static void test_blocks_of_a_series(void **state)
{
    (void)state;
    static double means[NAIVE_REPLICATES];
    static const enum model_scheme schemes[] = {
        MODEL_SCHEME_CIRCULAR, MODEL_SCHEME_MOVING, MODEL_SCHEME_STATIONARY};
    static const enum model_unit units[] = {MODEL_UNIT_CIRCULAR, MODEL_UNIT_MOVING,
                                            MODEL_UNIT_STATIONARY};
    enum { LENGTH = 4 };
    double logs[RUNS];
    draw_logs(logs);
    for (size_t s = 0; s < 3; s++) {
        struct random_stream stream = random_stream_at(7, s);
        uint32_t starts = s == 1 ? RUNS - LENGTH + 1 : RUNS;
        for (size_t b = 0; b < NAIVE_REPLICATES; b++) {
            size_t at = 0;
            means[b] = 0.0;
            for (size_t i = 0; i < RUNS; i++) {
                bool fresh = s == 2 ? i == 0 || random_uniform(&stream) < 1.0 / LENGTH
                                    : i % LENGTH == 0;
                at = fresh ? random_below(&stream, starts) : (at + 1) % RUNS;
                means[b] += logs[at] / RUNS;
            }
        }
        struct model_analysis options = options_of(MODEL_INTERVAL_BLOCK);
        options.block_scheme = schemes[s];
        options.block_length = LENGTH;
        struct model_interval got = interval_of(options);
        assert_int_equal(got.unit, units[s]);
        assert_true(got.block_length == LENGTH);
        check("blocks of a series", &got,
              (struct ends){naive_quantile(means, NAIVE_REPLICATES, 0.025),
                            naive_quantile(means, NAIVE_REPLICATES, 0.975)});
    }
}

/* An AR(1) series: the chosen length is above 1 and the interval wider than one of
 * independent runs. */
static void test_dependent_runs(void **state)
{
    (void)state;
    struct model_interval got[2];
    size_t warned[2] = {0, 0};
    for (int block = 0; block < 2; block++) {
        struct model_analysis options =
            options_of(block ? MODEL_INTERVAL_BLOCK : MODEL_INTERVAL_PERCENTILE);
        struct analysis *analysis = NULL;
        struct random_stream stream = random_stream_at(11, 0);
        assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
        double level = 0.0;
        for (size_t i = 0; i < 60; i++) {
            level = 0.6 * level + 0.01 * (random_uniform(&stream) - 0.5);
            double old_time = 1e6;
            double new_time = 1e6 * exp(level);
            struct model_run_values values = {.run = i,
                                              .block = i / 2,
                                              .values = {&old_time, &new_time},
                                              .counts = {1, 1}};
            assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
        }
        struct model_comparison comparison = {0};
        assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
        got[block] = comparison.interval;
        warned[block] = comparison.warning_count;
        if (block == 0) {
            assert_non_null(strstr(comparison.warnings[0].text, "--interval block"));
            assert_non_null(strstr(comparison.warnings[0].text, "consecutive runs"));
        }
        analysis_free(analysis);
    }
    assert_int_equal(warned[0], 1);
    assert_int_equal(warned[1], 0);
    assert_true(got[1].block_length > 1.0);
    assert_true(got[1].high - got[1].low > 1.2 * (got[0].high - got[0].low));
}

/* What was stopped by looking at the data has an interval that allows for it; another
 * one says that it does not. */
static void test_an_interval_for_a_fixed_number_of_runs(void **state)
{
    (void)state;
    const struct data data = {.runs = 24, .iterations = 3, .ratio = 1.01};
    for (int until = MODEL_UNTIL_FIXED; until <= MODEL_UNTIL_PRECISION; until++) {
        for (int method = 0; method < MODEL_INTERVAL_DIFFERENCE; method++) {
            struct model_analysis options =
                options_of((enum model_interval_method)method);
            options.until = (enum model_until)until;
            struct analysis *analysis = data_analysis(&options, true, data);
            struct model_comparison comparison = {0};
            assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
            size_t said = 0;
            for (size_t i = 0; i < comparison.warning_count; i++) {
                said += strstr(comparison.warnings[i].text,
                               "the data decided when to stop") != NULL;
            }
            bool holds = until == MODEL_UNTIL_FIXED || method == MODEL_INTERVAL_ANYTIME;
            assert_int_equal(said, holds ? 0 : 1);
            analysis_free(analysis);
        }
    }
}

/* Where the data leaves no interval it is unsure, and says why. */
static void test_what_leaves_no_interval(void **state)
{
    (void)state;
    struct model_analysis options = options_of(MODEL_INTERVAL_BLOCK);
    struct data data = {.runs = 8, .iterations = 3, .ratio = 1.5};
    for (int studentized = 0; studentized < 2; studentized++) {
        if (studentized != 0) {
            options = options_of(MODEL_INTERVAL_STUDENTIZED);
            data.runs = 3; /* one resample in nine has no spread */
        }
        struct analysis *analysis = data_analysis(&options, true, data);
        struct model_comparison comparison = {0};
        assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
        assert_true(isnan(comparison.interval.low) && isnan(comparison.interval.high));
        assert_int_equal(comparison.verdict, MODEL_VERDICT_UNSURE);
        assert_non_null(strstr(comparison.warnings[0].text, "no interval: "));
        analysis_free(analysis);
    }
    options = options_of(MODEL_INTERVAL_BASIC);
    options.resample = MODEL_RESAMPLE_ASSIGNMENTS; /* the data knows none */
    struct analysis *analysis = data_analysis(&options, true, data);
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_E_USAGE);
    analysis_free(analysis);
}

/* Seven blocks have no interval by sign flips, and none when all are alike, which would
 * have shown any change by their spread. */
static void test_nothing_is_seen_without_an_interval(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        for (size_t blocks = 7; blocks <= 8; blocks++) {
            struct model_analysis options =
                options_of(method == 0 ? MODEL_INTERVAL_SIGNFLIP : MODEL_INTERVAL_T);
            options.confidence = 0.99;
            struct analysis *analysis = NULL;
            assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
            for (size_t r = 0; r < 2 * blocks; r++) {
                double times[] = {10, method == 0 ? 10 + (double)r : 11};
                struct model_run_values run = {.run = r,
                                               .block = r / 2,
                                               .old_position = r % 2,
                                               .values = {&times[0], &times[1]},
                                               .counts = {1, 1}};
                assert_int_equal(analysis_add_run(analysis, &run, NULL), DUET_OK);
            }
            struct model_comparison comparison = {0};
            assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
            analysis_free(analysis);
            assert_true((isnan(comparison.interval.low) != 0) == (blocks < 8));
            assert_true((isnan(comparison.could_have_seen) != 0) == (blocks < 8));
        }
    }
}

static void test_combinations_without_an_answer(void **state)
{
    (void)state;
    const struct {
        bool paired;
        enum model_interval_method method;
        enum model_statistic_kind statistic;
        enum model_estimator estimator;
        enum model_resample resample;
        const char *says;
    } cases[] = {
        {false, MODEL_INTERVAL_ANYTIME, 0, 0, 0, "use t, percentile, basic"},
        {false, MODEL_INTERVAL_SIGNFLIP, 0, 0, 0, "use t, percentile, basic"},
        {true, MODEL_INTERVAL_T, MODEL_STATISTIC_MEDIAN, 0, 0, "log ratios"},
        {true, MODEL_INTERVAL_DIFFERENCE, MODEL_STATISTIC_CV, 0, 0, "for means"},
        {false, MODEL_INTERVAL_STUDENTIZED, MODEL_STATISTIC_CV, 0, 0, "for means"},
        {true, MODEL_INTERVAL_STUDENTIZED, MODEL_STATISTIC_MEAN, 0, 0, "bca"},
        {false, MODEL_INTERVAL_BCA, 0, MODEL_ESTIMATOR_MEDIAN, 0, "leave one"},
        {true, MODEL_INTERVAL_T, 0, 0, MODEL_RESAMPLE_BLOCKS, "of pairs"},
        {false, MODEL_INTERVAL_BCA, 0, 0, MODEL_RESAMPLE_BLOCKS, "of pairs"},
        {true, MODEL_INTERVAL_STUDENTIZED, 0, 0, MODEL_RESAMPLE_ASSIGNMENTS,
         "within assignments"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_analysis options = options_of(cases[i].method);
        struct duet_error error = {0};
        options.statistic.kind = cases[i].statistic;
        options.estimator = cases[i].estimator;
        options.resample = cases[i].resample;
        assert_int_equal(analysis_options_check(&options, cases[i].paired, &error),
                         DUET_E_USAGE);
        if (strstr(error.message, cases[i].says) == NULL) {
            fail_msg("case %zu: %s", i, error.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_over_runs_and_over_blocks),
        cmocka_unit_test(test_within_assignments),
        cmocka_unit_test(test_blocks_of_a_series),
        cmocka_unit_test(test_dependent_runs),
        cmocka_unit_test(test_an_interval_for_a_fixed_number_of_runs),
        cmocka_unit_test(test_what_leaves_no_interval),
        cmocka_unit_test(test_nothing_is_seen_without_an_interval),
        cmocka_unit_test(test_combinations_without_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
