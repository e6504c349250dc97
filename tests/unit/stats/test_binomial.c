/* The incomplete beta function, and the interval of a counted share. */
#include "stats/beta.h"
#include "stats/binomial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

/* x, a, b, scipy.special.betainc(a, b, x) (scipy 1.17). */
static const double beta_reference[][4] = {
    {0.3, 2, 5, 0.57982500000000026},       {0.9, 0.5, 0.5, 0.79516723530086653},
    {0.5, 100, 120, 0.91179606279498182},   {0.0001, 3, 100000, 0.99723196603988329},
    {0.999, 4000, 2, 0.091395099137447131}, {0.0064, 641, 99360, 0.48948899232561582},
};

static void test_beta_agrees_with_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof beta_reference / sizeof beta_reference[0]; i++) {
        const double *row = beta_reference[i];
        assert_nearly(stats_beta_below(row[0], row[1], row[2]), row[3], 1e-9);
        assert_nearly(stats_beta_below(1.0 - row[0], row[2], row[1]), 1.0 - row[3],
                      1e-8);
    }
    assert_true(stats_beta_below(0.0, 2, 3) == 0.0);
    assert_true(stats_beta_below(1.0, 2, 3) == 1.0);
}

/* From scipy.stats.beta.ppf (scipy 1.17). */
static const struct {
    uint64_t hits, trials;
    double level, low, high;
} binomial_reference[] = {
    {0, 10, 0.95, 0, 0.30849710781876072},
    {10, 10, 0.95, 0.69150289218123917, 1},
    {1, 20, 0.99, 0.00025059568683144642, 0.31714173475709534},
    {5, 10, 0.9, 0.22244110100812936, 0.77755889899187058},
    {640, 100000, 0.99, 0.0057689504287216798, 0.0070785034551020184},
    {0, 100000, 0.99, 0, 5.2981770081923407e-05},
    {50000, 100000, 0.95, 0.49689606249180041, 0.50310393750819959},
    {999, 1000, 0.99, 0.99259371306164701, 0.99999498747073923},
    {3, 10000000, 0.99, 3.3786341680649241e-08, 1.0977473116067012e-06},
};

static void test_interval_agrees_with_scipy(void **state)
{
    (void)state;
    size_t rows = sizeof binomial_reference / sizeof binomial_reference[0];
    for (size_t i = 0; i < rows; i++) {
        struct stats_interval interval = {0};
        assert_int_equal(stats_binomial_interval(
                             binomial_reference[i].hits, binomial_reference[i].trials,
                             binomial_reference[i].level, &interval, NULL),
                         DUET_OK);
        assert_nearly(interval.low, binomial_reference[i].low, 1e-8);
        assert_nearly(interval.high, binomial_reference[i].high, 1e-8);
    }
}

/* Exact: whatever the probability is, at least the level. */
static void test_interval_covers(void **state)
{
    (void)state;
    enum { TRIALS = 30 };
    for (int step = 1; step < 200; step++) {
        double p = 0.005 * step;
        double covered = 0.0;
        double mass = pow(1.0 - p, TRIALS);
        for (uint64_t hits = 0; hits <= TRIALS; hits++) {
            struct stats_interval interval = {0};
            assert_int_equal(
                stats_binomial_interval(hits, TRIALS, 0.95, &interval, NULL), DUET_OK);
            covered += interval.low <= p && p <= interval.high ? mass : 0.0;
            mass *= (double)(TRIALS - hits) / (double)(hits + 1) * p / (1.0 - p);
        }
        assert_true(covered > 0.95 - 1e-9);
    }
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    struct stats_interval interval = {42, 42};
    assert_int_equal(stats_binomial_interval(0, 0, 0.9, &interval, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_binomial_interval(2, 1, 0.9, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_binomial_interval(1, 2, 1.0, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_binomial_interval(1, 2, (double)NAN, &interval, NULL),
                     DUET_E_DOMAIN);
    assert_true(interval.low == 42 && interval.high == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beta_agrees_with_scipy),
        cmocka_unit_test(test_interval_agrees_with_scipy),
        cmocka_unit_test(test_interval_covers),
        cmocka_unit_test(test_bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
