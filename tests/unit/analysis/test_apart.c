// labels: novalgrind noasan
/* Sides that were measured apart: how often two sides of the same program are told
 * apart, and what is said of too few values. With an argument it prints the table of
 * docs/method.md:
 *
 *     unit_analysis_apart measure 10000
 */
#include "analysis/conclude.h"
#include "analysis/family.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/trials.h"

enum { COUNT_MAX = 30, ITERATIONS = 5 };

enum noise { NORMAL, LOGNORMAL, EXPONENTIAL, NOISES };
static const char *const noise_names[] = {"normal", "log-normal", "exponential"};

/* How the values come: one sample a side, runs of one value, runs of five whose spread
 * is half within and half between them. */
enum shape { SAMPLE, RUNS, LEVELS, SHAPES };
static const char *const shape_names[] = {"values", "runs", "runs of 5"};

struct scene {
    enum noise noise;
    enum shape shape;
    size_t counts[MODEL_SIDES];
    double sds[MODEL_SIDES];
    enum model_interval_method interval; /* T: the default */
    struct model_statistic statistic;
    bool winsorize;
};

/* Box and Muller 1958. */
static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* Mean 1, standard deviation about sd. */
static double draw(struct random_stream *stream, enum noise noise, double sd)
{
    switch (noise) {
    case NORMAL:
        return 1.0 + sd * draw_normal(stream);
    case LOGNORMAL:
        return exp(sd * draw_normal(stream) - 0.5 * sd * sd);
    case EXPONENTIAL:
        return 1.0 - sd - sd * log(random_uniform(stream));
    case NOISES:
        break;
    }
    abort();
}

static void add(struct analysis *analysis, size_t run, enum model_side side,
                double *times, size_t count)
{
    struct model_run_values values = {.run = run, .block = run / 2};
    values.values[side] = times;
    values.counts[side] = count;
    assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
}

static void add_side(struct analysis *analysis, const struct scene *scene,
                     enum model_side side, struct random_stream *stream)
{
    double times[COUNT_MAX];
    double sd = scene->sds[side];
    size_t count = scene->counts[side];
    if (scene->shape == SAMPLE) {
        for (size_t i = 0; i < count; i++) {
            times[i] = 1e6 * draw(stream, scene->noise, sd);
        }
        add(analysis, side, side, times, count);
        return;
    }
    for (size_t r = 0; r < count; r++) {
        double level = draw(stream, scene->noise, sd);
        size_t iterations = scene->shape == RUNS ? 1 : ITERATIONS;
        for (size_t i = 0; i < iterations; i++) {
            times[i] = 1e6 * level;
            times[i] *= scene->shape == RUNS ? 1.0 : draw(stream, scene->noise, sd);
        }
        add(analysis, 2 * r + side, side, times, iterations);
    }
}

static struct model_analysis options_of(const struct scene *scene)
{
    struct model_analysis options = model_analysis_default();
    options.replicates = 1000;
    options.iterations_alone = scene->shape == SAMPLE;
    options.interval_asked = scene->interval != MODEL_INTERVAL_T;
    options.interval = scene->interval;
    options.statistic = scene->statistic;
    options.winsorize = scene->winsorize ? MODEL_WINSORIZE_FACTOR : MODEL_WINSORIZE_OFF;
    return options;
}

/* The share of comparisons of equal sides whose interval excludes 1. */
static double false_share(const struct scene *scene, unsigned trials)
{
    struct model_analysis options = options_of(scene);
    unsigned alarms = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        struct random_stream stream = random_stream_at(20200420, trial);
        struct analysis *analysis = NULL;
        struct model_interval interval = {0};
        double ratio = 0.0;
        options.seed = trial;
        assert_int_equal(analysis_new(&options, false, &analysis, NULL), DUET_OK);
        add_side(analysis, scene, MODEL_OLD, &stream);
        add_side(analysis, scene, MODEL_NEW, &stream);
        assert_int_equal(analysis_estimate(analysis, &ratio, &interval, NULL), DUET_OK);
        analysis_free(analysis);
        alarms += interval.low > 1.0 || interval.high < 1.0;
    }
    return (double)alarms / trials;
}

