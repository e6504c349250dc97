/* Statistics of values that do not lie in memory are those of arrays. */
#include "analysis/runs/spooled.h"
#include "base/random.h"
#include "stats/series.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 40003, KINDS = 7 };

static double values[MANY];
static double copy[MANY];
static uint32_t weights[MANY];

/* Spread narrowly and widely, with both signs, with ties, all alike. */
static void make(int kind, size_t count)
{
    static const double spreads[] = {1e-12, 0.01, 1.0, 200.0};
    struct random_stream stream = random_stream_at(3, (uint64_t)kind);
    for (size_t i = 0; i < count; i++) {
        double draw = random_uniform(&stream) - 0.5;
        values[i] = kind < 4    ? 1000.0 * exp(spreads[kind] * draw)
                    : kind == 4 ? draw
                    : kind == 5 ? floor(4.0 * draw)
                                : 5.0;
        weights[i] = 1 + random_below(&stream, 1U << (1 + i % 20));
    }
}

static struct spool spooled(size_t count, size_t most)
{
    struct spool spool = analysis_spool_of_values();
    spool.most = most;
    assert_int_equal(spool_add(&spool, values, count, NULL), DUET_OK);
    return spool;
}

static const size_t counts[] = {1, 2, 3, 10, 11, 999, MANY - 1, MANY};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static void quantiles_are_those_of_arrays(void **state)
{
    (void)state;
    static const double levels[] = {0.0, 0.1, 0.5, 0.9, 0.99, 1.0};
    enum { LEVELS = sizeof levels / sizeof levels[0] };
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t c = 0; c < COUNTS; c++) {
            double expected[LEVELS];
            double found[LEVELS];
            make(kind, counts[c]);
            struct spool spool = spooled(counts[c], 1 + counts[c] / 3);
            memcpy(copy, values, sizeof copy);
            assert_int_equal(
                stats_quantiles_type7(copy, counts[c], levels, LEVELS, expected, NULL),
                DUET_OK);
            assert_int_equal(
                analysis_spooled_quantiles(&spool, levels, LEVELS, found, NULL),
                DUET_OK);
            assert_memory_equal(found, expected, sizeof found);
            assert_true(analysis_spooled_median(&spool) == expected[2]);
            spool_release(&spool);
        }
    }
    struct spool none = analysis_spool_of_values();
    assert_true(isnan(analysis_spooled_median(&none)));
}

static void medians_in_memory(void **state)
{
    (void)state;
    double expected = 0.0;
    make(2, 999);
    struct spool spool = spooled(999, 1000);
    memcpy(copy, values, sizeof copy);
    assert_int_equal(stats_quantile_type7(copy, 999, 0.5, &expected, NULL), DUET_OK);
    assert_true(analysis_spooled_median(&spool) == expected);
    spool_release(&spool);
}

static void autocorrelation_is_that_of_arrays(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        double expected[2] = {1.0, (double)NAN};
        double found = 0.0;
        make(kind, MANY);
        struct spool spool = spooled(MANY, 1000);
        (void)!stats_autocorrelation(values, MANY, 1, expected, NULL);
        assert_int_equal(analysis_spooled_lag1(&spool, &found, NULL), DUET_OK);
        assert_true(found == expected[1] || (isnan(found) && isnan(expected[1])));
        spool_release(&spool);
    }
}

static void assert_facts(const struct stats_run_facts *found,
                         const struct stats_run_facts *expected, double most)
{
    assert_true(fabs(found->log_ratio - expected->log_ratio) <=
                most * fabs(expected->log_ratio));
    assert_true((isnan(found->spread) && isnan(expected->spread)) ||
                fabs(found->spread - expected->spread) <= most * expected->spread);
}

