// labels: novalgrind
/* Components of variance, and what follows from them. */
#include "base/random.h"
#include "stats/allocation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

/* Two runs of two: means 2 and 6, sample variances 2 and 2; variance of the means 8. */
static void test_components_by_hand(void **state)
{
    (void)state;
    const double values[] = {1, 3, 5, 7};
    const size_t counts[] = {2, 2};
    struct stats_components components = {0};
    assert_int_equal(stats_components_estimate(values, counts, 2, &components, NULL),
                     DUET_OK);
    assert_nearly(components.within, 2.0, 1e-15);
    assert_nearly(components.between, 7.0, 1e-15); /* 8 - 2 / 2 */
    assert_nearly(components.estimate, 4.0, 1e-15);
    assert_int_equal(components.runs, 2);
    assert_false(components.clamped);
}

/* Runs {1, 3}, {4}, {6, 7, 8}: squares within 2 + 0 + 2, 3 degrees of freedom; mean
 * 29/6; mean square between (2 (17/6)^2 + (5/6)^2 + 3 (13/6)^2) / 2 = 185/12; n0 = (6 -
 * 14/6) / 2 = 11/6. */
static void test_unequal_runs_by_hand(void **state)
{
    (void)state;
    const double values[] = {1, 3, 4, 6, 7, 8};
    const size_t counts[] = {2, 1, 3};
    struct stats_components components = {0};
    assert_int_equal(stats_components_estimate(values, counts, 3, &components, NULL),
                     DUET_OK);
    assert_nearly(components.within, 4.0 / 3.0, 1e-14);
    assert_nearly(components.between, (185.0 / 12.0 - 4.0 / 3.0) / (11.0 / 6.0), 1e-13);
    assert_nearly(components.estimate, (2.0 + 4.0 + 7.0) / 3.0, 1e-15);
}

static void test_negative_component_is_clamped(void **state)
{
    (void)state;
    const double values[] = {1, 3, 1, 3};
    const size_t counts[] = {2, 2};
    struct stats_components components = {0};
    assert_int_equal(stats_components_estimate(values, counts, 2, &components, NULL),
                     DUET_OK);
    assert_true(components.between == 0.0 && components.clamped);
    assert_nearly(components.within, 2.0, 1e-15);
}

static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* The estimates' mean over many pilots is the truth, with equal runs and unequal. */
static void test_components_are_unbiased(void **state)
{
    (void)state;
    enum { PILOTS = 4000, RUNS = 12 };
    const size_t shapes[2][RUNS] = {{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
                                    {1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 9, 1}};
    for (int shape = 0; shape < 2; shape++) {
        double within = 0;
        double between = 0;
        for (uint64_t pilot = 0; pilot < PILOTS; pilot++) {
            struct random_stream stream = random_stream_at(31, pilot);
            double values[RUNS * 9];
            size_t at = 0;
            for (int r = 0; r < RUNS; r++) {
                double run = 2.0 * draw_normal(&stream);
                for (size_t i = 0; i < shapes[shape][r]; i++) {
                    values[at++] = 100.0 + run + draw_normal(&stream);
                }
            }
            struct stats_components components = {0};
            assert_int_equal(stats_components_estimate(values, shapes[shape], RUNS,
                                                       &components, NULL),
                             DUET_OK);
            within += components.within / PILOTS;
            between += components.between / PILOTS;
        }
        /* Standard errors 0.003 and 0.03. */
        assert_true(fabs(within - 1.0) < 0.015);
        assert_true(fabs(between - 4.0) < 0.15);
    }
}

static struct stats_allocation_wish wish_of(double effect)
{
    return (struct stats_allocation_wish){.effect = effect,
                                          .level = 0.99,
                                          .power = 0.9,
                                          .run_cost = 10.0,
                                          .iteration_cost = 0.1,
                                          .iterations_max = 1000,
                                          .runs_min = 2};
}

/* sqrt(10 / 0.1 * 4 / 1) = 20; half as large components between: ceil(28.28). */
static void test_iterations_by_hand(void **state)
{
    (void)state;
    struct stats_components components = {.within = 4.0, .between = 1.0};
    struct stats_allocation_wish wish = wish_of(1.0);
    struct stats_allocation plan = {0};
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    assert_int_equal(plan.iterations, 20);
    assert_nearly(plan.cost, (double)plan.runs * 12.0, 1e-14);
    assert_true(plan.detectable <= 1.0);
    assert_false(plan.bounded);
    components.between = 0.5;
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    assert_int_equal(plan.iterations, 29);
    wish.run_cost = 0.0;
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    assert_int_equal(plan.iterations, 1);
}

/* (2.58 + 1.28)^2 * 1.2 / 0.01 = 1786 runs, a few more by Student's t. */
static void test_runs_for_a_small_effect(void **state)
{
    (void)state;
    struct stats_components components = {.within = 4.0, .between = 1.0};
    struct stats_allocation_wish wish = wish_of(0.1);
    struct stats_allocation plan = {0};
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    assert_in_range(plan.runs, 1786, 1792);
    wish.runs_min = 5000;
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    assert_int_equal(plan.runs, 5000);
}

static void test_edges(void **state)
{
    (void)state;
    struct stats_allocation_wish wish = wish_of(0.5);
    struct stats_allocation plan = {0};
    struct stats_components quiet = {0};
    wish.runs_min = 8;
    assert_int_equal(stats_allocation_plan(&quiet, &wish, &plan, NULL), DUET_OK);
    assert_true(plan.iterations == 1 && plan.runs == 8 && plan.detectable == 0.0);
    struct stats_components within = {.within = 1.0};
    assert_int_equal(stats_allocation_plan(&within, &wish, &plan, NULL), DUET_OK);
    assert_true(plan.iterations == 1000 && plan.bounded);
    struct stats_components between = {.between = 1.0};
    assert_int_equal(stats_allocation_plan(&between, &wish, &plan, NULL), DUET_OK);
    assert_true(plan.iterations == 1 && !plan.bounded);
}

/* No other number of iterations is cheaper by more than rounding up explains. */
static void test_no_other_number_is_cheaper(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(32, 0);
    for (int c = 0; c < 200; c++) {
        struct stats_components components = {
            .within = exp(6.0 * random_uniform(&stream) - 3.0),
            .between = exp(6.0 * random_uniform(&stream) - 3.0)};
        struct stats_allocation_wish wish = wish_of(0.05);
        wish.run_cost = exp(8.0 * random_uniform(&stream) - 4.0);
        wish.iterations_max = 100000;
        struct stats_allocation plan = {0};
        assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL),
                         DUET_OK);
        double n = (double)plan.iterations;
        for (int power = 0; power < 80; power++) {
            double other = floor(pow(1.1, power));
            double here = (components.between + components.within / n) *
                          (wish.run_cost + n * wish.iteration_cost);
            double there = (components.between + components.within / other) *
                           (wish.run_cost + other * wish.iteration_cost);
            assert_true(here <= there * (1.0 + 0.5 / n));
        }
    }
}