/* Not above what is promised by more than four standard errors. */
static void assert_promise(const struct scene *scene, double promised, unsigned trials)
{
    double share = false_share(scene, trials);
    if (share > promised + 4.0 * sqrt(promised / trials)) {
        fail_msg("%s, %s, n = %zu and %zu: %.2f %% false verdicts",
                 noise_names[scene->noise], shape_names[scene->shape],
                 scene->counts[MODEL_OLD], scene->counts[MODEL_NEW], 100.0 * share);
    }
}

static void test_the_default_holds_its_promise_at_every_number(void **state)
{
    (void)state;
    const size_t counts[] = {2, 3, 4, 5, 8, 16, 30};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int noise = NORMAL; noise <= LOGNORMAL; noise++) {
            for (int shape = 0; shape < SHAPES; shape++) {
                const struct scene scene = {.noise = (enum noise)noise,
                                            .shape = (enum shape)shape,
                                            .counts = {counts[i], counts[i]},
                                            .sds = {0.1, 0.1},
                                            .interval = MODEL_INTERVAL_T,
                                            .winsorize = true};
                assert_promise(&scene, 0.01, TRIALS_OF(2000));
            }
        }
    }
}

/* Where Welch's degrees of freedom give up to 8 % of false verdicts. */
static void test_unequal_sides_hold_it_too(void **state)
{
    (void)state;
    const struct {
        size_t counts[MODEL_SIDES];
        double sds[MODEL_SIDES];
    } cases[] = {{{2, 10}, {0.1, 0.1}},  {{2, 30}, {0.1, 0.1}}, {{30, 2}, {0.1, 0.2}},
                 {{3, 10}, {0.1, 0.05}}, {{3, 3}, {0.1, 0.01}}, {{5, 30}, {0.2, 0.1}},
                 {{30, 5}, {0.1, 0.2}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene = {.shape = SAMPLE, .interval = MODEL_INTERVAL_T};
        memcpy(scene.counts, cases[i].counts, sizeof scene.counts);
        memcpy(scene.sds, cases[i].sds, sizeof scene.sds);
        assert_promise(&scene, 0.01, TRIALS_OF(5000));
    }
}

/* A sample's odd value is one of few independent ones: winsorized, it would take the
 * spread with it, and 12 % of the verdicts with 3 values a side were false. */
static void test_odd_values_make_no_verdict(void **state)
{
    (void)state;
    const size_t counts[] = {3, 4, 5, 8};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const struct scene scene = {.noise = EXPONENTIAL,
                                    .shape = SAMPLE,
                                    .counts = {counts[i], counts[i]},
                                    .sds = {0.5, 0.5},
                                    .interval = MODEL_INTERVAL_T,
                                    .winsorize = true};
        assert_promise(&scene, 0.01, TRIALS_OF(5000));
    }
}

/* The paper's interval stays what it was: asked for by name it decides. */
static void test_the_papers_interval_decides_wrongly_with_few(void **state)
{
    (void)state;
    const struct scene scene = {.shape = SAMPLE,
                                .counts = {3, 3},
                                .sds = {0.1, 0.1},
                                .interval = MODEL_INTERVAL_DIFFERENCE};
    assert_true(false_share(&scene, TRIALS_OF(1000)) > 0.08);
}

/* ---- What is said ---- */

static struct model_comparison compare(const struct model_analysis *options,
                                       double *old_times, size_t old_count,
                                       double *new_times, size_t new_count)
{
    struct analysis *analysis = NULL;
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_new(options, false, &analysis, NULL), DUET_OK);
    add(analysis, 0, MODEL_OLD, old_times, old_count);
    add(analysis, 1, MODEL_NEW, new_times, new_count);
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

