// labels: soakvalgrind
/* Replicates of blocks, one by one: the same as those of the general bootstrap. */
#include "stats/bootstrap/blockreplicate.h"
#include "stats/bootstrap/resample.h"
#include "stats/rank/order.h"
#include "stats/rank/rankinterval.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

enum { COUNT = 403, REPLICATES = 300 };

static double values[COUNT];

/* Neighbours alike, and some values equal. */
static void fill_values(void)
{
    double last = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        last = 0.7 * last + sin(37.0 * (double)i * (double)i);
        values[i] = 100.0 + round(8.0 * last) / 4.0;
    }
}

static struct stats_block_replicator *replicator_of(const struct stats_block_plan *plan,
                                                    struct stats_statistic statistic)
{
    struct stats_block_replicator *made = NULL;
    assert_int_equal(
        stats_block_replicator_new(values, COUNT, plan, &statistic, &made, NULL),
        DUET_OK);
    return made;
}

static void check_as_resample(struct stats_statistic statistic, double length)
{
    static double expected[REPLICATES];
    struct stats_question question = {.statistic = statistic,
                                      .scheme = STATS_SCHEME_CIRCULAR,
                                      .block_length = length,
                                      .groups = {{values, COUNT, NULL}}};
    struct stats_resampling how = {.seed = 9, .stream = 77, .replicates = REPLICATES};
    double estimate = 0.0;
    assert_int_equal(stats_resample(&question, &how, &estimate, expected, NULL),
                     DUET_OK);
    struct stats_block_plan plan = stats_block_plan_circular(COUNT, length);
    struct stats_block_replicator *replicator = replicator_of(&plan, statistic);
    for (uint64_t b = 0; b < REPLICATES; b++) {
        struct stats_draw_site site = {9, 77 + b, 0,
                                       b % 2 == 0 ? SIMD_BEST : SIMD_NONE};
        assert_nearly(stats_block_replicate(replicator, &site), expected[b], 1e-13);
    }
    stats_block_replicator_free(replicator);
}

/* Whatever the quantile, its tail and the length of the blocks. */
static void test_same_as_the_bootstrap(void **state)
{
    (void)state;
    static const double lengths[] = {1.0, 2.0, 7.4, 24.0, 131.0, 403.0};
    static const double fractions[] = {0.0, 0.03, 0.25,  0.5, 0.51,
                                       0.9, 0.95, 0.999, 1.0};
    fill_values();
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        check_as_resample((struct stats_statistic){STATS_STATISTIC_MEAN, 0.0},
                          lengths[l]);
        for (size_t f = 0; f < sizeof fractions / sizeof *fractions; f++) {
            check_as_resample(
                (struct stats_statistic){STATS_STATISTIC_QUANTILE, fractions[f]},
                lengths[l]);
        }
    }
}

/* One block that begins at one place: the replicate is the statistic of its values. */
static void test_other_plans(void **state)
{
    (void)state;
    fill_values();
    struct stats_block_plan plan = {
        .length = 50, .blocks = 3, .last_length = 50, .starts = 1};
    struct stats_draw_site site = {.seed = 1, .stream = 2};
    struct stats_statistic statistic = {STATS_STATISTIC_QUANTILE, 0.9};
    struct stats_block_replicator *replicator = replicator_of(&plan, statistic);
    double copy[150];
    for (size_t i = 0; i < 150; i++) {
        copy[i] = values[i % 50];
    }
    double expected = 0.0;
    assert_int_equal(stats_quantile_type7(copy, 150, 0.9, &expected, NULL), DUET_OK);
    assert_nearly(stats_block_replicate(replicator, &site), expected, 1e-13);
    stats_block_replicator_free(replicator);
}

static void test_errors(void **state)
{
    (void)state;
    struct stats_block_replicator *made = NULL;
    struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    struct stats_statistic other = {STATS_STATISTIC_CV, 0.0};
    struct stats_statistic beyond = {STATS_STATISTIC_QUANTILE, 1.5};
    fill_values();
    struct stats_block_plan plan = stats_block_plan_circular(COUNT, 1e9);
    assert_int_equal(plan.length, COUNT);
    assert_int_equal(stats_block_plan_circular(COUNT, 0.01).length, 1);
    assert_int_equal(stats_block_replicator_new(values, 0, &plan, &mean, &made, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(
        stats_block_replicator_new(values, COUNT, &plan, &other, &made, NULL),
        DUET_E_DOMAIN);
    assert_int_equal(
        stats_block_replicator_new(values, COUNT, &plan, &beyond, &made, NULL),
        DUET_E_DOMAIN);
    assert_int_equal(
        stats_block_replicator_new(values, COUNT - 1, &plan, &mean, &made, NULL),
        DUET_E_DOMAIN);
    values[5] = (double)NAN;
    assert_int_equal(
        stats_block_replicator_new(values, COUNT, &plan, &mean, &made, NULL),
        DUET_E_DOMAIN);
    assert_null(made);
    stats_block_replicator_free(NULL);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fill_values();
    struct stats_block_plan plan = stats_block_plan_circular(COUNT, 9.0);
    for (int kind = 0; kind < 2; kind++) {
        struct stats_statistic statistic = {
            kind == 0 ? STATS_STATISTIC_MEAN : STATS_STATISTIC_QUANTILE, 0.9};
        enum duet_code code = DUET_E_NOMEM;
        for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
            struct stats_block_replicator *made = NULL;
            alloc_fail_at(n);
            code = stats_block_replicator_new(values, COUNT, &plan, &statistic, &made,
                                              NULL);
            alloc_fail_at(0);
            stats_block_replicator_free(made);
        }
        assert_int_equal(code, DUET_OK);
    }
}

/* The exact interval against the bootstrap's with very many replicates. */
static void test_rank_interval(void **state)
{
    (void)state;
    enum { FEW = 60 };
    double sorted[FEW];
    for (size_t i = 0; i < FEW; i++) {
        sorted[i] = (double)i;
    }
    struct stats_question question = {.statistic = {STATS_STATISTIC_QUANTILE, 0.9},
                                      .groups = {{sorted, FEW, NULL}}};
    struct stats_resampling how = {.seed = 3, .replicates = 200000};
    struct stats_interval interval = {0};
    double estimate = 0.0;
    size_t low = 0;
    size_t high = 0;
    assert_int_equal(stats_resample_interval(&question, &how, STATS_METHOD_PERCENTILE,
                                             0.95, &estimate, &interval, NULL),
                     DUET_OK);
    assert_int_equal(stats_rank_interval(FEW, 0.9, 0.95, &low, &high, NULL), DUET_OK);
    assert_true(fabs((double)low - interval.low) <= 1.0);
    assert_true(fabs((double)high - interval.high) <= 1.0);
    assert_int_equal(stats_rank_interval(1, 0.5, 0.95, &low, &high, NULL), DUET_OK);
    assert_true(low == 0 && high == 0);
    assert_int_equal(stats_rank_interval(0, 0.5, 0.95, &low, &high, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_rank_interval(5, 1.5, 0.95, &low, &high, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_rank_interval(5, 0.5, 1.0, &low, &high, NULL),
                     DUET_E_DOMAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_bootstrap),
        cmocka_unit_test(test_other_plans),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_rank_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
