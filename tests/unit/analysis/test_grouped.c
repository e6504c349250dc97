// labels: soakvalgrind
// link: duet_stats
/* Statistics of each side, against the hierarchical bootstrap written out. */
#include "analysis/few.h"
#include "analysis_data.h"
#include "naive.h"
#include "support/trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RUNS = 12, ITERATIONS = 10, VALUES = RUNS * ITERATIONS };

static double statistic_by_hand(const struct model_statistic *statistic, double *values,
                                size_t count)
{
    double sum = 0.0;
    size_t cut = count / 5;
    switch (statistic->kind) {
    case MODEL_STATISTIC_GEOMEAN:
        for (size_t i = 0; i < count; i++) {
            sum += log(values[i]);
        }
        return exp(sum / (double)count);
    case MODEL_STATISTIC_MEDIAN:
        return naive_quantile(values, count, 0.5);
    case MODEL_STATISTIC_QUANTILE:
        return naive_quantile(values, count, statistic->probability);
    case MODEL_STATISTIC_TRIMMED:
        (void)naive_quantile(values, count, 0.5); /* sorts */
        return naive_mean(values + cut, count - 2 * cut);
    case MODEL_STATISTIC_CV:
        return naive_sd(values, count) / naive_mean(values, count);
    case MODEL_STATISTIC_NONE:
    case MODEL_STATISTIC_MEAN:
    case MODEL_STATISTICS:
        break;
    }
    return naive_mean(values, count);
}

/* All values of a side of the made-up runs, run by run. */
static void fill(double sides[MODEL_SIDES][VALUES])
{
    for (size_t r = 0; r < RUNS; r++) {
        struct model_run_values values;
        data_fill((struct data){.iterations = ITERATIONS, .ratio = 1.1}, r, &values);
        for (int side = 0; side < MODEL_SIDES; side++) {
            memcpy(sides[side] + r * ITERATIONS, values.values[side],
                   ITERATIONS * sizeof(double));
        }
        model_run_values_release(&values);
    }
}

struct by_hand {
    double ratio[2]; /* ends of its interval */
    double old_side[2];
};

static struct by_hand bootstrap_by_hand(const struct model_statistic *statistic,
                                        bool paired)
{
    static double ratios[NAIVE_REPLICATES];
    static double olds[NAIVE_REPLICATES];
    double sides[MODEL_SIDES][VALUES];
    size_t chosen[VALUES];
    struct random_stream stream = random_stream_at(21, statistic->kind);
    enum { REPLICATES = 4000 };
    fill(sides);
    for (size_t b = 0; b < REPLICATES; b++) {
        double drawn[MODEL_SIDES][VALUES];
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (side == MODEL_OLD || !paired) {
                naive_levels(&stream, RUNS, ITERATIONS, chosen);
            }
            for (size_t i = 0; i < VALUES; i++) {
                drawn[side][i] = sides[side][chosen[i]];
            }
        }
        olds[b] = statistic_by_hand(statistic, drawn[MODEL_OLD], VALUES);
        ratios[b] = statistic_by_hand(statistic, drawn[MODEL_NEW], VALUES) / olds[b];
    }
    return (struct by_hand){.ratio = {naive_quantile(ratios, REPLICATES, 0.05),
                                      naive_quantile(ratios, REPLICATES, 0.95)},
                            .old_side = {naive_quantile(olds, REPLICATES, 0.05),
                                         naive_quantile(olds, REPLICATES, 0.95)}};
}

static void check_end(const char *what, double got, double expected, double width)
{
    if (!(fabs(got - expected) < 0.08 * width)) { /* six standard errors of 4000 */
        fail_msg("%s: %g, by hand %g, width %g", what, got, expected, width);
    }
}