/* The plan's experiments show the effect as often as was asked for: 0.9, a little less
 * because t's power is approximated. */
static void test_plan_has_its_power(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    const struct stats_components components = {.within = 4.0, .between = 1.0};
    struct stats_allocation_wish wish = wish_of(1.0);
    struct stats_allocation plan = {0};
    assert_int_equal(stats_allocation_plan(&components, &wish, &plan, NULL), DUET_OK);
    double freedom = (double)plan.runs - 1.0;
    unsigned shown = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct random_stream stream = random_stream_at(33, trial);
        double sum = 0.0;
        double squares = 0.0;
        for (size_t r = 0; r < plan.runs; r++) {
            double value = 1.0 + draw_normal(&stream);
            double noise = 0.0;
            for (size_t i = 0; i < plan.iterations; i++) {
                noise += 2.0 * draw_normal(&stream);
            }
            value += noise / (double)plan.iterations;
            sum += value;
            squares += value * value;
        }
        double mean = sum / (double)plan.runs;
        double sd = sqrt((squares - sum * mean) / freedom);
        double half = 0.0;
        /* A t interval's half width is what is detectable with power one half. */
        struct stats_allocation_wish even = wish;
        even.power = 0.5;
        even.runs_min = plan.runs;
        even.iterations_max = 1;
        even.effect = 1e9;
        const struct stats_components seen = {.between = sd * sd};
        struct stats_allocation interval = {0};
        assert_int_equal(stats_allocation_plan(&seen, &even, &interval, NULL), DUET_OK);
        half = interval.detectable;
        shown += mean - half > 0.0;
    }
    double power = (double)shown / TRIALS;
    assert_true(power > 0.85 && power < 0.94);
}

static void test_bad_pilots_are_refused(void **state)
{
    (void)state;
    const double values[] = {1, 2, (double)NAN, 4};
    const size_t twos[] = {2, 2};
    const size_t ones[] = {1, 1};
    const size_t empty[] = {2, 0};
    struct stats_components components = {.runs = 42};
    assert_int_equal(stats_components_estimate(values, twos, 2, &components, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_components_estimate(values, twos, 1, &components, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_components_estimate(values, ones, 2, &components, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_components_estimate(values, empty, 2, &components, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(components.runs, 42);
}

static void test_bad_wishes_are_refused(void **state)
{
    (void)state;
    const struct stats_components good = {.within = 1, .between = 1};
    const struct stats_components bad[] = {{.within = -1}, {.between = (double)NAN}};
    struct stats_allocation plan = {.runs = 42};
    struct stats_allocation_wish wishes[10];
    for (int i = 0; i < 10; i++) {
        wishes[i] = wish_of(1.0);
    }
    wishes[0].effect = 0.0;
    wishes[1].effect = (double)NAN;
    wishes[2].level = 1.0;
    wishes[3].power = 0.0;
    wishes[4].run_cost = -1.0;
    wishes[5].iteration_cost = 0.0;
    wishes[6].iterations_max = 0;
    wishes[7].runs_min = 1;
    wishes[8].effect = 1e-12;
    wishes[9].iteration_cost = (double)INFINITY;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(stats_allocation_plan(&good, &wishes[i], &plan, NULL),
                         DUET_E_DOMAIN);
    }
    const struct stats_allocation_wish wish = wish_of(1.0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stats_allocation_plan(&bad[i], &wish, &plan, NULL),
                         DUET_E_DOMAIN);
    }
    assert_int_equal(plan.runs, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_by_hand),
        cmocka_unit_test(test_unequal_runs_by_hand),
        cmocka_unit_test(test_negative_component_is_clamped),
        cmocka_unit_test(test_components_are_unbiased),
        cmocka_unit_test(test_iterations_by_hand),
        cmocka_unit_test(test_runs_for_a_small_effect),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_no_other_number_is_cheaper),
        cmocka_unit_test(test_plan_has_its_power),
        cmocka_unit_test(test_bad_pilots_are_refused),
        cmocka_unit_test(test_bad_wishes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
