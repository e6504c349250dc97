/* Widths of intervals of a workload against itself, on simulated times. */
#include "study/study_accuracy.h"

#include "base/random.h"
#include "support/alloc_fail.h"
#include "unit/stats/nearly.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 12, ITERATIONS = 8 };

static const struct study_accuracy_plan plan = {
    .confidence = 0.99, .replicates = 2000, .seed = 3, .sample_runs = 10};

/* Times of 10 ms with interference of `shared` that both sides of a pair suffer alike
 * and noise of `own` that each has for itself (shares, uniform). */
static struct model_values simulate(bool paired, double shared, double own,
                                    uint64_t seed)
{
    struct random_stream stream = random_stream_at(seed, 1);
    struct model_values values = {.paired = paired, .run_count = RUNS};
    values.runs = calloc(RUNS, sizeof *values.runs);
    for (size_t r = 0; r < RUNS; r++) {
        struct model_run_values *run = &values.runs[r];
        *run = (struct model_run_values){
            .run = r, .block = r / 2, .old_position = (unsigned)r % 2};
        double level = 1 + shared * random_uniform(&stream);
        for (int side = 0; side < MODEL_SIDES; side++) {
            run->counts[side] = ITERATIONS;
            run->values[side] = calloc(ITERATIONS, sizeof(double));
            level = paired ? level : 1 + shared * random_uniform(&stream);
            for (size_t i = 0; i < ITERATIONS; i++) {
                run->values[side][i] =
                    1e7 * level * (1 + own * random_uniform(&stream));
            }
        }
    }
    return values;
}

static struct study_accuracy accuracy(const struct model_values *values,
                                      enum model_estimator estimator)
{
    struct study_accuracy result;
    struct duet_error error = {0};
    assert_int_equal(study_accuracy_of(&plan, estimator, values, &result, &error),
                     DUET_OK);
    return result;
}

/* Bulej 2020's argument: what both sides suffer alike cancels in pairs. */
static void shared_interference_cancels_in_pairs(void **state)
{
    (void)state;
    struct model_values together = simulate(true, 0.5, 0.01, 1);
    struct model_values alone = simulate(false, 0.5, 0.01, 2);
    struct study_accuracy pairs = accuracy(&together, MODEL_ESTIMATOR_GEOMEAN);
    struct study_accuracy standard = accuracy(&alone, MODEL_ESTIMATOR_GEOMEAN);
    assert_int_equal(pairs.runs, 10);
    assert_nearly(pairs.iterations, ITERATIONS, 0);
    assert_true(pairs.low < pairs.ratio && pairs.ratio < pairs.high);
    assert_nearly(pairs.width_pct, 100 * (pairs.high - pairs.low), 0.02);
    assert_true(standard.width_pct > 20 * pairs.width_pct);
    assert_true(pairs.shuffled_pct > 20 * pairs.width_pct);
    assert_true(isnan(standard.shuffled_pct));
    assert_true(pairs.mean_ns > 1e7 && pairs.mean_ns < 1.6e7);
    struct study_accuracy trimmed = accuracy(&together, MODEL_ESTIMATOR_TRIMMED);
    assert_true(trimmed.width_pct > 0 && trimmed.width_pct < standard.width_pct / 10);
    model_values_release(&together);
    model_values_release(&alone);
}

static void without_sharing_nothing_is_gained(void **state)
{
    (void)state;
    struct model_values together = simulate(true, 0, 0.05, 1);
    struct study_accuracy pairs = accuracy(&together, MODEL_ESTIMATOR_GEOMEAN);
    assert_true(pairs.shuffled_pct < 2 * pairs.width_pct &&
                pairs.width_pct < 2 * pairs.shuffled_pct);
    model_values_release(&together);
}

/* The values stay as they are, and the same again gives the same. */
static void it_changes_nothing(void **state)
{
    (void)state;
    struct model_values values = simulate(true, 0.5, 0.01, 4);
    struct model_values same = simulate(true, 0.5, 0.01, 4);
    struct study_accuracy first = accuracy(&values, MODEL_ESTIMATOR_GEOMEAN);
    struct study_accuracy again = accuracy(&values, MODEL_ESTIMATOR_GEOMEAN);
    for (size_t r = 0; r < RUNS; r++) {
        assert_memory_equal(values.runs[r].values[0], same.runs[r].values[0],
                            ITERATIONS * sizeof(double));
    }
    assert_nearly(first.width_pct, again.width_pct, 0);
    assert_nearly(first.shuffled_pct, again.shuffled_pct, 0);
    model_values_release(&values);
    model_values_release(&same);
}