static struct model_comparison compare(const struct model_analysis *options,
                                       bool paired, struct data data)
{
    struct analysis *analysis = data_analysis(options, paired, data);
    struct model_comparison comparison = {0};
    struct duet_error error = {0};
    if (analysis_conclude(analysis, &comparison, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    analysis_free(analysis);
    return comparison;
}

static const struct data runs_of_many = {
    .runs = RUNS, .iterations = ITERATIONS, .ratio = 1.1};

static void test_statistics_against_the_bootstrap_by_hand(void **state)
{
    (void)state;
    for (int kind = MODEL_STATISTIC_MEAN; kind < MODEL_STATISTICS; kind++) {
        for (int paired = 0; paired < 2; paired++) {
            struct model_analysis options = model_analysis_default();
            options.confidence = 0.9;
            options.replicates = 4000;
            options.winsorize = MODEL_WINSORIZE_OFF;
            options.statistic =
                (struct model_statistic){(enum model_statistic_kind)kind, 0.8};
            struct model_comparison got = compare(&options, paired, runs_of_many);
            struct by_hand expected = bootstrap_by_hand(&options.statistic, paired);
            char name[MODEL_STATISTIC_NAME_MAX];
            model_statistic_name(&options.statistic, name);
            double width = expected.ratio[1] - expected.ratio[0];
            check_end(name, got.interval.low, expected.ratio[0], width);
            check_end(name, got.interval.high, expected.ratio[1], width);
            width = expected.old_side[1] - expected.old_side[0];
            check_end(name, got.statistic.low[MODEL_OLD], expected.old_side[0], width);
            check_end(name, got.statistic.high[MODEL_OLD], expected.old_side[1], width);
            double sides[MODEL_SIDES][VALUES];
            fill(sides);
            double values[MODEL_SIDES];
            for (int side = 0; side < MODEL_SIDES; side++) {
                values[side] =
                    statistic_by_hand(&options.statistic, sides[side], VALUES);
                assert_true(fabs(got.statistic.values[side] / values[side] - 1.0) <
                            1e-12);
            }
            assert_true(fabs(got.ratio * values[MODEL_OLD] / values[MODEL_NEW] - 1.0) <
                        1e-12);
            assert_int_equal(got.interval.method, MODEL_INTERVAL_PERCENTILE);
            assert_int_equal(got.interval.unit, MODEL_UNIT_LEVELS);
            assert_true(got.could_have_seen > 0.0);
            /* p and the interval agree on whether there is a change */
            bool excluded = got.interval.low > 1.0 || got.interval.high < 1.0;
            assert_int_equal(got.p_value_method, MODEL_P_VALUE_INTERVAL);
            assert_int_equal(got.p_value < 0.1, excluded);
        }
    }
}

/* Basic, BCa, studentized and blocks give the same story on harmless data. */
static void test_every_interval_of_unpaired_runs(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.replicates = 2000;
    options.interval_asked = true;
    options.interval = MODEL_INTERVAL_PERCENTILE;
    struct model_interval plain = compare(&options, false, runs_of_many).interval;
    const enum model_interval_method methods[] = {
        MODEL_INTERVAL_BASIC, MODEL_INTERVAL_BCA, MODEL_INTERVAL_STUDENTIZED,
        MODEL_INTERVAL_BLOCK};
    for (size_t m = 0; m < 4; m++) {
        options.interval = methods[m];
        struct model_comparison got = compare(&options, false, runs_of_many);
        double width = got.interval.high - got.interval.low;
        assert_int_equal(got.interval.method, methods[m]);
        assert_true(width > 0.5 * (plain.high - plain.low));
        assert_true(width < 2.0 * (plain.high - plain.low));
        assert_int_equal(got.interval.unit, m < 2   ? MODEL_UNIT_LEVELS
                                            : m < 3 ? MODEL_UNIT_RUNS
                                                    : MODEL_UNIT_CIRCULAR);
    }
    /* a block of runs of several iterations is one of their means */
    struct analysis *analysis = NULL;
    struct model_comparison comparison = {0};
    options.statistic.kind = MODEL_STATISTIC_MEDIAN;
    analysis = data_analysis(&options, false, runs_of_many);
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_E_USAGE);
    analysis_free(analysis);
}

static void test_a_sample_without_runs(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.replicates = 2000;
    options.iterations_alone = true;
    options.statistic.kind = MODEL_STATISTIC_MEDIAN;
    struct data data = {.runs = 1, .iterations = 400, .ratio = 1.02};
    struct model_comparison got = compare(&options, false, data);
    assert_int_equal(got.interval.unit, MODEL_UNIT_ITERATIONS);
    assert_int_equal(got.verdict, MODEL_VERDICT_SLOWER);
    options.interval_asked = true;
    options.interval = MODEL_INTERVAL_BLOCK;
    got = compare(&options, false, data);
    assert_int_equal(got.interval.unit, MODEL_UNIT_CIRCULAR);
    assert_true(isfinite(got.interval.low));
    /* of a measured run the iterations say nothing about other runs */
    options.iterations_alone = false;
    options.interval = MODEL_INTERVAL_BCA;
    got = compare(&options, false, data);
    assert_true(isnan(got.interval.low));
    assert_true(isnan(got.p_value));
    assert_int_equal(got.verdict, MODEL_VERDICT_UNSURE);
    assert_true(got.warning_count == 1);
    assert_true(got.statistic.values[MODEL_OLD] > 0.0);
}

/* Box and Muller 1958. */
static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* Pairs of one iteration of the same program, 1 % of noise a side. */
static struct model_comparison compare_equal(const struct model_analysis *options,
                                             size_t runs, uint64_t trial)
{
    struct random_stream stream = random_stream_at(20200420, trial);
    struct analysis *analysis = NULL;
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_new(options, true, &analysis, NULL), DUET_OK);
    for (size_t r = 0; r < runs; r++) {
        struct model_run_values values = {.run = r, .block = r / 2};
        double times[MODEL_SIDES];
        for (int side = 0; side < MODEL_SIDES; side++) {
            times[side] = 1e6 * exp(0.01 * draw_normal(&stream));
            values.values[side] = &times[side];
            values.counts[side] = 1;
        }
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

/* Of `trials` comparisons of equal programs: whose interval excludes no change, and who
 * is called slower or faster. */
struct wrong {
    double interval;
    double verdict;
};

static struct wrong wrong_of(const struct model_analysis *options, size_t runs,
                             unsigned trials)
{
    struct wrong wrong = {0.0, 0.0};
    for (unsigned trial = 0; trial < trials; trial++) {
        struct model_comparison got = compare_equal(options, runs, trial);
        bool excludes = got.interval.low > 1.0 || got.interval.high < 1.0;
        wrong.interval += excludes / (double)trials;
        wrong.verdict += model_comparison_is_change(&got) / (double)trials;
    }
    return wrong;
}

/* A bootstrap of few pairs tells equal programs apart far more often than it says:
 * nobody has asked for it by name, and it decides nothing. */
static void test_few_pairs_have_no_verdict(void **state)
{
    enum { TRIALS = TRIALS_OF(400) };
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.statistic.kind = MODEL_STATISTIC_MEAN;
    options.replicates = 1000;
    struct wrong wrong = wrong_of(&options, 4, TRIALS);
    assert_true(wrong.interval > 0.05);
    assert_true(wrong.verdict <= 0.0);
    /* From so many on as often as is said: 2.7 %, and four standard errors. */
    wrong = wrong_of(&options, ANALYSIS_BOOTSTRAP_PAIRS_MIN, TRIALS);
    assert_true(wrong.verdict >= wrong.interval);
    double said =
        1.0 -
        compare_equal(&options, ANALYSIS_BOOTSTRAP_PAIRS_MIN, 0).measured_coverage;
    assert_true(said > 0.02 && said < 0.03);
    assert_true(wrong.verdict < said + 4.0 * sqrt(said / TRIALS));
}

static void test_from_how_many_pairs_on(void **state)
{
    (void)state;
    for (size_t runs = 2; runs <= ANALYSIS_BOOTSTRAP_PAIRS_MIN; runs++) {
        struct data clear = {.runs = runs, .iterations = 3, .ratio = 1.5};
        struct model_analysis options = model_analysis_default();
        options.statistic.kind = MODEL_STATISTIC_MEDIAN;
        options.replicates = 100;
        struct model_comparison got = compare(&options, true, clear);
        bool enough = runs == ANALYSIS_BOOTSTRAP_PAIRS_MIN;
        bool warned = false;
        for (size_t i = 0; i < got.warning_count; i++) {
            warned = warned || strstr(got.warnings[i].text, "no verdict: with") != NULL;
        }
        assert_true(got.interval.low > 1.0);
        assert_int_equal(got.verdict,
                         enough ? MODEL_VERDICT_SLOWER : MODEL_VERDICT_UNSURE);
        assert_true(warned == !enough);
        options.interval = MODEL_INTERVAL_PERCENTILE;
        options.interval_asked = true;
        assert_int_equal(compare(&options, true, clear).verdict, MODEL_VERDICT_SLOWER);
    }
}

/* A quantile that few values lie beyond is nearly the largest value: its bootstrap is
 * too narrow at any number of values. */
static void test_a_quantile_needs_values_beyond_it(void **state)
{
    enum { TRIALS = TRIALS_OF(200) };
    const struct {
        double probability;
        size_t enough;
    } cases[] = {{0.9, 30}, {0.1, 30}, {0.95, 60}, {0.99, 300}};
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.statistic.kind = MODEL_STATISTIC_QUANTILE;
    options.replicates = 400;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.statistic.probability = cases[i].probability;
        for (size_t few = 0; few < 2; few++) {
            struct data clear = {
                .runs = cases[i].enough - few, .iterations = 1, .ratio = 2.0};
            struct model_comparison got = compare(&options, true, clear);
            assert_true(got.interval.low > 1.0);
            assert_int_equal(got.verdict,
                             few ? MODEL_VERDICT_UNSURE : MODEL_VERDICT_SLOWER);
            assert_int_equal(
                few, got.warning_count > 0 &&
                         strstr(got.warnings[0].text, "a side lie beyond") != NULL);
        }
    }
    struct wrong wrong = wrong_of(&options, 40, TRIALS);
    assert_true(wrong.interval > 0.02);
    assert_true(wrong.verdict <= 0.0);
}

/* The p value by which several benchmarks are judged together keeps its level where the
 * interval of few values does not. */
static void test_p_values_of_few_values(void **state)
{
    enum { TRIALS = TRIALS_OF(800) };
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.statistic.kind = MODEL_STATISTIC_MEAN;
    options.replicates = 1000;
    unsigned below = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct model_comparison got =
            compare_equal(&options, ANALYSIS_BOOTSTRAP_PAIRS_MIN, trial);
        assert_int_equal(got.p_value_method, MODEL_P_VALUE_INTERVAL);
        below += got.p_value <= 0.01;
    }
    /* 1 %, and four standard errors. */
    assert_true(below <= 0.024 * TRIALS);
}

