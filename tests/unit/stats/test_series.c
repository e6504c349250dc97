#include "stats/clean.h"
#include "stats/series.h"
#include "support/alloc_fail.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nearly.h"

enum { LENGTH = 200 };

/* About `level`, with a spread of 1, from `from` on. */
static void fill(double *values, size_t from, size_t to, double level)
{
    struct random_stream stream = random_stream_at(8, from);
    for (size_t i = from; i < to; i++) {
        values[i] = level + random_uniform(&stream) - 0.5;
    }
}

static void test_autocorrelation_by_hand(void **state)
{
    (void)state;
    /* Mean 3: deviations -2 -1 0 1 2; sums of products 10, 4, -1. */
    const double values[] = {1, 2, 3, 4, 5};
    double found[3];
    assert_int_equal(stats_autocorrelation(values, 5, 2, found, NULL), DUET_OK);
    assert_nearly(found[0], 1.0, 0);
    assert_nearly(found[1], 0.4, 1e-15);
    assert_nearly(found[2], -0.1, 1e-15);
    assert_int_equal(stats_autocorrelation(values, 2, 2, found, NULL), DUET_E_TOO_FEW);
    const double same[] = {2, 2, 2};
    assert_int_equal(stats_autocorrelation(same, 3, 1, found, NULL), DUET_E_DOMAIN);
}

static void test_steady_state_is_found(void **state)
{
    (void)state;
    double values[LENGTH];
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 42;
    bool steady = false;
    fill(values, 0, 30, 100.0);
    fill(values, 30, 60, 50.0);
    fill(values, 60, LENGTH, 20.0);
    assert_int_equal(stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(steady && start == 60);
}

static void test_a_late_change_is_not_steady(void **state)
{
    (void)state;
    double values[LENGTH];
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 0;
    bool steady = true;
    fill(values, 0, 170, 20.0);
    fill(values, 170, LENGTH, 30.0);
    assert_int_equal(stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(!steady && start == 170);
    assert_int_equal(
        stats_warmup_length(values, LENGTH, STATS_WARMUP_STEADY, 0, &start, NULL),
        DUET_E_DOMAIN);
}

/* Neither scale nor shift moves a change; equal values of a coarse clock are none. */
static void test_changes_do_not_depend_on_units(void **state)
{
    (void)state;
    double values[LENGTH];
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 0;
    bool steady = false;
    fill(values, 0, 90, 20.0);
    fill(values, 90, LENGTH, 22.0);
    for (size_t i = 0; i < LENGTH; i++) {
        values[i] = 1e9 + 1e-3 * values[i];
    }
    assert_int_equal(stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(steady && start == 90);
    for (size_t i = 0; i < LENGTH; i++) {
        values[i] = 7.0;
    }
    assert_int_equal(stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(steady && start == 0);
}

/* Independent readings of a clock that has two: four or five equal ones in the end
 * were a segment of their own. */
static void test_a_coarse_clock_is_steady(void **state)
{
    (void)state;
    enum { SERIES = 200, SHORT = 50 };
    double values[SHORT];
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 42;
    bool steady = false;
    for (size_t i = 0; i < 20; i++) {
        values[i] = i < 15 ? 100.0 + (double)(i % 2) : i == 15 ? 101.0 : 100.0;
    }
    assert_int_equal(stats_steady_find(values, 20, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(steady && start == 0);
    size_t refused = 0;
    for (uint64_t number = 0; number < SERIES; number++) {
        struct random_stream stream = random_stream_at(9, number);
        for (size_t i = 0; i < SHORT; i++) {
            values[i] = 100.0 + (random_uniform(&stream) < 0.5 ? 0.0 : 1.0);
        }
        assert_int_equal(
            stats_steady_find(values, SHORT, &options, &start, &steady, NULL), DUET_OK);
        refused += !steady;
    }
    assert_int_equal(refused, 0);
    for (size_t i = 0; i < SHORT;
         i++) { /* a step of the clock is a change all the same */
        values[i] = i < 20 ? 101.0 : 100.0;
    }
    assert_int_equal(stats_steady_find(values, SHORT, &options, &start, &steady, NULL),
                     DUET_OK);
    assert_true(steady && start == 20);
}

/* A mean that lies just one deviation away is near, in any unit. */
static void test_a_mean_at_the_limit_is_near(void **state)
{
    (void)state;
    double values[LENGTH];
    struct stats_steady_options options = stats_steady_options_default();
    static const double units[] = {1.0, 1e-3, 0.7, 1e9};
    for (size_t head = 60; head < 120; head += 2) {
        double unit = units[head / 2 % (sizeof units / sizeof units[0])];
        for (size_t off = 0; off < 2; off++) {
            size_t start = 42;
            bool steady = false;
            for (size_t i = 0; i < LENGTH; i++) {
                double level = i < head ? 104.0 + 0.1 * (double)off
                                        : 100.0 + 4.0 * (double)(i % 2);
                values[i] = level * unit;
            }
            assert_int_equal(
                stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
                DUET_OK);
            assert_int_equal(start, off == 0 ? 0 : head);
        }
    }
}

static void test_warmup_lengths(void **state)
{
    (void)state;
    double values[] = {9, 8, 7, 6, 5};
    size_t dropped = 42;
    assert_int_equal(
        stats_warmup_length(values, 5, STATS_WARMUP_HALF, 0, &dropped, NULL), DUET_OK);
    assert_int_equal(dropped, 2);
    assert_int_equal(
        stats_warmup_length(values, 5, STATS_WARMUP_COUNT, 4, &dropped, NULL), DUET_OK);
    assert_int_equal(dropped, 4);
    assert_int_equal(
        stats_warmup_length(values, 5, STATS_WARMUP_NONE, 4, &dropped, NULL), DUET_OK);
    assert_int_equal(dropped, 0);
    dropped = 42;
    assert_int_equal(
        stats_warmup_length(values, 5, STATS_WARMUP_COUNT, 5, &dropped, NULL),
        DUET_E_TOO_FEW);
    assert_int_equal(
        stats_warmup_length(values, 0, STATS_WARMUP_HALF, 0, &dropped, NULL),
        DUET_E_TOO_FEW);
    assert_int_equal(
        stats_warmup_length(values, 3, STATS_WARMUP_STEADY, 0, &dropped, NULL),
        DUET_E_TOO_FEW);
    assert_int_equal(dropped, 42);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    double values[LENGTH];
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 0;
    bool steady = false;
    fill(values, 0, LENGTH, 20.0);
    for (unsigned long nth = 1; nth <= 5; nth++) {
        alloc_fail_at(nth);
        assert_int_equal(
            stats_steady_find(values, LENGTH, &options, &start, &steady, NULL),
            DUET_E_NOMEM);
    }
    alloc_fail_at(1);
    assert_int_equal(stats_autocorrelation(values, LENGTH, 3, values, NULL),
                     DUET_E_NOMEM);
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_autocorrelation_by_hand),
        cmocka_unit_test(test_steady_state_is_found),
        cmocka_unit_test(test_a_late_change_is_not_steady),
        cmocka_unit_test(test_a_coarse_clock_is_steady),
        cmocka_unit_test(test_a_mean_at_the_limit_is_near),
        cmocka_unit_test(test_changes_do_not_depend_on_units),
        cmocka_unit_test(test_warmup_lengths),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
