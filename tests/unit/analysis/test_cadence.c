/* How often and for how long, and a series' statistic with its interval: of series
 * whose dependence is known. */
#include "analysis/plan/cadence.h"
#include "analysis/series_estimate.h"
#include "analysis/stop/stop_rule.h"
#include "base/random.h"
#include "stats/gaussian.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { COUNT = 4000 };
static double values[COUNT];
static const double loss = 0.1;

/* Normal values around 100; each keeps `memory` of the one before: an autocorrelation
 * of memory^k at lag k. */
static void fill(double memory)
{
    struct random_stream stream = random_stream_at(7, 0);
    double last = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        double fresh = stats_gaussian_quantile(random_uniform(&stream));
        last = i == 0 ? fresh : memory * last + sqrt(1.0 - memory * memory) * fresh;
        values[i] = 100.0 + 5.0 * last;
    }
}

static struct analysis_cadence derive(size_t count)
{
    struct analysis_cadence found;
    assert_int_equal(analysis_cadence_derive(values, count, loss, &found, NULL),
                     DUET_OK);
    return found;
}

static void test_thinning_of_a_known_dependence(void **state)
{
    (void)state;
    /* 0.98^k falls by 0.1 between k = 6 (0.886) and 7 (0.868): by 0.094 and 0.112. */
    fill(0.98);
    struct analysis_cadence found = derive(COUNT);
    assert_true(found.limited);
    assert_true(fabs(found.correlation - 0.98) < 0.02);
    assert_in_range(found.thinning, 4, 9);
    assert_true(found.thinned > found.correlation - loss);
    assert_true(found.block_length > 50.0);
    /* 0.7 falls to 0.49 with the first thinning: none may be left out. */
    fill(0.7);
    found = derive(COUNT);
    assert_true(found.limited);
    assert_int_equal(found.thinning, 1);
    assert_true(found.thinned == found.correlation);
}

static void test_nothing_to_lose(void **state)
{
    (void)state;
    fill(0.0);
    struct analysis_cadence found = derive(COUNT);
    assert_true(fabs(found.correlation) < 0.05);
    assert_in_range(found.thinning, 50, COUNT / (ANALYSIS_CADENCE_POINTS_MIN / 2));
    assert_true(found.block_length < 5.0);
}

static void test_too_little_for_it(void **state)
{
    (void)state;
    struct analysis_cadence found;
    struct duet_error error;
    fill(0.5);
    assert_int_equal(analysis_cadence_derive(values, ANALYSIS_CADENCE_POINTS_MIN - 1,
                                             loss, &found, &error),
                     DUET_E_TOO_FEW);
    assert_int_equal(derive(ANALYSIS_CADENCE_POINTS_MIN).thinning >= 1, 1);
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 3.0;
    }
    assert_int_equal(analysis_cadence_derive(values, COUNT, loss, &found, &error),
                     DUET_E_DOMAIN);
}

/* A coarse clock: of every second value, or of all, one is like the other. */
static void test_values_that_are_mostly_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = i == COUNT / 2 ? 11.0 : 10.0;
    }
    struct analysis_cadence found = derive(COUNT);
    assert_true(fabs(found.correlation) < 0.05);
    assert_true(found.thinning > 1 && isfinite(found.thinned));
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 10.0 + (double)(i % 2);
    }
    found = derive(COUNT);
    assert_true(found.limited);
    assert_int_equal(found.thinning, 1);
}

static struct analysis_series_estimate estimate(size_t count, double fraction)
{
    struct analysis_series_estimate made;
    struct stats_statistic statistic = {
        fraction > 0.0 ? STATS_STATISTIC_QUANTILE : STATS_STATISTIC_MEAN, fraction};
    assert_int_equal(
        analysis_series_estimate(&statistic, values, count, 0.95, 1000, 3, &made, NULL),
        DUET_OK);
    return made;
}