static void assert_says(const struct model_comparison *comparison, const char *words)
{
    for (size_t i = 0; i < comparison->warning_count; i++) {
        if (strstr(comparison->warnings[i].text, words) != NULL) {
            return;
        }
    }
    fail_msg("nothing says '%s'", words);
}

static void test_two_values_a_side_are_no_answer(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    double old_times[] = {1.0, 1.1};
    double new_times[] = {1.2, 1.3};
    options.iterations_alone = true;
    struct model_comparison said = compare(&options, old_times, 2, new_times, 2);
    assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
    assert_true(fabs(said.ratio - 1.25 / 1.05) < 1e-12);
    assert_true(said.p_value > 0.1);
    assert_says(&said, "2 values a side are few");
    assert_says(&said, "about 6 a side");
    said = compare(&options, old_times, 1, new_times, 1);
    assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
    assert_says(&said, "old has 1 value");
}

/* Coarse clocks: five equal values against five others cannot be chance (1 in 126),
 * four can (1 in 35). */
static void test_equal_values_are_judged_by_their_number(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    double old_times[] = {10, 10, 10, 10, 10};
    double new_times[] = {11, 11, 11, 11, 11};
    options.iterations_alone = true;
    struct model_comparison said = compare(&options, old_times, 4, new_times, 4);
    assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
    assert_says(&said, "about 5 a side");
    said = compare(&options, old_times, 5, new_times, 5);
    assert_int_equal(said.verdict, MODEL_VERDICT_SLOWER);
    assert_true(fabs(said.p_value - 2.0 / 252.0) < 1e-12);
}

/* An interval that was asked for decides by itself. Together with others their number
 * counts: three can be chance, 1 in 10 by permutation and 1 in 4 by sign flips. */
static void test_equal_values_of_other_intervals_are_not_certain(void **state)
{
    (void)state;
    double old_times[] = {10, 10, 10};
    double new_times[] = {12, 12, 12};
    for (int bootstrap = 0; bootstrap < 2; bootstrap++) {
        struct model_analysis options = model_analysis_default();
        options.iterations_alone = true;
        options.interval_asked = true;
        options.interval =
            bootstrap ? MODEL_INTERVAL_PERCENTILE : MODEL_INTERVAL_DIFFERENCE;
        options.statistic.kind =
            bootstrap ? MODEL_STATISTIC_MEDIAN : MODEL_STATISTIC_NONE;
        struct model_comparison said = compare(&options, old_times, 3, new_times, 3);
        assert_int_equal(said.verdict, MODEL_VERDICT_SLOWER);
        assert_true(fabs(said.p_value - (bootstrap ? 0.25 : 0.1)) < 1e-12);
        struct model_comparison other = said;
        struct model_comparison *both[] = {&said, &other};
        assert_int_equal(
            analysis_family_judge(MODEL_MULTIPLICITY_HOLM, 0.99, both, 2, NULL),
            DUET_OK);
        assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
        assert_true(said.family.withheld);
    }
}

/* Welch's own degrees of freedom, 3.1 here, give too many false alarms with few values
 * of the noisier side: the p value has those of the interval `t`. */
static void test_the_papers_interval_has_the_p_value_of_t(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    double old_times[] = {10, 10.1, 10.2, 10.1, 10, 10.2, 10.1, 10};
    double new_times[] = {13, 14, 16};
    options.iterations_alone = true;
    struct model_comparison by_t = compare(&options, old_times, 8, new_times, 3);
    options.interval = MODEL_INTERVAL_DIFFERENCE;
    struct model_comparison by_bootstrap =
        compare(&options, old_times, 8, new_times, 3);
    assert_int_equal(by_bootstrap.interval.method, MODEL_INTERVAL_DIFFERENCE);
    assert_true(by_t.p_value > 0.0);
    assert_float_equal(by_bootstrap.p_value, by_t.p_value, 0);
}

