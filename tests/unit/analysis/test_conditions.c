// labels: soakvalgrind
/* What it was like meanwhile, and the slow iterations. */
#include "analysis/conclude.h"
#include "analysis/remarks/tail.h"
#include "base/random.h"
#include "stats/gaussian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITERATIONS_MAX = 400 };

/* Noise of 0.2 % on each time, and what else is asked for. */
struct scene {
    size_t runs;
    size_t iterations;
    bool paired;
    double drift;       /* of the log times of both sides, from first to last run */
    double ratio_drift; /* of the log ratio */
    double bias;        /* log time of position 1 over position 0 */
    double memory;      /* of both sides' common noise of 5 %, from one iteration to the
                           next */
    double slow;        /* every tenth iteration of new takes so much longer */
};

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile((random_uniform(stream) + 1e-12) / (1.0 + 2e-12));
}

static void fill_run(const struct scene *scene, size_t run,
                     struct random_stream *stream, double *common,
                     double times[MODEL_SIDES][ITERATIONS_MAX],
                     struct model_run_values *ret_values)
{
    double at = (double)run / (double)(scene->runs - 1);
    unsigned old_position = run % 2 == 0 ? 0 : 1;
    *ret_values = (struct model_run_values){
        .run = run, .block = run / 2, .old_position = old_position};
    for (size_t i = 0; i < scene->iterations; i++) {
        *common = scene->memory * *common +
                  sqrt(1.0 - scene->memory * scene->memory) * normal(stream);
        for (int side = 0; side < MODEL_SIDES; side++) {
            bool second = (side == MODEL_OLD) == (old_position == 1);
            double log_time = log(1e6) + scene->drift * at + 0.002 * normal(stream);
            log_time += scene->memory > 0.0 ? 0.05 * *common : 0.0;
            log_time += second ? scene->bias : 0.0;
            log_time += side == MODEL_NEW ? scene->ratio_drift * at : 0.0;
            log_time += side == MODEL_NEW && (run * scene->iterations + i) % 10 == 9
                            ? log1p(scene->slow)
                            : 0.0;
            times[side][i] = exp(log_time);
        }
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        ret_values->values[side] = times[side];
        ret_values->counts[side] = scene->iterations;
    }
}

