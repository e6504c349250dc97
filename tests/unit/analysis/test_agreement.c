// link: duet_stats
// labels: soakvalgrind
/* The mean beside a typical iteration. With arguments it prints the table of
 * docs/decisions/0021-mean-beside-the-median.md:
 *
 *     unit_analysis_agreement measure 1000
 */
#include "analysis/anytime.h"
#include "analysis/conclude.h"
#include "analysis/remarks/agreement.h"
#include "base/random.h"
#include "stats/gaussian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/trials.h"

enum { ITERATIONS_MAX = 100 };

/* Two programs whose truth is known. */
struct scene {
    const char *name;
    double change;     /* of every iteration of new, as a fraction */
    double slow_share; /* of new's iterations ... */
    double slow;       /* ... take so much longer, as a fraction */
    double noise;      /* of each time; that of a run is half as large */
    double storms;     /* share of the blocks in which noise is 10 times as large */
    size_t iterations; /* of a run */
};

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile((random_uniform(stream) + 1e-12) / (1.0 + 2e-12));
}

struct experiment {
    struct random_stream stream;
    double noise; /* of the current block */
    uint64_t block;
    bool half; /* the first run of the current block is done */
    unsigned coin;
};

static void fill(const struct scene *scene, uint64_t run, struct experiment *experiment,
                 double times[MODEL_SIDES][ITERATIONS_MAX],
                 struct model_run_values *ret_values)
{
    struct random_stream *stream = &experiment->stream;
    if (run % 2 == 0) {
        bool storm = random_uniform(stream) < scene->storms;
        experiment->noise = scene->noise * (storm ? 10.0 : 1.0);
    }
    *ret_values = (struct model_run_values){
        .run = run, .block = run / 2, .old_position = (unsigned)(run % 2)};
    for (int side = 0; side < MODEL_SIDES; side++) {
        double of_run = 0.5 * experiment->noise * normal(stream);
        for (size_t i = 0; i < scene->iterations; i++) {
            double log_time = log(1e6) + of_run + experiment->noise * normal(stream);
            if (side == MODEL_NEW) {
                log_time += log1p(scene->change);
                log_time +=
                    random_uniform(stream) < scene->slow_share ? log1p(scene->slow) : 0;
            }
            times[side][i] = exp(log_time);
        }
        ret_values->values[side] = times[side];
        ret_values->counts[side] = scene->iterations;
    }
}

static bool decided(const struct model_interval *interval, double within)
{
    double band = 1.0 + within;
    return interval->low > 1.0 || interval->high < 1.0 ||
           (interval->low > 1.0 / band && interval->high < band);
}

/* Assigns the run to the positions; whether it is the last one of its coin. */
static bool toss(uint64_t run, struct experiment *experiment,
                 struct model_run_values *values)
{
    bool alone = analysis_coin_alone(run);
    bool second = !alone && experiment->half;
    if (!second) {
        experiment->block++;
        experiment->coin = random_u32(&experiment->stream) >> 31U;
    }
    experiment->half = !alone && !second;
    values->block = experiment->block;
    values->old_position = second ? 1U - experiment->coin : experiment->coin;
    return !experiment->half;
}

/* As session/comparison/live does. */
static bool may_stop(const struct analysis *analysis, double within, uint64_t runs,
                     uint64_t *satisfied, uint64_t *more)
{
    double ratio = 0.0;
    bool certain = false;
    struct model_interval interval = {0};
    assert_int_equal(analysis_estimate(analysis, &ratio, &interval, NULL), DUET_OK);
    if (!decided(&interval, within)) {
        return false;
    }
    *satisfied = *satisfied == 0 ? runs : *satisfied;
    assert_int_equal(
        analysis_mean_is_certain(analysis, ratio, &interval, &certain, NULL), DUET_OK);
    bool bounded = isfinite(interval.low) && isfinite(interval.high);
    if (bounded && certain) {
        return true;
    }
    if (runs < *satisfied + *more) {
        return false;
    }
    *more += *more / 2;
    bool doubted = false;
    if (!(interval.low > 1.0 || interval.high < 1.0)) {
        assert_int_equal(analysis_is_doubted(analysis, &doubted, NULL), DUET_OK);
    }
    return !doubted;
}