/* As the paper's and the standard method's: what is known of lost CPU time is not
 * subtracted. */
static void times_are_taken_as_they_are(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(9, 1);
    struct model_values values = simulate(true, 0.1, 0.01, 4);
    struct study_accuracy unknown = accuracy(&values, MODEL_ESTIMATOR_GEOMEAN);
    for (size_t r = 0; r < RUNS; r++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            struct model_run_values *run = &values.runs[r];
            run->single[side] = true;
            run->idle[side] = calloc(ITERATIONS, sizeof *run->idle[side]);
            for (size_t i = 0; i < ITERATIONS; i++) {
                double lost = 0.3 * random_uniform(&stream);
                run->idle[side][i] = (struct model_idle){.all = lost, .taken = lost};
            }
        }
    }
    struct study_accuracy known = accuracy(&values, MODEL_ESTIMATOR_GEOMEAN);
    assert_nearly(known.width_pct, unknown.width_pct, 0);
    assert_nearly(known.shuffled_pct, unknown.shuffled_pct, 0);
    assert_nearly(known.ratio, unknown.ratio, 0);
    model_values_release(&values);
}

static void ratios_and_means_of_runs(void **state)
{
    (void)state;
    double old_times[] = {1, 2, 4};
    double new_times[] = {2, 4, 8};
    struct model_run_values runs[2] = {
        {.values = {old_times, new_times}, .counts = {3, 3}},
        {.values = {new_times, old_times}, .counts = {3, 3}}};
    struct model_values values = {.paired = true, .runs = runs, .run_count = 2};
    double ratios[2];
    double means[2];
    struct duet_error error = {0};
    assert_int_equal(study_run_ratios(&values, ratios, &error), DUET_OK);
    assert_nearly(ratios[0], 2, 1e-12);
    assert_nearly(ratios[1], 0.5, 1e-12);
    study_run_means(&values, means);
    assert_nearly(means[0], 3.5, 1e-12);
    values.paired = false;
    assert_int_equal(study_run_ratios(&values, ratios, &error), DUET_OK);
    assert_nearly(ratios[0], 2, 1e-12);
    values.run_count = 0;
    assert_int_equal(study_run_ratios(&values, ratios, &error), DUET_E_TOO_FEW);
}

static void too_few_runs_are_an_error(void **state)
{
    (void)state;
    struct model_values values = simulate(true, 0.5, 0.01, 5);
    size_t all = values.run_count;
    struct study_accuracy result;
    static const char *const said[] = {"no run", "got 1 run; an interval needs two"};
    for (values.run_count = 0; values.run_count < 2; values.run_count++) {
        struct duet_error error = {0};
        assert_int_equal(
            study_accuracy_of(&plan, MODEL_ESTIMATOR_GEOMEAN, &values, &result, &error),
            DUET_E_TOO_FEW);
        assert_non_null(strstr(error.message, said[values.run_count]));
    }
    values.run_count = all;
    model_values_release(&values);
}

static void short_memory_is_an_error(void **state)
{
    (void)state;
    struct model_values values = simulate(true, 0.5, 0.01, 6);
    struct study_accuracy result;
    struct duet_error error = {0};
    alloc_fail_at(0);
    assert_int_equal(
        study_accuracy_of(&plan, MODEL_ESTIMATOR_GEOMEAN, &values, &result, &error),
        DUET_OK);
    unsigned long total = alloc_fail_seen();
    for (unsigned long n = 1; n <= total; n += 1 + total / 20) {
        alloc_fail_at(n);
        enum duet_code code =
            study_accuracy_of(&plan, MODEL_ESTIMATOR_GEOMEAN, &values, &result, &error);
        alloc_fail_at(0);
        assert_int_equal(code, DUET_E_NOMEM);
    }
    model_values_release(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_interference_cancels_in_pairs),
        cmocka_unit_test(without_sharing_nothing_is_gained),
        cmocka_unit_test(it_changes_nothing),
        cmocka_unit_test(times_are_taken_as_they_are),
        cmocka_unit_test(ratios_and_means_of_runs),
        cmocka_unit_test(too_few_runs_are_an_error),
        cmocka_unit_test(short_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