static struct model_comparison compare(const struct scene *scene)
{
    static double times[MODEL_SIDES][ITERATIONS_MAX];
    struct random_stream stream = random_stream_at(7, 7);
    struct model_analysis options = model_analysis_default();
    struct model_comparison comparison = {0};
    struct analysis *analysis = NULL;
    double common = 0.0;
    options.replicates = 1000;
    options.winsorize = MODEL_WINSORIZE_OFF;
    assert_int_equal(analysis_new(&options, scene->paired, &analysis, NULL), DUET_OK);
    for (size_t run = 0; run < scene->runs; run++) {
        struct model_run_values values;
        fill_run(scene, run, &stream, &common, times, &values);
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

static bool warned(const struct model_comparison *comparison, const char *word)
{
    for (size_t i = 0; i < comparison->warning_count; i++) {
        if (strstr(comparison->warnings[i].text, word) != NULL) {
            return true;
        }
    }
    return false;
}

static bool near_to(double value, double wanted, double tolerance)
{
    return fabs(value - wanted) < tolerance;
}

static void test_quiet_data_warn_of_nothing(void **state)
{
    (void)state;
    const struct scene scene = {.runs = 24, .iterations = 30, .paired = true};
    struct model_comparison got = compare(&scene);
    assert_int_equal(got.warning_count, 0);
    const struct model_conditions *conditions = &got.conditions;
    assert_true(near_to(conditions->lag1_times[MODEL_OLD], 0.0, 0.15));
    assert_true(near_to(conditions->lag1_ratios, 0.0, 0.15));
    assert_true(near_to(conditions->drift, 0.0, 0.001));
    assert_true(near_to(conditions->cpu_bias, 0.0, 0.001));
}

/* Thirds: 2/3 of the way. Pairs do not mind; unpaired schedules do. */
static void test_drift_of_the_times(void **state)
{
    (void)state;
    struct scene scene = {.runs = 24, .iterations = 5, .paired = true, .drift = 0.15};
    struct model_comparison paired = compare(&scene);
    assert_true(near_to(paired.conditions.drift, 0.105, 0.01));
    assert_true(near_to(paired.conditions.ratio_drift, 0.0, 0.002));
    assert_int_equal(paired.warning_count, 0);
    scene.paired = false;
    struct model_comparison unpaired = compare(&scene);
    assert_true(near_to(unpaired.conditions.drift, 0.105, 0.01));
    assert_true(warned(&unpaired, "the times drifted"));
}

static void test_drift_of_the_ratio(void **state)
{
    (void)state;
    const struct scene scene = {
        .runs = 24, .iterations = 5, .paired = true, .ratio_drift = 0.03};
    struct model_comparison got = compare(&scene);
    assert_true(near_to(got.conditions.ratio_drift, 0.02, 0.005));
    assert_true(warned(&got, "the ratio itself drifted"));
}

static void test_a_slower_cpu(void **state)
{
    (void)state;
    struct scene scene = {.runs = 24, .iterations = 5, .paired = true, .bias = 0.04};
    struct model_comparison got = compare(&scene);
    assert_true(near_to(got.conditions.cpu_bias, expm1(0.04), 0.002));
    assert_true(near_to(got.ratio, 1.0, 0.002));
    assert_true(warned(&got, "the second of the two CPUs is 4.1 % slower"));
    scene.bias = -0.04;
    got = compare(&scene);
    assert_true(warned(&got, "the first of the two CPUs is 4.1 % slower"));
}

/* Inside long runs and, where they are short, over them. */
static void test_autocorrelation(void **state)
{
    (void)state;
    struct scene scene = {.runs = 16, .iterations = 400, .paired = true, .memory = 0.6};
    for (int i = 0; i < 2; i++) {
        const struct model_comparison got = compare(&scene);
        assert_true(near_to(got.conditions.lag1_times[MODEL_OLD], 0.6, 0.08));
        assert_true(near_to(got.conditions.lag1_times[MODEL_NEW], 0.6, 0.08));
        assert_true(near_to(got.conditions.lag1_ratios, 0.0, 0.1));
        scene.runs = 1500;
        scene.iterations = 1;
    }
}

/* A change of every tenth iteration, which a median does not see. */
static void test_a_slow_tail(void **state)
{
    (void)state;
    static const size_t iterations[] = {1, 5, 30, 400};
    for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
        struct scene scene = {.runs = 3000 / iterations[i] + 5,
                              .iterations = iterations[i],
                              .paired = true,
                              .slow = 0.5};
        struct model_comparison got = compare(&scene);
        const struct model_tail *p99 = &got.tails[MODEL_TAIL_P99];
        assert_true(near_to(p99->ratio, 1.5, 0.02));
        assert_true(p99->low > 1.4 && p99->low < p99->ratio);
        assert_true(p99->high < 1.6 && p99->high > p99->ratio);
        assert_true(warned(&got, "the slow iterations changed differently from"));
    }
}

static struct model_comparison with_tails(double p90, double p99)
{
    return (struct model_comparison){
        .ratio = 1.0,
        .tails = {{p90, p90 / 1.001, p90 * 1.001}, {p99, p99 / 1.1, p99 * 1.1}}};
}

/* The hint names all that changed, and recommends what changed most. */
static void test_the_hint_names_the_furthest(void **state)
{
    (void)state;
    struct model_comparison both = with_tails(1.015, 10.8);
    analysis_tails_warn(&both);
    assert_int_equal(both.warning_count, 1);
    assert_true(warned(&both, "90th percentile +1.5 %"));
    assert_true(warned(&both, "99th percentile x10.8 [x9.82, x11.9]"));
    assert_true(warned(&both, "--statistic p99"));

    struct model_comparison asked = with_tails(1.03, 10.8);
    asked.ratio = 10.8;
    asked.statistic.statistic =
        (struct model_statistic){MODEL_STATISTIC_QUANTILE, 0.99};
    analysis_tails_warn(&asked);
    assert_true(warned(&asked, "differently from the p99: 90th percentile +3 %"));
    assert_false(warned(&asked, "99th"));

    /* As factors, too, where only an end is one: no "+1e+02 %". */
    struct model_comparison wide = with_tails(1.0, 1.9);
    wide.tails[MODEL_TAIL_P99] = (struct model_tail){1.9, 1.8, 1.996};
    analysis_tails_warn(&wide);
    assert_true(warned(&wide, "99th percentile x1.9 [x1.8, x2]; "));
    wide.warning_count = 0;
    wide.tails[MODEL_TAIL_P99] = (struct model_tail){0.52, 0.45, 0.6};
    analysis_tails_warn(&wide);
    assert_true(warned(&wide, "99th percentile x0.52 [x0.45, x0.6]; "));

    struct model_comparison none = with_tails(1.005, 1.05);
    analysis_tails_warn(&none);
    assert_int_equal(none.warning_count, 0);
}

static void test_too_few_for_a_tail(void **state)
{
    (void)state;
    const struct scene scene = {.runs = 6, .iterations = 12, .paired = true};
    struct model_comparison got = compare(&scene);
    assert_true(isfinite(got.tails[MODEL_TAIL_P90].ratio));
    assert_true(isnan(got.tails[MODEL_TAIL_P90].low)); /* three blocks */
    assert_true(isnan(got.tails[MODEL_TAIL_P99].ratio));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_data_warn_of_nothing),
        cmocka_unit_test(test_drift_of_the_times),
        cmocka_unit_test(test_drift_of_the_ratio),
        cmocka_unit_test(test_a_slower_cpu),
        cmocka_unit_test(test_autocorrelation),
        cmocka_unit_test(test_a_slow_tail),
        cmocka_unit_test(test_the_hint_names_the_furthest),
        cmocka_unit_test(test_too_few_for_a_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