/* Measured until the interval decides, as `--until decided --same-within 1%`. */
static struct model_comparison compare(const struct scene *scene, uint64_t seed,
                                       size_t runs_max)
{
    static double times[MODEL_SIDES][ITERATIONS_MAX];
    struct experiment experiment = {.stream = random_stream_at(seed, 21)};
    struct model_analysis options = model_analysis_default();
    struct model_comparison comparison = {0};
    struct analysis *analysis = NULL;
    analysis_options_adapt(&options);
    options.replicates = 100;
    options.same_within = 0.01;
    options.coin = MODEL_COIN_RUN;
    assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
    uint64_t satisfied = 0;
    uint64_t more = 12;
    for (uint64_t run = 0; run < runs_max; run++) {
        struct model_run_values values;
        fill(scene, run, &experiment, times, &values);
        bool ended = toss(run, &experiment, &values);
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
        if (ended &&
            may_stop(analysis, options.same_within, run + 1, &satisfied, &more)) {
            break;
        }
    }
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

struct tally {
    size_t verdicts[MODEL_VERDICTS];
    size_t doubts[MODEL_DOUBTS];
    size_t shown;
    size_t covered; /* the mean's interval held the truth */
    double runs;
};

static double true_mean(const struct scene *scene)
{
    return (1.0 + scene->change) * (1.0 + scene->slow_share * scene->slow);
}

static struct tally tally(const struct scene *scene, size_t trials, size_t runs_max)
{
    struct tally tally = {{0}, {0}, 0, 0, 0.0};
    for (size_t trial = 0; trial < trials; trial++) {
        const struct model_comparison got = compare(scene, trial, runs_max);
        tally.verdicts[got.verdict]++;
        tally.doubts[got.doubt]++;
        tally.shown += got.mean_change.disagrees;
        tally.covered += got.mean_change.low <= true_mean(scene) &&
                         got.mean_change.high >= true_mean(scene);
        tally.runs += (double)got.runs / (double)trials;
    }
    return tally;
}

#define CASES                                                                      \
    {"A/A", 0, 0, 0, 0.01, 0, 5}, {"A/A, single", 0, 0, 0, 0.01, 0, 1},            \
        {"A/A, storms", 0, 0, 0, 0.005, 0.2, 5}, {"+2 %", 0.02, 0, 0, 0.01, 0, 5}, \
        {"+2 %, single", 0.02, 0, 0, 0.01, 0, 1},                                  \
        {"+2 %, storms", 0.02, 0, 0, 0.01, 0.2, 5},                                \
        {"+2 %, noise 5 %", 0.02, 0, 0, 0.05, 0, 5},                               \
        {"15 % by 30 %", 0, 0.15, 0.3, 0.005, 0, 5},                               \
        {"15 % by 30 %, single", 0, 0.15, 0.3, 0.005, 0, 1},                       \
        {"equal means, 10 % by 30 %", -0.0291, 0.1, 0.3, 0.01, 0, 5},              \
        {"equal means, 10 % by 30 %, single", -0.0291, 0.1, 0.3, 0.01, 0, 1},      \
        {"equal means, 10 % by 100 %", -0.0909, 0.1, 1.0, 0.01, 0, 5},             \
    {                                                                              \
        "equal means, 10 % by 50 %, long", -0.0476, 0.1, 0.5, 0.01, 0, 50          \
    }

static int measure(size_t trials)
{
    static const struct scene scenes[] = {CASES};
    (void)printf(
        "| case | slower | faster | same | unsure | failed | of these mean | tail | mean shown | covered | runs |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct tally got = tally(&scenes[i], trials, 300);
        double whole = (double)trials / 100.0;
        (void)printf("| %s |", scenes[i].name);
        for (int v = 0; v < MODEL_VERDICTS; v++) {
            (void)printf(" %.1f |", (double)got.verdicts[v] / whole);
        }
        (void)printf(" %.1f | %.1f | %.1f | %.1f | %.0f |\n",
                     (double)got.doubts[MODEL_DOUBT_MEAN] / whole,
                     (double)got.doubts[MODEL_DOUBT_TAIL] / whole,
                     (double)got.shown / whole, (double)got.covered / whole, got.runs);
        (void)fflush(stdout);
    }
    return 0;
}

enum { TRIALS = TRIALS_OF(60), RUNS_MAX = 80 };

static struct tally tally_of(const char *name)
{
    static const struct scene scenes[] = {CASES};
    size_t at = 0;
    while (strcmp(scenes[at].name, name) != 0) {
        at++;
    }
    return tally(&scenes[at], TRIALS, RUNS_MAX);
}

/* 15 % of the iterations 30 % slower: a median does not see it, the mean does. */
static void test_few_slow_iterations_are_not_the_same(void **state)
{
    (void)state;
    struct tally got = tally_of("15 % by 30 %");
    assert_true(got.verdicts[MODEL_VERDICT_SAME] <= TRIALS / 20);
    assert_int_equal(got.verdicts[MODEL_VERDICT_FASTER], 0);
    assert_true(got.doubts[MODEL_DOUBT_MEAN] >= TRIALS * 9 / 10);
    assert_true(got.shown >= TRIALS * 8 / 10);
    got = tally_of("15 % by 30 %, single");
    assert_true(got.verdicts[MODEL_VERDICT_SAME] <= TRIALS / 20);
}

static void test_equal_means_are_not_faster(void **state)
{
    (void)state;
    struct tally got = tally_of("equal means, 10 % by 30 %");
    assert_true(got.verdicts[MODEL_VERDICT_FASTER] <= TRIALS / 5);
    got = tally_of("equal means, 10 % by 50 %, long");
    assert_true(got.verdicts[MODEL_VERDICT_FASTER] <= TRIALS / 20);
}

/* What a plain change and none are called does not suffer. */
static void test_plain_changes_stay(void **state)
{
    (void)state;
    assert_int_equal(tally_of("+2 %").verdicts[MODEL_VERDICT_SLOWER], TRIALS);
    assert_int_equal(tally_of("+2 %, single").verdicts[MODEL_VERDICT_SLOWER], TRIALS);
    struct tally storms = tally_of("+2 %, storms");
    assert_true(storms.verdicts[MODEL_VERDICT_SLOWER] >= TRIALS * 9 / 10);
    struct tally none = tally_of("A/A");
    assert_true(none.verdicts[MODEL_VERDICT_SAME] >= TRIALS * 9 / 10);
    assert_int_equal(none.doubts[MODEL_DOUBT_MEAN] + none.doubts[MODEL_DOUBT_TAIL], 0);
}

/* ---- The rules by themselves ---- */

static struct model_comparison said(enum model_verdict verdict, double ratio)
{
    return (struct model_comparison){
        .ratio = ratio,
        .interval = {.low = ratio / 1.005, .high = ratio * 1.005},
        .verdict = verdict,
        .same_within = 0.01,
        .tails = {{(double)NAN, (double)NAN, (double)NAN},
                  {(double)NAN, (double)NAN, (double)NAN}},
        .mean_change = {ratio, ratio / 1.004, ratio * 1.004, 1.0, false}};
}

static void check(struct model_comparison comparison, enum model_verdict wanted,
                  enum model_doubt doubt)
{
    analysis_agreement_judge(&comparison);
    assert_int_equal(comparison.verdict, wanted);
    assert_int_equal(comparison.doubt, doubt);
}

static void test_rules(void **state)
{
    (void)state;
    struct model_comparison same = said(MODEL_VERDICT_SAME, 1.001);
    check(same, MODEL_VERDICT_SAME, MODEL_DOUBT_NONE);
    same.mean_change = (struct model_mean_change){1.04, 1.011, 1.07, 0.2, false};
    check(same, MODEL_VERDICT_UNSURE, MODEL_DOUBT_MEAN);
    /* As uncertain as that, it may have changed. */
    same.mean_change = (struct model_mean_change){1.001, 0.985, 1.021, 0.8, false};
    check(same, MODEL_VERDICT_UNSURE, MODEL_DOUBT_MEAN);
    same.mean_change = (struct model_mean_change){1.001, 0.985, 1.019, 0.8, false};
    check(same, MODEL_VERDICT_SAME, MODEL_DOUBT_NONE);
    same.tails[MODEL_TAIL_P99] = (struct model_tail){1.2, 1.015, 1.4};
    check(same, MODEL_VERDICT_UNSURE, MODEL_DOUBT_TAIL);
    same.tails[MODEL_TAIL_P99] = (struct model_tail){0.9, 0.85, 0.95};
    check(same, MODEL_VERDICT_UNSURE, MODEL_DOUBT_TAIL);

    struct model_comparison faster = said(MODEL_VERDICT_FASTER, 0.97);
    check(faster, MODEL_VERDICT_FASTER, MODEL_DOUBT_NONE);
    faster.mean_change = (struct model_mean_change){1.0, 0.985, 1.015, 0.001, true};
    check(faster, MODEL_VERDICT_UNSURE, MODEL_DOUBT_MEAN);
    faster.mean_change.p_value = 0.3;
    check(faster, MODEL_VERDICT_FASTER, MODEL_DOUBT_NONE);
    faster.mean_change = (struct model_mean_change){1.03, 1.01, 1.05, 0.3, false};
    check(faster, MODEL_VERDICT_UNSURE, MODEL_DOUBT_MEAN);
    /* Less of the same is no contradiction. */
    faster.mean_change = (struct model_mean_change){0.985, 0.98, 0.99, 0.001, true};
    check(faster, MODEL_VERDICT_FASTER, MODEL_DOUBT_NONE);
    struct model_comparison unknown = said(MODEL_VERDICT_SLOWER, 1.02);
    unknown.mean_change = (struct model_mean_change){(double)NAN, (double)NAN,
                                                     (double)NAN, (double)NAN, false};
    check(unknown, MODEL_VERDICT_SLOWER, MODEL_DOUBT_NONE);
    check(said(MODEL_VERDICT_UNSURE, 1.0), MODEL_VERDICT_UNSURE, MODEL_DOUBT_NONE);
}

/* Swapped labels invert the mean's change; too few blocks have none. */
static void test_the_change_of_the_mean(void **state)
{
    (void)state;
    enum { RUNS = 8 };
    struct analysis_run_summary summaries[RUNS];
    struct model_mean_change changes[2];
    for (int swapped = 0; swapped < 2; swapped++) {
        for (uint64_t run = 0; run < RUNS; run++) {
            double ratio = 1.02 + 0.001 * (double)(run % 3);
            summaries[run] = (struct analysis_run_summary){
                .run = run,
                .block = run / 2,
                .facts = {{swapped ? -log(ratio) : log(ratio), 0.001}},
                .mean = {{swapped ? ratio * 1e6 : 1e6, swapped ? 1e6 : ratio * 1e6}}};
        }
        struct analysis_used_runs used = {0};
        assert_int_equal(analysis_used_runs_init(summaries, RUNS, ANALYSIS_AS_MEASURED,
                                                 MODEL_COIN_BLOCK, 0, true, 1, 1, &used,
                                                 NULL),
                         DUET_OK);
        assert_int_equal(analysis_mean_change(&used, 0.99,
                                              swapped ? -log(1.021) : log(1.021),
                                              &changes[swapped], NULL),
                         DUET_OK);
        analysis_used_runs_release(&used);
        assert_int_equal(analysis_used_runs_init(summaries, 6, ANALYSIS_AS_MEASURED,
                                                 MODEL_COIN_BLOCK, 0, true, 1, 1, &used,
                                                 NULL),
                         DUET_OK);
        struct model_mean_change few;
        assert_int_equal(analysis_mean_change(&used, 0.99, 0.0, &few, NULL), DUET_OK);
        assert_true(isnan(few.ratio) && isnan(few.low) && isnan(few.p_value));
        analysis_used_runs_release(&used);
    }
    assert_true(changes[0].low < 1.021 && changes[0].high > 1.021);
    assert_true(changes[0].low > 1.019 && changes[0].high < 1.023);
    assert_true(fabs(changes[0].ratio * changes[1].ratio - 1.0) < 1e-12);
    assert_true(fabs(changes[0].low * changes[1].high - 1.0) < 1e-12);
    assert_true(fabs(changes[0].p_value - changes[1].p_value) < 1e-9);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_slow_iterations_are_not_the_same),
        cmocka_unit_test(test_equal_means_are_not_faster),
        cmocka_unit_test(test_plain_changes_stay),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_the_change_of_the_mean),
    };
    if (argc == 3 && strcmp(argv[1], "measure") == 0) {
        return measure((size_t)strtoul(argv[2], NULL, 10));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