static void facts_are_those_of_arrays(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t c = 0; c < COUNTS; c++) {
            struct stats_run_pairs pairs = {.log_ratios = values, .count = counts[c]};
            make(kind, counts[c]);
            struct spool spool = spooled(counts[c], 1 + counts[c] / 3);
            for (int location = STATS_LOCATION_MEAN; location <= STATS_LOCATION_MEDIAN;
                 location++) {
                struct stats_run_facts expected;
                struct stats_run_facts found;
                assert_int_equal(stats_run_facts_find(&pairs,
                                                      (enum stats_location)location,
                                                      copy, &expected, NULL),
                                 DUET_OK);
                assert_int_equal(analysis_spooled_facts(&spool,
                                                        (enum stats_location)location,
                                                        &found, NULL),
                                 DUET_OK);
                assert_facts(&found, &expected,
                             location == STATS_LOCATION_TRIMMED ? 1e-14 : 0.0);
            }
            spool_release(&spool);
        }
    }
}

/* stats_run_facts_find() makes the weights of losses. */
static void weighted_facts_are_those_of_arrays(void **state)
{
    (void)state;
    static double lost[2][MANY];
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t c = 0; c < COUNTS; c++) {
            struct stats_run_facts expected;
            struct stats_run_facts found;
            struct spool spool = analysis_spool_of_weighted();
            spool.most = 1000;
            make(kind, counts[c]);
            for (size_t i = 0; i < counts[c]; i++) {
                lost[0][i] = i % 3 == 0 ? 0.0 : 1e-6 * weights[i];
                lost[1][i] = i % 5 == 0 ? 0.0 : 2e-6 * weights[i];
                struct analysis_weighted item = {
                    .value = values[i],
                    .weight = stats_pair_weight(lost[0][i], lost[1][i])};
                assert_int_equal(spool_add(&spool, &item, 1, NULL), DUET_OK);
            }
            struct stats_run_pairs pairs = {
                .log_ratios = values, .lost = {lost[0], lost[1]}, .count = counts[c]};
            assert_int_equal(stats_run_facts_find(&pairs, STATS_LOCATION_MEDIAN, copy,
                                                  &expected, NULL),
                             DUET_OK);
            assert_int_equal(analysis_spooled_weighted_facts(&spool, &found, NULL),
                             DUET_OK);
            assert_facts(&found, &expected, 0.0);
            spool_release(&spool);
        }
    }
    /* The middle of the weight lies between two values. */
    struct spool two = analysis_spool_of_weighted();
    const struct analysis_weighted items[] = {{.value = 3.0, .weight = 5},
                                              {.value = 1.0, .weight = 2},
                                              {.value = 2.0, .weight = 3}};
    struct stats_run_facts found;
    assert_int_equal(spool_add(&two, items, 3, NULL), DUET_OK);
    assert_int_equal(analysis_spooled_weighted_facts(&two, &found, NULL), DUET_OK);
    assert_true(found.log_ratio == 2.5);
    spool_release(&two);
}

/* First the counts, then what is read. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    const double half = 0.5;
    double found = 0.0;
    struct stats_run_facts facts;
    make(1, MANY);
    for (unsigned long nth = 1; nth <= 2; nth++) {
        struct spool spool = spooled(MANY, 1000);
        alloc_fail_at(nth);
        assert_int_equal(analysis_spooled_quantiles(&spool, &half, 1, &found, NULL),
                         DUET_E_NOMEM);
        alloc_fail_at(nth);
        assert_int_equal(
            analysis_spooled_facts(&spool, STATS_LOCATION_TRIMMED, &facts, NULL),
            DUET_E_NOMEM);
        alloc_fail_at(nth);
        assert_true(isnan(analysis_spooled_median(&spool)));
        alloc_fail_at(0);
        assert_true(isfinite(analysis_spooled_median(&spool)));
        spool_release(&spool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_arrays),
        cmocka_unit_test(medians_in_memory),
        cmocka_unit_test(autocorrelation_is_that_of_arrays),
        cmocka_unit_test(facts_are_those_of_arrays),
        cmocka_unit_test(weighted_facts_are_those_of_arrays),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
