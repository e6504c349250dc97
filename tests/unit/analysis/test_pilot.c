/* What follows from a pilot whose spread is known. */
#include "analysis/plan/plan_runs.h"
#include "analysis/plan/run_length.h"
#include "analysis/remarks/against_itself.h"
#include "base/random.h"
#include "stats/gaussian.h"
#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Ratios of exp(N(0, between) + N(0, within)), and a CPU that is 3 % slower. A run
 * costs 20 ms and an iteration 1 ms. */
struct made {
    size_t runs;
    size_t iterations;
    double between;
    double within;
};

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile((random_uniform(stream) + 1e-12) / (1.0 + 2e-12));
}

static struct model_pilot make(struct made made)
{
    struct random_stream stream = random_stream_at(99, 1);
    struct model_pilot pilot = {.values = {.paired = true, .run_count = made.runs}};
    pilot.values.runs = calloc(made.runs, sizeof *pilot.values.runs);
    assert_non_null(pilot.values.runs);
    for (size_t r = 0; r < made.runs; r++) {
        struct model_run_values *run = &pilot.values.runs[r];
        bool first = (random_u32(&stream) & 1U) != 0;
        run->run = r;
        run->block = r / 2;
        run->old_position =
            r % 2 == 0 ? first : 1 - pilot.values.runs[r - 1].old_position;
        double of_run =
            made.between * normal(&stream) + (run->old_position == 0 ? 0.03 : -0.03);
        for (int side = 0; side < MODEL_SIDES; side++) {
            run->values[side] = calloc(made.iterations, sizeof(double));
            run->counts[side] = made.iterations;
            assert_non_null(run->values[side]);
        }
        for (size_t i = 0; i < made.iterations; i++) {
            run->values[MODEL_OLD][i] = 1e6;
            run->values[MODEL_NEW][i] =
                1e6 * exp(of_run + made.within * normal(&stream));
        }
    }
    pilot.iterations = made.runs * made.iterations;
    pilot.iterating_ns = 1e6 * (double)pilot.iterations;
    pilot.wall_ns = pilot.iterating_ns + 20e6 * (double)made.runs;
    return pilot;
}

static void test_a_program_against_itself(void **state)
{
    (void)state;
    struct model_pilot pilot = make((struct made){4000, 1, 0.02, 0.0});
    struct model_analysis options = model_analysis_default();
    struct model_self_comparison self = {0};
    options.confidence = 0.9;
    assert_int_equal(analysis_self_comparison(&pilot, &options, 16, 60e9, &self, NULL),
                     DUET_OK);
    assert_int_equal(self.windows, 250);
    /* 25 are to be expected; 4 standard deviations. */
    assert_in_range(self.false_alarms, 7, 43);
    assert_true(self.false_low < 0.1 && self.false_high > 0.1);
    assert_true(self.false_low < self.false_share &&
                self.false_share < self.false_high);
    assert_false(self.false_too_many);
    /* A block has a standard deviation of 0.02 / sqrt(2). */
    double expected = 0.0;
    assert_int_equal(stats_t_detectable(0.02 / sqrt(2.0) / sqrt(8.0), 7.0, 0.9, 0.9,
                                        &expected, NULL),
                     DUET_OK);
    assert_true(fabs(self.window_visible / expected - 1.0) < 0.1);
    assert_true(fabs(self.window_ns / (16 * 21e6) - 1.0) < 1e-9);
    /* Half the change takes about four times the runs. */
    const struct model_visibility *half = &self.visibilities[0];
    const struct model_visibility *one = &self.visibilities[1];
    assert_true(half->fixed_runs > 3.0 * one->fixed_runs &&
                half->fixed_runs < 4.5 * one->fixed_runs);
    assert_true(half->fixed_ns / half->fixed_runs > 20.9e6);
    assert_true(half->decided_median_ns > one->decided_median_ns);
    assert_true(half->decided_p90_ns >= half->decided_median_ns);
    struct model_self_comparison again = {0};
    assert_int_equal(analysis_self_comparison(&pilot, &options, 16, 60e9, &again, NULL),
                     DUET_OK);
    assert_memory_equal(&self, &again, sizeof self);
    model_pilot_release(&pilot);
}

/* What takes longer than the budget is not known. */
static void test_beyond_the_budget(void **state)
{
    (void)state;
    struct model_pilot pilot = make((struct made){64, 1, 0.2, 0.0});
    struct model_analysis options = model_analysis_default();
    struct model_self_comparison self = {0};
    assert_int_equal(analysis_self_comparison(&pilot, &options, 16, 1e9, &self, NULL),
                     DUET_OK);
    assert_true(isnan(self.visibilities[0].decided_median_ns));
    assert_true(isfinite(self.visibilities[0].fixed_runs));
    model_pilot_release(&pilot);
}