/* One process of each program: many iterations, and nothing about other processes. */
static void test_one_process_a_side_is_no_answer(void **state)
{
    (void)state;
    static const enum model_statistic_kind kinds[] = {
        MODEL_STATISTIC_NONE, MODEL_STATISTIC_MEDIAN, MODEL_STATISTIC_MEAN};
    double old_times[] = {100, 101, 100, 101, 100};
    double new_times[] = {120, 121, 120, 121, 120};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int asked = 0; asked < 2; asked++) {
            struct model_analysis options = model_analysis_default();
            options.statistic.kind = kinds[i];
            options.interval_asked = asked != 0;
            options.interval =
                asked != 0 ? MODEL_INTERVAL_PERCENTILE : MODEL_INTERVAL_T;
            struct model_comparison said =
                compare(&options, old_times, 5, new_times, 5);
            assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
            assert_says(&said, "each side come from one process");
        }
    }
}

static void test_a_default_bootstrap_of_few_decides_nothing(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    double old_times[] = {100, 101, 100, 101, 100};
    double new_times[] = {120, 121, 120, 121, 120};
    options.iterations_alone = true;
    options.statistic.kind = MODEL_STATISTIC_MEDIAN;
    struct model_comparison said = compare(&options, old_times, 5, new_times, 5);
    assert_int_equal(said.verdict, MODEL_VERDICT_UNSURE);
    assert_says(&said, "the bootstrap interval is too narrow");
    options.interval_asked = true;
    options.interval = MODEL_INTERVAL_PERCENTILE;
    said = compare(&options, old_times, 5, new_times, 5);
    assert_int_equal(said.verdict, MODEL_VERDICT_SLOWER);
}

/* Of a default bootstrap: what it would say, before too few withhold it. */
static double false_share_of(struct scene scene, enum model_statistic_kind kind,
                             double probability, unsigned trials)
{
    scene.statistic = (struct model_statistic){kind, probability};
    return 100.0 * false_share(&scene, trials);
}

static int print_table(unsigned trials)
{
    const size_t counts[] = {2, 3, 4, 5, 8, 16, 30};
    printf("| values | data | n | t | difference | median | p90 |\n"
           "|---|---|---:|---:|---:|---:|---:|\n");
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int noise = 0; noise < NOISES && shape != RUNS; noise++) {
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                struct scene scene = {.noise = (enum noise)noise,
                                      .shape = (enum shape)shape,
                                      .counts = {counts[i], counts[i]},
                                      .sds = {0.1, 0.1},
                                      .interval = MODEL_INTERVAL_T,
                                      .winsorize = true};
                double by_t = 100.0 * false_share(&scene, trials);
                double median =
                    false_share_of(scene, MODEL_STATISTIC_MEDIAN, 0.0, trials);
                double p90 =
                    false_share_of(scene, MODEL_STATISTIC_QUANTILE, 0.9, trials);
                scene.interval = MODEL_INTERVAL_DIFFERENCE;
                printf("| %s | %s | %zu | %.1f | %.1f | %.1f | %.1f |\n",
                       shape_names[shape], noise_names[noise], counts[i], by_t,
                       100.0 * false_share(&scene, trials), median, p90);
                (void)fflush(stdout);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "measure") == 0) {
        return print_table((unsigned)strtoul(argv[2], NULL, 10));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_default_holds_its_promise_at_every_number),
        cmocka_unit_test(test_unequal_sides_hold_it_too),
        cmocka_unit_test(test_odd_values_make_no_verdict),
        cmocka_unit_test(test_the_papers_interval_decides_wrongly_with_few),
        cmocka_unit_test(test_two_values_a_side_are_no_answer),
        cmocka_unit_test(test_equal_values_are_judged_by_their_number),
        cmocka_unit_test(test_equal_values_of_other_intervals_are_not_certain),
        cmocka_unit_test(test_the_papers_interval_has_the_p_value_of_t),
        cmocka_unit_test(test_one_process_a_side_is_no_answer),
        cmocka_unit_test(test_a_default_bootstrap_of_few_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
