// labels: soakvalgrind
/* What a run says, and how much less a pair says that lost CPU time. */
#include "base/random.h"
#include "stats/sequential/run_facts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nearly.h"
#include "support/alloc_fail.h"

enum { MOST = 40 };

static struct stats_run_facts facts_of(const double *ratios, const double *first,
                                       const double *second, size_t count,
                                       enum stats_location location)
{
    double scratch[MOST];
    struct stats_run_facts facts = {0};
    const struct stats_run_pairs pairs = {ratios, {first, second}, count};
    assert_int_equal(stats_run_facts_find(&pairs, location, scratch, &facts, NULL),
                     DUET_OK);
    return facts;
}

static void test_without_losses(void **state)
{
    (void)state;
    const double ratios[] = {0.1, 0.6, 0.2, 0.3};
    const double none[] = {0.0, 0.0, 0.0, 0.0};
    struct stats_run_facts facts =
        facts_of(ratios, NULL, NULL, 4, STATS_LOCATION_MEDIAN);
    assert_nearly(facts.log_ratio, 0.25, 1e-14);
    assert_nearly(facts.spread, (0.15 + 0.35 + 0.05 + 0.05) / 4 / 2, 1e-14);
    struct stats_run_facts known =
        facts_of(ratios, none, none, 4, STATS_LOCATION_MEDIAN);
    assert_true(known.log_ratio == facts.log_ratio && known.spread == facts.spread);
    assert_nearly(facts_of(ratios, none, none, 4, STATS_LOCATION_MEAN).log_ratio, 0.3,
                  1e-14);
    assert_true(isnan(facts_of(ratios, NULL, NULL, 1, STATS_LOCATION_MEAN).spread));
}

/* Weights 1/10, 1 and 1/2 of the whole. */
static void test_losses_by_hand(void **state)
{
    (void)state;
    const double ratios[] = {0.6, 0.1, 0.3};
    const double old_lost[] = {0.0, 0.0, 0.1};
    const double new_lost[] = {0.3, 0.0, 0.0};
    struct stats_run_facts facts =
        facts_of(ratios, old_lost, new_lost, 3, STATS_LOCATION_MEDIAN);
    double whole = 1.6;
    double squares = 0.01 + 1.0 + 0.25;
    double distances = 0.1 * 0.5 + 0.5 * 0.2;
    assert_true(facts.log_ratio == 0.1);
    assert_nearly(facts.spread, distances / whole / sqrt(whole * whole / squares),
                  1e-5);
    /* The mean takes all alike. */
    facts = facts_of(ratios, old_lost, new_lost, 3, STATS_LOCATION_MEAN);
    assert_nearly(facts.log_ratio, 1.0 / 3.0, 1e-14);
    facts = facts_of(ratios, old_lost, NULL, 3, STATS_LOCATION_MEDIAN);
    assert_true(facts.log_ratio == 0.3);
}

/* To the last bit: ratios with the other sign, and the losses of the sides swapped. */
static void test_swapped_sides(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(21, 0);
    for (size_t count = 1; count < MOST; count++) {
        double ratios[MOST];
        double turned[MOST];
        double first[MOST];
        double second[MOST];
        for (size_t i = 0; i < count; i++) {
            ratios[i] = random_uniform(&stream) - 0.4;
            turned[i] = -ratios[i];
            first[i] = random_below(&stream, 2) * random_uniform(&stream);
            second[i] = random_below(&stream, 2) * random_uniform(&stream);
        }
        for (int location = 0; location < 3; location++) {
            enum stats_location which = (enum stats_location)location;
            struct stats_run_facts one = facts_of(ratios, first, second, count, which);
            struct stats_run_facts other =
                facts_of(turned, second, first, count, which);
            assert_true(one.log_ratio == -other.log_ratio);
            assert_true(count == 1 || one.spread == other.spread);
        }
    }
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The plain median of each value as often as its weight says. */
static void test_weighted_median(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(22, 0);
    for (int trial = 0; trial < 300; trial++) {
        double values[MOST];
        uint32_t weights[MOST];
        double repeated[5 * MOST];
        size_t count = 1 + random_below(&stream, MOST);
        size_t whole = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = (double)random_below(&stream, 10); /* ties */
            weights[i] = 1 + random_below(&stream, 5);
            for (uint32_t copy = 0; copy < weights[i]; copy++) {
                repeated[whole++] = values[i];
            }
        }
        qsort(repeated, whole, sizeof *repeated, ascending);
        double wanted = 0.5 * repeated[(whole - 1) / 2] + 0.5 * repeated[whole / 2];
        double median = 0.0;
        assert_int_equal(stats_weighted_median(values, weights, count, &median, NULL),
                         DUET_OK);
        assert_true(median == wanted);
    }
}

static void test_errors(void **state)
{
    (void)state;
    const double ratios[] = {0.1, 0.2};
    const double lost[] = {0.1, 0.0};
    double scratch[2];
    double median = 0.0;
    struct stats_run_facts facts = {.log_ratio = 42.0};
    struct stats_run_pairs pairs = {ratios, {lost, lost}, 0};
    assert_int_equal(
        stats_run_facts_find(&pairs, STATS_LOCATION_MEDIAN, scratch, &facts, NULL),
        DUET_E_TOO_FEW);
    assert_int_equal(stats_weighted_median(ratios, NULL, 0, &median, NULL),
                     DUET_E_TOO_FEW);
    pairs.count = 2;
    for (unsigned long n = 1; n <= 2; n++) {
        alloc_fail_at(n);
        assert_int_equal(
            stats_run_facts_find(&pairs, STATS_LOCATION_MEDIAN, scratch, &facts, NULL),
            DUET_E_NOMEM);
        alloc_fail_at(0);
    }
    assert_true(facts.log_ratio == 42.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_losses), cmocka_unit_test(test_losses_by_hand),
        cmocka_unit_test(test_swapped_sides),  cmocka_unit_test(test_weighted_median),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