static void test_too_few_runs(void **state)
{
    (void)state;
    struct model_pilot pilot = make((struct made){3, 2, 0.01, 0.01});
    struct model_analysis options = model_analysis_default();
    struct model_self_comparison self = {0};
    struct model_planning planning = {0};
    const double effect = 0.01;
    assert_int_equal(analysis_self_comparison(&pilot, &options, 16, 1e9, &self, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(
        analysis_planning(&pilot, &options, 0.9, &effect, 1, &planning, NULL),
        DUET_E_TOO_FEW);
    model_pilot_release(&pilot);
}

/* The components and the costs come out as put in, and with them Kalibera and Jones'
 * optimum. */
static void test_a_plan(void **state)
{
    (void)state;
    struct model_pilot pilot = make((struct made){2000, 10, 0.002, 0.01});
    struct model_analysis options = model_analysis_default();
    struct model_planning planning = {0};
    const double effects[] = {0.0005, 0.001, 0.5};
    options.winsorize = MODEL_WINSORIZE_OFF;
    assert_int_equal(
        analysis_planning(&pilot, &options, 0.9, effects, 3, &planning, NULL), DUET_OK);
    assert_true(fabs(planning.within / 0.01 - 1.0) < 0.03);
    assert_true(fabs(planning.between / 0.002 - 1.0) < 0.15);
    assert_true(fabs(planning.run_cost_ns / 20e6 - 1.0) < 1e-9);
    assert_true(fabs(planning.iteration_cost_ns / 1e6 - 1.0) < 1e-9);
    /* sqrt(20 * 0.01^2 / 0.002^2) = 22.4, with 15 % of the spread's error. */
    assert_in_range(planning.iterations, 19, 27);
    const struct model_planned *planned = planning.planned;
    assert_true(planned[0].ns < planned[0].ns_as_measured);
    assert_true(planned[0].runs < planned[0].runs_as_measured);
    assert_true(planned[0].runs > 3.5 * planned[1].runs);
    assert_true(fabs(planned[2].runs - 16.0) < 0.5);
    model_pilot_release(&pilot);
}

static void test_a_plan_of_single_iterations(void **state)
{
    (void)state;
    struct model_pilot pilot = make((struct made){400, 1, 0.01, 0.0});
    struct model_analysis options = model_analysis_default();
    struct model_planning planning = {0};
    const double effect = 0.01;
    assert_int_equal(
        analysis_planning(&pilot, &options, 0.9, &effect, 1, &planning, NULL), DUET_OK);
    assert_true(isnan(planning.within));
    assert_true(fabs(planning.between / 0.01 - 1.0) < 0.15);
    assert_int_equal(planning.iterations, 1);
    assert_true(fabs(planning.planned[0].runs - planning.planned[0].runs_as_measured) <
                0.5);
    model_pilot_release(&pilot);
}

/* The difference between the assignments is estimated from the same runs: without its
 * degree of freedom, four of them have two thirds of the variance. */
static void test_the_spread_of_few_runs_is_unbiased(void **state)
{
    (void)state;
    enum { PILOTS = 1000, RUNS = 4 };
    for (size_t iterations = 1; iterations <= 5; iterations += 4) {
        struct model_pilot pilot =
            make((struct made){(size_t)PILOTS * RUNS, iterations, 0.01, 0.0});
        struct model_analysis options = model_analysis_default();
        const double effect = 0.01;
        double variance = 0.0;
        for (size_t p = 0; p < PILOTS; p++) {
            struct model_pilot few = pilot;
            struct model_planning planning = {0};
            few.values.runs = pilot.values.runs + p * RUNS;
            few.values.run_count = RUNS;
            few.iterations = RUNS * iterations;
            assert_int_equal(
                analysis_planning(&few, &options, 0.9, &effect, 1, &planning, NULL),
                DUET_OK);
            variance += planning.between * planning.between / PILOTS;
        }
        /* The mean has a standard error of 3 %. */
        assert_true(fabs(variance / (0.01 * 0.01) - 1.0) < 0.13);
        model_pilot_release(&pilot);
    }
}

/* A measurement under way: 25 ms runs at first, then as the spread says. */
static double length_after(struct made made, size_t runs)
{
    struct model_pilot pilot = make(made);
    struct analysis_run_length length = {.start_ns = 25e6};
    double wall_ns = 20e6 + 1e6 * (double)made.iterations;
    assert_true(fabs(analysis_run_length_ns(&length) - 25e6) < 1.0);
    for (size_t r = 0; r < runs; r++) {
        assert_int_equal(
            analysis_run_length_add(&length, &pilot.values.runs[r], wall_ns, NULL),
            DUET_OK);
    }
    double found_ns = analysis_run_length_ns(&length);
    analysis_run_length_release(&length);
    model_pilot_release(&pilot);
    return found_ns;
}

static void test_the_length_of_runs_under_way(void **state)
{
    (void)state;
    /* sqrt(20 * (within / between)^2): of 22 iterations, known well after 256 runs. */
    double found_ns = length_after((struct made){256, 10, 0.002, 0.01}, 256);
    assert_true(found_ns > 16e6 && found_ns < 32e6);
    /* Before the pilot's end 25 ms, as starting takes less. */
    assert_true(fabs(length_after((struct made){16, 10, 0.002, 0.01}, 15) - 25e6) <
                1.0);
    /* Runs that all differ: one iteration each. */
    found_ns = length_after((struct made){64, 10, 0.05, 0.001}, 64);
    assert_true(found_ns < 1.1e6);
    /* Runs that do not: as long as allowed, and what comes later changes nothing. */
    found_ns = length_after((struct made){400, 10, 0.0, 0.01}, 400);
    assert_true(found_ns > 60e6 && found_ns < 500.1e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_against_itself),
        cmocka_unit_test(test_beyond_the_budget),
        cmocka_unit_test(test_too_few_runs),
        cmocka_unit_test(test_a_plan),
        cmocka_unit_test(test_a_plan_of_single_iterations),
        cmocka_unit_test(test_the_spread_of_few_runs_is_unbiased),
        cmocka_unit_test(test_the_length_of_runs_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
