#include "base/random.h"
#include "base/threads.h"
#include "stats/bootstrap/shuffled.h"
#include "support/alloc_fail.h"
#include "support/use_threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nearly.h"

enum { RUNS = 10, LENGTH = 30 };

/* Both sides suffer alike: a disturbance of the run (sd about 0.03) and of the
 * iteration hits both, each adds a little (0.001) of its own. */
struct sides {
    double values[2][RUNS][LENGTH];
    struct stats_run runs[2][RUNS];
    struct stats_runs from;
    struct stats_runs to;
};

static struct sides *make_sides(void)
{
    static struct sides sides;
    struct random_stream stream = random_stream_at(12, 0);
    for (size_t r = 0; r < RUNS; r++) {
        double of_run = 0.1 * random_uniform(&stream);
        for (size_t i = 0; i < LENGTH; i++) {
            double common = of_run + 0.05 * random_uniform(&stream);
            for (size_t side = 0; side < 2; side++) {
                sides.values[side][r][i] =
                    common + 0.002 * random_uniform(&stream) + (double)side;
            }
        }
        for (size_t side = 0; side < 2; side++) {
            sides.runs[side][r] = (struct stats_run){sides.values[side][r], LENGTH};
        }
    }
    sides.from = (struct stats_runs){sides.runs[0], RUNS};
    sides.to = (struct stats_runs){sides.runs[1], RUNS};
    return &sides;
}

static double width_of(const struct sides *sides, enum stats_location location)
{
    struct stats_resampling how = {.seed = 9, .replicates = 2000};
    double width = 0;
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, location, 50, 0.99,
                                          &how, &width, NULL),
                     DUET_OK);
    return width;
}

static double mean_of(const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        sum += values[i];
    }
    return sum / LENGTH;
}

/* The width of the interval of pairs as they were measured. */
static double paired_width(const struct sides *sides)
{
    double logs[RUNS];
    for (size_t r = 0; r < RUNS; r++) {
        logs[r] = mean_of(sides->values[1][r]) - mean_of(sides->values[0][r]);
    }
    struct stats_resampling how = {.seed = 9, .replicates = 2000};
    struct stats_interval interval = {0};
    assert_int_equal(
        stats_bootstrap_percentile(logs, RUNS, 0.99, &how, &interval, NULL), DUET_OK);
    return exp(interval.high) - exp(interval.low);
}

static void test_shuffling_loses_what_pairing_gains(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    for (int location = 0; location < 3; location++) {
        assert_true(width_of(sides, (enum stats_location)location) >
                    20.0 * paired_width(sides));
    }
}

/* Means of the runs alone say as much as all iterations. */
static void test_mean_needs_one_value_a_run(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    double all = width_of(sides, STATS_LOCATION_MEAN);
    for (size_t side = 0; side < 2; side++) {
        for (size_t r = 0; r < RUNS; r++) {
            sides->values[side][r][0] = mean_of(sides->values[side][r]);
            sides->runs[side][r].count = 1;
        }
    }
    double means_only = width_of(sides, STATS_LOCATION_MEAN);
    /* Only the derangements differ, because shuffling the iterations drew as well. */
    assert_true(fabs(means_only / all - 1.0) < 0.1);
}

/* Two runs can be paired in one other way only. */
static void test_two_runs(void **state)
{
    (void)state;
    const double values[] = {0.0, 0.3, 1.0, 1.1};
    struct stats_run runs[] = {
        {values, 1}, {values + 1, 1}, {values + 2, 1}, {values + 3, 1}};
    struct stats_runs from = {runs, 2};
    struct stats_runs to = {runs + 2, 2};
    struct stats_resampling how = {.seed = 9, .replicates = 2000};
    double width = 0;
    assert_int_equal(stats_shuffled_width(&from, &to, STATS_LOCATION_MEAN, 100, 0.99,
                                          &how, &width, NULL),
                     DUET_OK);
    assert_nearly(width, exp(1.1 - 0.0) - exp(1.0 - 0.3), 1e-14);
}

static void test_unequal_lengths(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    for (size_t r = 0; r < RUNS; r++) {
        sides->runs[0][r].count = LENGTH - r;
        sides->runs[1][r].count = LENGTH / 2 + r;
    }
    double width = width_of(sides, STATS_LOCATION_TRIMMED);
    assert_true(width > 0.0 && isfinite(width));
}

static void test_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    int threads_before = threads_usual();
    use_threads(1);
    double one = width_of(sides, STATS_LOCATION_MEAN);
    use_threads(4);
    double four = width_of(sides, STATS_LOCATION_MEAN);
    use_threads(threads_before);
    assert_true(one == four);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    struct stats_resampling how = {.seed = 9, .replicates = 100};
    double width = 42;
    sides->from.count = 1;
    sides->to.count = 1;
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEAN,
                                          10, 0.99, &how, &width, NULL),
                     DUET_E_TOO_FEW);
    sides->from.count = 3;
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEAN,
                                          10, 0.99, &how, &width, NULL),
                     DUET_E_TOO_FEW);
    sides->to.count = 3;
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEAN,
                                          0, 0.99, &how, &width, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEAN,
                                          10, 1.0, &how, &width, NULL),
                     DUET_E_DOMAIN);
    sides->runs[1][2].count = 0;
    assert_int_equal(stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEAN,
                                          10, 0.99, &how, &width, NULL),
                     DUET_E_TOO_FEW);
    assert_true(width == 42);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct sides *sides = make_sides();
    struct stats_resampling how = {.seed = 9, .replicates = 100};
    double width = 42;
    enum duet_code code = DUET_E_NOMEM;
    unsigned long failures = 0;
    for (unsigned long n = 1; code != DUET_OK; n++) {
        alloc_fail_at(n);
        code = stats_shuffled_width(&sides->from, &sides->to, STATS_LOCATION_MEDIAN, 30,
                                    0.99, &how, &width, NULL);
        assert_true(code == DUET_OK || (code == DUET_E_NOMEM && width == 42));
        assert_true(n < 100);
        failures += code == DUET_E_NOMEM;
    }
    alloc_fail_at(0);
    assert_int_equal(failures, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffling_loses_what_pairing_gains),
        cmocka_unit_test(test_mean_needs_one_value_a_run),
        cmocka_unit_test(test_two_runs),
        cmocka_unit_test(test_unequal_lengths),
        cmocka_unit_test(test_number_of_threads_does_not_matter),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
