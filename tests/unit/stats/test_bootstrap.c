#include "base/random.h"
#include "base/threads.h"
#include "stats/bootstrap/bootstrap.h"
#include "support/alloc_fail.h"
#include "support/use_threads.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

enum { REPLICATES = 10000, RUNS = 10 };

static struct stats_interval percentile(const double *values, size_t count,
                                        uint64_t seed)
{
    struct stats_resampling how = {.seed = seed, .replicates = REPLICATES};
    struct stats_interval interval = {0};
    assert_int_equal(
        stats_bootstrap_percentile(values, count, 0.99, &how, &interval, NULL),
        DUET_OK);
    return interval;
}

/* Within four Monte Carlo standard errors. */
static void test_interval_agrees_with_scipy(void **state)
{
    (void)state;
    const double *expected = reference_bootstrap_mean;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct stats_interval interval = percentile(reference_values, RUNS, seed);
        assert_true(fabs(interval.low - expected[0]) < 4.0 * expected[2]);
        assert_true(fabs(interval.high - expected[1]) < 4.0 * expected[3]);
    }
}

/* With two values, a mean of a resample is one of three values. */
static void test_two_values_have_their_range_as_interval(void **state)
{
    (void)state;
    const double values[] = {3.0, 1.0};
    struct stats_interval interval = percentile(values, 2, 1);
    assert_true(interval.low == 1.0 && interval.high == 3.0);
}

static void test_constant_data_has_no_width(void **state)
{
    (void)state;
    const double values[] = {0.5, 0.5, 0.5, 0.5};
    struct stats_interval interval = percentile(values, 4, 1);
    assert_true(interval.low == 0.5 && interval.high == 0.5);
}

static void test_interval_moves_and_stretches_with_the_data(void **state)
{
    (void)state;
    double moved[RUNS];
    double negated[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        moved[i] = 8.0 * reference_values[i] + 5.0;
        negated[i] = -reference_values[i];
    }
    struct stats_interval plain = percentile(reference_values, RUNS, 4);
    struct stats_interval other = percentile(moved, RUNS, 4);
    assert_nearly(other.low, 8.0 * plain.low + 5.0, 1e-13);
    assert_nearly(other.high, 8.0 * plain.high + 5.0, 1e-13);
    other = percentile(negated, RUNS, 4);
    assert_nearly(other.low, -plain.high, 1e-12);
    assert_nearly(other.high, -plain.low, 1e-12);
}

static void test_seed_decides(void **state)
{
    (void)state;
    struct stats_interval one = percentile(reference_values, RUNS, 4);
    struct stats_interval again = percentile(reference_values, RUNS, 4);
    struct stats_interval other = percentile(reference_values, RUNS, 5);
    assert_memory_equal(&one, &again, sizeof one);
    assert_true(one.low != other.low);
}

/* Enough draws that threads do start. */
static void test_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    enum { VALUES = 300 };
    static double values[VALUES];
    static double one[REPLICATES];
    static double more[REPLICATES];
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = sin((double)i);
    }
    assert_true((size_t)VALUES * REPLICATES > STATS_PARALLEL_DRAWS);
    struct stats_resampling how = {.seed = 3, .stream = 17, .replicates = REPLICATES};
    int threads_before = threads_usual();
    use_threads(1);
    assert_int_equal(stats_bootstrap_means(values, VALUES, 1, &how, one, NULL),
                     DUET_OK);
    for (int threads = 2; threads <= 4; threads += 2) {
        use_threads(threads);
        assert_int_equal(stats_bootstrap_means(values, VALUES, 1, &how, more, NULL),
                         DUET_OK);
        assert_memory_equal(one, more, sizeof one);
    }
    use_threads(threads_before);
}

/* Each column gets what it would get alone, to the last bit. */
static void test_columns_are_resampled_alike(void **state)
{
    (void)state;
    enum { COLUMNS = 3, ROWS = 100, FEW = 500 };
    double table[ROWS * COLUMNS];
    double column_alone[ROWS];
    double together[COLUMNS * FEW];
    double alone[FEW];
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        table[i] = cos((double)i);
    }
    struct stats_resampling how = {.seed = 3, .replicates = FEW};
    assert_int_equal(stats_bootstrap_means(table, ROWS, COLUMNS, &how, together, NULL),
                     DUET_OK);
    for (size_t column = 0; column < COLUMNS; column++) {
        for (size_t row = 0; row < ROWS; row++) {
            column_alone[row] = table[row * COLUMNS + column];
        }
        assert_int_equal(
            stats_bootstrap_means(column_alone, ROWS, 1, &how, alone, NULL), DUET_OK);
        assert_memory_equal(alone, together + column * FEW, sizeof alone);
    }
}

/* Known numbers: gcc and clang, -O0 and -O3 must agree on them. */
static void test_results_do_not_depend_on_the_compiler(void **state)
{
    (void)state;
    struct stats_interval interval = percentile(reference_values, RUNS, 20200420);
    assert_true(interval.low == 14.168600451640081);
    assert_true(interval.high == 25.478831061533839);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    const double values[] = {1.0, 2.0, (double)NAN};
    double replicates[1] = {42};
    struct stats_interval interval = {42, 42};
    struct stats_resampling how = {.replicates = 1};
    struct stats_resampling none = {0};
    assert_int_equal(stats_bootstrap_percentile(values, 1, 0.99, &how, &interval, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_bootstrap_percentile(values, 3, 0.99, &how, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_bootstrap_percentile(values, 2, 1.0, &how, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(
        stats_bootstrap_percentile(values, 2, 0.99, &none, &interval, NULL),
        DUET_E_DOMAIN);
    assert_int_equal(stats_bootstrap_means(values, 0, 1, &how, replicates, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_bootstrap_means(values, 2, 0, &how, replicates, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(
        stats_bootstrap_means(values, 2, STATS_COLUMNS_MAX + 1, &how, replicates, NULL),
        DUET_E_DOMAIN);
    assert_int_equal(stats_interval_percentile(replicates, 0, 0.99, &interval, NULL),
                     DUET_E_TOO_FEW);
    assert_true(interval.low == 42 && replicates[0] == 42);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    struct stats_resampling how = {.replicates = 100};
    struct stats_interval interval = {42, 42};
    alloc_fail_at(1);
    assert_int_equal(
        stats_bootstrap_percentile(reference_values, 5, 0.99, &how, &interval, NULL),
        DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_true(interval.low == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_agrees_with_scipy),
        cmocka_unit_test(test_two_values_have_their_range_as_interval),
        cmocka_unit_test(test_constant_data_has_no_width),
        cmocka_unit_test(test_interval_moves_and_stretches_with_the_data),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_number_of_threads_does_not_matter),
        cmocka_unit_test(test_columns_are_resampled_alike),
        cmocka_unit_test(test_results_do_not_depend_on_the_compiler),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
