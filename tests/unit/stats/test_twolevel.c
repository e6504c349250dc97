// labels: soakvalgrind
#include "base/threads.h"
#include "stats/bootstrap/twolevel.h"
#include "support/alloc_fail.h"
#include "support/use_threads.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

enum { REPLICATES = 10000, RUNS = 4, LENGTH = 3 };

static double replicates[REPLICATES];

static void split(const double *values, struct stats_run *ret_runs)
{
    for (size_t r = 0; r < RUNS; r++) {
        ret_runs[r] = (struct stats_run){values + r * LENGTH, LENGTH};
    }
}

static struct stats_interval interval_of(const double *from, const double *to,
                                         enum stats_location location, uint64_t seed)
{
    struct stats_run from_runs[RUNS];
    struct stats_run to_runs[RUNS];
    split(from, from_runs);
    split(to, to_runs);
    struct stats_runs from_side = {from_runs, RUNS};
    struct stats_runs to_side = {to_runs, RUNS};
    struct stats_resampling how = {.seed = seed, .replicates = REPLICATES};
    struct stats_interval interval = {0};
    assert_int_equal(stats_twolevel_difference(&from_side, &to_side, location, &how,
                                               replicates, NULL),
                     DUET_OK);
    assert_int_equal(
        stats_interval_percentile(replicates, REPLICATES, 0.99, &interval, NULL),
        DUET_OK);
    return interval;
}

static void test_interval_agrees_with_numpy(void **state)
{
    (void)state;
    const double *expected = reference_two_level;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct stats_interval interval = interval_of(
            reference_values, reference_values + 11, STATS_LOCATION_MEAN, seed);
        assert_true(fabs(interval.low - expected[0]) < 4.0 * expected[2]);
        assert_true(fabs(interval.high - expected[1]) < 4.0 * expected[3]);
    }
}

/* Runs of one or two values, and of three equal ones: mean, trimmed mean and median of
 * any resample are then the same thing. */
static void test_locations_agree_where_they_must(void **state)
{
    (void)state;
    const double equal[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8};
    struct stats_interval mean = interval_of(equal, equal, STATS_LOCATION_MEAN, 1);
    struct stats_interval trimmed =
        interval_of(equal, equal, STATS_LOCATION_TRIMMED, 1);
    struct stats_interval median = interval_of(equal, equal, STATS_LOCATION_MEDIAN, 1);
    assert_memory_equal(&mean, &trimmed, sizeof mean);
    assert_memory_equal(&mean, &median, sizeof mean);
}

/* Order statistics through counts of draws are what sorting the resample gives: the
 * median of three draws from (1, 2, 4) takes these values, so often. */
static void test_resampled_median(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4};
    const double zero[] = {0, 0, 0};
    struct stats_run run = {values, 3};
    struct stats_run none = {zero, 3};
    struct stats_runs to = {&run, 1};
    struct stats_runs from = {&none, 1};
    struct stats_resampling how = {.seed = 5, .replicates = REPLICATES};
    assert_int_equal(stats_twolevel_difference(&from, &to, STATS_LOCATION_MEDIAN, &how,
                                               replicates, NULL),
                     DUET_OK);
    unsigned seen[5] = {0};
    for (size_t b = 0; b < REPLICATES; b++) {
        assert_true(replicates[b] == 1 || replicates[b] == 2 || replicates[b] == 4);
        seen[(int)replicates[b]]++;
    }
    assert_true(abs((int)seen[1] - 2593) < 200); /* 7/27 */
    assert_true(abs((int)seen[2] - 4815) < 200); /* 13/27 */
}

static void test_scale_and_shift(void **state)
{
    (void)state;
    double from[12];
    double to[12];
    for (size_t i = 0; i < 12; i++) {
        from[i] = 4.0 * reference_values[i] + 3.0;
        to[i] = 4.0 * reference_values[i + 11] + 3.0;
    }
    struct stats_interval plain =
        interval_of(reference_values, reference_values + 11, STATS_LOCATION_MEAN, 2);
    struct stats_interval other = interval_of(from, to, STATS_LOCATION_MEAN, 2);
    assert_nearly(other.low, 4.0 * plain.low, 1e-12);
    assert_nearly(other.high, 4.0 * plain.high, 1e-12);
}

static void test_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    static double values[1000];
    static double one[REPLICATES];
    for (size_t i = 0; i < 1000; i++) {
        values[i] = (double)i;
    }
    struct stats_run run = {values, 1000};
    struct stats_runs side = {&run, 1};
    struct stats_resampling how = {.seed = 5, .replicates = 1000};
    int threads_before = threads_usual();
    for (int location = 0; location < 3; location++) {
        for (int threads = 1; threads <= 4; threads *= 2) {
            use_threads(threads);
            assert_int_equal(stats_twolevel_difference(&side, &side,
                                                       (enum stats_location)location,
                                                       &how, replicates, NULL),
                             DUET_OK);
            if (threads == 1) {
                memcpy(one, replicates, how.replicates * sizeof *one);
            }
            assert_memory_equal(one, replicates, how.replicates * sizeof *one);
        }
    }
    use_threads(threads_before);
}

static void test_bad_arguments_and_no_memory(void **state)
{
    (void)state;
    const double nan[] = {(double)NAN};
    struct stats_run good_run = {reference_values, 3};
    struct stats_run empty_run = {reference_values, 0};
    struct stats_run nan_run = {nan, 1};
    struct stats_runs good = {&good_run, 1};
    struct stats_runs no_run = {&good_run, 0};
    struct stats_runs empty = {&empty_run, 1};
    struct stats_runs not_finite = {&nan_run, 1};
    struct stats_resampling how = {.replicates = 1};
    replicates[0] = 42;
    assert_int_equal(stats_twolevel_difference(&no_run, &good, STATS_LOCATION_MEAN,
                                               &how, replicates, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_twolevel_difference(&good, &empty, STATS_LOCATION_MEAN, &how,
                                               replicates, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_twolevel_difference(&good, &not_finite, STATS_LOCATION_MEAN,
                                               &how, replicates, NULL),
                     DUET_E_DOMAIN);
    alloc_fail_at(1);
    assert_int_equal(stats_twolevel_difference(&good, &good, STATS_LOCATION_MEAN, &how,
                                               replicates, NULL),
                     DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_true(replicates[0] == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_agrees_with_numpy),
        cmocka_unit_test(test_locations_agree_where_they_must),
        cmocka_unit_test(test_resampled_median),
        cmocka_unit_test(test_scale_and_shift),
        cmocka_unit_test(test_number_of_threads_does_not_matter),
        cmocka_unit_test(test_bad_arguments_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