static void test_an_estimate_knows_the_dependence(void **state)
{
    (void)state;
    /* Independent: the standard error of the mean is 5 / sqrt(4000) = 0.079. */
    fill(0.0);
    struct analysis_series_estimate plain = estimate(COUNT, 0.0);
    assert_true(fabs(plain.value - 100.0) < 0.3);
    assert_true(fabs((plain.high - plain.low) / (2 * 1.96 * 0.0791) - 1.0) < 0.1);
    assert_true(plain.low < plain.value && plain.value < plain.high);
    assert_true(fabs(plain.error * plain.value -
                     fmax(plain.high - plain.value, plain.value - plain.low)) < 1e-9);
    /* With a memory of 0.9 it is sqrt(1.9 / 0.1) = 4.4 times as large. */
    fill(0.9);
    struct analysis_series_estimate dependent = estimate(COUNT, 0.0);
    double wider = (dependent.high - dependent.low) / (plain.high - plain.low);
    assert_true(wider > 3.0 && wider < 5.5);
    /* The 90th percentile of normal values lies 1.28 standard deviations up. */
    struct analysis_series_estimate tail = estimate(COUNT, 0.9);
    assert_true(fabs(tail.value - 106.4) < 1.5);
    assert_true(tail.low < tail.value && tail.value < tail.high);
}

static void test_few_values(void **state)
{
    (void)state;
    fill(0.0);
    struct analysis_series_estimate one = estimate(1, 0.0);
    assert_true(one.value == values[0] && isnan(one.low) && isnan(one.error));
    assert_true(estimate(2, 0.0).error >= 0.0);
    struct analysis_series_estimate made;
    struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    assert_int_equal(
        analysis_series_estimate(&mean, values, 0, 0.95, 1000, 3, &made, NULL),
        DUET_E_TOO_FEW);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct analysis_series_estimate made;
    struct analysis_cadence found;
    struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    fill(0.5);
    size_t failures[2] = {0};
    enum duet_code codes[2] = {DUET_E_NOMEM, DUET_E_NOMEM};
    for (unsigned long n = 1; codes[0] != DUET_OK || codes[1] != DUET_OK; n++) {
        alloc_fail_at(n);
        codes[0] =
            analysis_series_estimate(&mean, values, 100, 0.95, 100, 3, &made, NULL);
        alloc_fail_at(n);
        codes[1] = analysis_cadence_derive(values, 100, loss, &found, NULL);
        alloc_fail_at(0);
        for (size_t i = 0; i < 2; i++) {
            assert_true(codes[i] == DUET_OK || codes[i] == DUET_E_NOMEM);
            failures[i] += codes[i] == DUET_E_NOMEM;
        }
    }
    assert_int_equal(failures[0], 6);
    assert_int_equal(failures[1], 9);
}

/* A rule that says that it would look has to be right: it never stops elsewhere. */
static void test_looks_are_where_rules_stop(void **state)
{
    (void)state;
    fill(0.3);
    for (int rule = 0; rule < ANALYSIS_STOP_RULES; rule++) {
        struct analysis_stop_question question = {
            .rule = (enum analysis_stop_rule)rule,
            .statistic = {STATS_STATISTIC_MEAN, 0.0},
            .errors = {0.10},
            .error_count = 1,
            .confidence = 0.95,
            .interval = 48.5,
            .replicates = 100};
        bool before = false;
        for (size_t points = 1; points <= 200; points++) {
            struct analysis_stopper *stopper = NULL;
            struct analysis_stop stop;
            assert_int_equal(analysis_stopper_new(&question, points, &stopper, NULL),
                             DUET_OK);
            assert_int_equal(
                analysis_stopper_find(stopper, values, points, 1, &stop, NULL),
                DUET_OK);
            analysis_stopper_free(stopper);
            if (stop.stopped && !before) {
                assert_true(analysis_stop_looks(&question, points - 1, points));
                /* Steady looks at the whole points of half intervals. */
                assert_in_range(stop.points, points - 1, points);
            }
            before = stop.stopped;
        }
        assert_true(before);
        assert_false(analysis_stop_looks(&question, 60, 60));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thinning_of_a_known_dependence),
        cmocka_unit_test(test_nothing_to_lose),
        cmocka_unit_test(test_too_little_for_it),
        cmocka_unit_test(test_values_that_are_mostly_alike),
        cmocka_unit_test(test_an_estimate_knows_the_dependence),
        cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_looks_are_where_rules_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