/* Constant times have no coefficient of variation to compare. */
static void test_a_statistic_that_does_not_exist(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.statistic.kind = MODEL_STATISTIC_CV;
    struct data data = {.runs = 4, .iterations = 5, .ratio = 1.0, .constant = true};
    struct model_comparison got = compare(&options, true, data);
    assert_true(isnan(got.ratio) && isnan(got.interval.low));
    assert_int_equal(got.verdict, MODEL_VERDICT_UNSURE);
    assert_non_null(strstr(got.warnings[0].text, "no interval"));
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.replicates = 100;
    options.statistic.kind = MODEL_STATISTIC_TRIMMED;
    options.cleaning =
        (struct model_cleaning){.warmup = MODEL_WARMUP_HALF, .drop_magnitude = true};
    struct data data = {.runs = 18, .iterations = 4, .ratio = 1.1, .outlier = 30.0};
    bool done = false;
    unsigned long failures = 0;
    for (unsigned long n = 1; !done; n++) {
        struct model_comparison comparison = {.ratio = 42};
        assert_true(n < 1000);
        enum duet_code code = data_compare_failing(n, &options, data, &comparison);
        done = code == DUET_OK;
        assert_true(done || code == DUET_E_NOMEM);
        assert_true(done || comparison.ratio == 42);
        failures += !done;
    }
    assert_true(failures > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics_against_the_bootstrap_by_hand),
        cmocka_unit_test(test_every_interval_of_unpaired_runs),
        cmocka_unit_test(test_a_sample_without_runs),
        cmocka_unit_test(test_a_statistic_that_does_not_exist),
        cmocka_unit_test(test_few_pairs_have_no_verdict),
        cmocka_unit_test(test_from_how_many_pairs_on),
        cmocka_unit_test(test_a_quantile_needs_values_beyond_it),
        cmocka_unit_test(test_p_values_of_few_values),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
