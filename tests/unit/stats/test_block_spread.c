// labels: soakvalgrind
/* What tells a disturbed block from a calm one, and what the bets make of it. */
#include "base/random.h"
#include "stats/sequential/betting.h"
#include "stats/sequential/block_spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"
#include "support/alloc_fail.h"
#include "support/trials.h"

static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

static struct stats_block_spread *spread_new(void)
{
    struct stats_block_spread *spread = NULL;
    assert_int_equal(stats_block_spread_new(&spread, NULL), DUET_OK);
    return spread;
}

static double next(struct stats_block_spread *spread, struct stats_block_facts facts)
{
    double of_block = 0.0;
    assert_int_equal(stats_block_spread_add(spread, &facts, &of_block, NULL), DUET_OK);
    return of_block;
}

static struct stats_block_facts facts_of(double difference, double of_runs)
{
    return (struct stats_block_facts){{{difference, of_runs}, {-difference, of_runs}}};
}

/* v = 0.3, 0.3, 0.5, 1.3; medians so far 0.3, 0.3, 0.3, 0.4. */
static void test_by_hand(void **state)
{
    (void)state;
    struct stats_block_spread *spread = spread_new();
    assert_nearly(next(spread, facts_of(0.3, (double)NAN)), 0.3, 1e-14);
    assert_nearly(next(spread, facts_of(0.0, 0.3)), 0.3, 1e-14);
    assert_nearly(next(spread, facts_of(0.3, 0.4)), sqrt((0.3 * 0.3 + 0.5 * 0.5) / 2),
                  1e-14);
    assert_nearly(next(spread, facts_of(1.2, 0.5)), sqrt((0.4 * 0.4 + 1.3 * 1.3) / 2),
                  1e-14);
    /* One run with a single iteration: the other one's spread. */
    stats_block_spread_reset(spread);
    struct stats_block_facts half = {{{0.0, 0.2}, {0.0, (double)NAN}}};
    assert_nearly(next(spread, half), 0.2, 1e-14);
    stats_block_spread_free(spread);
}

/* Equal times everywhere: a positive number, the same for all. */
static void test_nothing_differs(void **state)
{
    (void)state;
    struct stats_block_spread *spread = spread_new();
    double first = next(spread, facts_of(0.0, 0.0));
    assert_true(first > 0.0 && isfinite(first));
    for (int i = 0; i < 10; i++) {
        assert_true(next(spread, facts_of(0.0, 0.0)) == first);
    }
    stats_block_spread_free(spread);
}

enum { PAIRS = 3 };

/* Logarithms of the times of two runs of three pairs, by position, and of what was lost
 * in each. */
struct positions {
    double times[2][2][PAIRS];
    double lost[2][2][PAIRS];
};

/* The coin says which position is new in the first run. */
static struct stats_block_facts facts_of_times(const struct positions *drawn, int coin,
                                               double log_change)
{
    struct stats_block_facts facts;
    for (int run = 0; run < 2; run++) {
        int new_position = run == 0 ? coin : 1 - coin;
        double ratios[PAIRS];
        double scratch[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            double of_new = drawn->times[run][new_position][i] + log_change;
            double of_old = drawn->times[run][1 - new_position][i];
            ratios[i] = of_new - of_old;
        }
        const struct stats_run_pairs pairs = {
            .log_ratios = ratios,
            .lost = {drawn->lost[run][1 - new_position],
                     drawn->lost[run][new_position]},
            .count = PAIRS};
        assert_int_equal(stats_run_facts_find(&pairs, STATS_LOCATION_MEDIAN, scratch,
                                              &facts.runs[run], NULL),
                         DUET_OK);
    }
    return facts;
}

/* What the validity of the bets rests on: the spread does not know of the coin,
 * whatever the constant ratio is. */
static void test_swapped_labels(void **state)
{
    (void)state;
    const double changes[] = {0.0, 0.01, -2.0};
    for (size_t c = 0; c < 3; c++) {
        struct stats_block_spread *one = spread_new();
        struct stats_block_spread *other = spread_new();
        struct random_stream stream = random_stream_at(4, c);
        for (int block = 0; block < 300; block++) {
            struct positions drawn;
            for (int i = 0; i < 4 * PAIRS; i++) {
                int run = i / (2 * PAIRS);
                int position = i / PAIRS % 2;
                double lost = 0.1 * fmax(0.0, draw_normal(&stream));
                drawn.times[run][position][i % PAIRS] = draw_normal(&stream) + lost;
                drawn.lost[run][position][i % PAIRS] = block % 2 == 0 ? lost : 0.0;
            }
            int coin = (int)(random_u32(&stream) >> 31U);
            double here = next(one, facts_of_times(&drawn, coin, changes[c]));
            double there = next(other, facts_of_times(&drawn, 1 - coin, changes[c]));
            assert_nearly(here, there, 1e-12);
        }
        stats_block_spread_free(one);
        stats_block_spread_free(other);
    }
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Quantile of type 7 of a sorted array. */
static double quantile(const double *sorted, size_t count, double probability)
{
    double at = probability * (double)(count - 1);
    size_t below = (size_t)at;
    double rest = at - (double)below;
    return rest > 0.0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                      : sorted[below];
}

/* Against sorting everything each time, up to where that is done no more. */
static void test_plain_reference(void **state)
{
    (void)state;
    enum { BLOCKS = 255 };
    double distances[BLOCKS];
    double sorted[BLOCKS];
    struct stats_block_spread *spread = spread_new();
    struct random_stream stream = random_stream_at(5, 0);
    for (size_t b = 0; b < BLOCKS; b++) {
        distances[b] = fabs(draw_normal(&stream));
        double got = next(spread, facts_of(distances[b], 0.0));
        size_t count = b + 1;
        memcpy(sorted, distances, sizeof sorted);
        qsort(sorted, count, sizeof *sorted, ascending);
        double typical = quantile(sorted, count, 0.5);
        double wanted = sqrt((typical * typical + distances[b] * distances[b]) / 2.0);
        assert_nearly(got, wanted, 1e-12);
    }
    stats_block_spread_free(spread);
}

/* ---- With the bets ---- */

enum { BLOCKS_AT_MOST = 200 };

/* A block whose noise is normal with a deviation of its own. */
struct weather {
    double deviation;
    double noise;
};

/* Every third block is ten times as noisy. */
static struct weather draw_weather(struct random_stream *stream)
{
    double deviation = random_below(stream, 3) == 0 ? 1.0 : 0.1;
    return (struct weather){deviation, deviation * draw_normal(stream)};
}

/* Blocks until the verdict, or BLOCKS_AT_MOST + 1. */
static size_t blocks_until(double shift, bool spreads_known, uint64_t trial, int *sign)
{
    struct stats_betting *betting = NULL;
    struct random_stream stream = random_stream_at(6, trial);
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    size_t blocks = 0;
    while (blocks < BLOCKS_AT_MOST && stats_betting_sign(betting) == 0) {
        struct weather weather = draw_weather(&stream);
        double spread = spreads_known ? weather.deviation : 1.0;
        assert_int_equal(
            stats_betting_add(betting, shift + weather.noise, spread, NULL), DUET_OK);
        blocks++;
    }
    *sign = stats_betting_sign(betting);
    stats_betting_free(betting);
    return *sign != 0 ? blocks : BLOCKS_AT_MOST + 1;
}

static void test_calm_blocks_decide(void **state)
{
    (void)state;
    enum { TRIALS = TRIALS_OF(200) };
    size_t known = 0;
    size_t unknown = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        int sign = 0;
        known += blocks_until(0.08, true, trial, &sign);
        assert_true(sign >= 0);
        unknown += blocks_until(0.08, false, trial, &sign);
    }
    assert_true((double)known < 0.85 * (double)unknown);
}

/* Knowing the noise of each block does not make a change of none. */
static void test_false_alarms(void **state)
{
    (void)state;
    enum { TRIALS = TRIALS_OF(3000) };
    unsigned alarms = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        int sign = 0;
        (void)blocks_until(0.0, true, trial, &sign);
        alarms += sign != 0;
    }
    assert_true((double)alarms / TRIALS < 0.01 + 4.5 * sqrt(0.01 * 0.99 / TRIALS));
}

/* The sides differ in noise alone: old times scatter by 1 %, new ones by 10 %, both
 * about the same value, in runs of five pairs whose median counts. Alarms of 60 looks.
 */
static void test_a_noisier_side_is_no_faster(void **state)
{
    (void)state;
    enum { TRIALS = TRIALS_OF(1500), BLOCKS = 60, ITERATIONS = 5 };
    unsigned alarms = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct random_stream stream = random_stream_at(9, trial);
        struct stats_betting *betting = NULL;
        struct stats_block_spread *spread = spread_new();
        assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
        for (int b = 0; b < BLOCKS && stats_betting_sign(betting) == 0; b++) {
            struct stats_block_facts facts;
            for (int run = 0; run < 2; run++) {
                double ratios[ITERATIONS];
                double scratch[ITERATIONS];
                for (int i = 0; i < ITERATIONS; i++) {
                    ratios[i] =
                        0.1 * draw_normal(&stream) - 0.01 * draw_normal(&stream);
                }
                const struct stats_run_pairs pairs = {.log_ratios = ratios,
                                                      .count = ITERATIONS};
                assert_int_equal(stats_run_facts_find(&pairs, STATS_LOCATION_MEDIAN,
                                                      scratch, &facts.runs[run], NULL),
                                 DUET_OK);
            }
            double log_ratio =
                0.5 * (facts.runs[0].log_ratio + facts.runs[1].log_ratio);
            assert_int_equal(
                stats_betting_add(betting, log_ratio, next(spread, facts), NULL),
                DUET_OK);
        }
        alarms += stats_betting_sign(betting) != 0;
        stats_block_spread_free(spread);
        stats_betting_free(betting);
    }
    assert_true((double)alarms / TRIALS < 0.01 + 4.5 * sqrt(0.01 * 0.99 / TRIALS));
}

/* Another unit of the spreads changes no bit; nor does the sign of everything. */
static void test_only_proportions_matter(void **state)
{
    (void)state;
    const double units[] = {1.0, 1024.0, 1.0};
    const double signs[] = {1.0, 1.0, -1.0};
    struct stats_interval intervals[3];
    double centers[3];
    double p_values[3];
    for (int i = 0; i < 3; i++) {
        struct stats_betting *betting = NULL;
        bool conflict = true;
        struct random_stream stream = random_stream_at(7, 0);
        assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
        for (int b = 0; b < 60; b++) {
            struct weather weather = draw_weather(&stream);
            assert_int_equal(stats_betting_add(betting,
                                               signs[i] * (0.2 + weather.noise),
                                               units[i] * weather.deviation, NULL),
                             DUET_OK);
        }
        stats_betting_interval(betting, &intervals[i], &conflict);
        assert_false(conflict);
        centers[i] = stats_betting_center(betting);
        p_values[i] = stats_betting_p_value(betting);
        stats_betting_free(betting);
    }
    assert_true(intervals[0].low == intervals[1].low);
    assert_true(intervals[0].high == intervals[1].high);
    assert_true(centers[0] == centers[1]);
    assert_true(intervals[0].low == -intervals[2].high);
    assert_nearly(centers[0], -centers[2], 1e-12);
    assert_true(p_values[0] == p_values[1] && p_values[0] == p_values[2]);
    assert_true(centers[0] > intervals[0].low && centers[0] < intervals[0].high);
}

static double center_of(const double *values, const double *spreads, size_t count)
{
    struct stats_betting *betting = NULL;
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(stats_betting_add(betting, values[i], spreads[i], NULL),
                         DUET_OK);
    }
    double center = stats_betting_center(betting);
    stats_betting_free(betting);
    return center;
}

static void test_center(void **state)
{
    (void)state;
    const double values[] = {1.0, 3.0, 2.0, 2.5, 1.5, 90.0};
    const double equal[] = {1, 1, 1, 1, 1, 1};
    const double last_noisy[] = {1, 1, 1, 1, 1, 1000};
    const double ties[] = {4.0, 4.0, 4.0, 7.0};
    assert_true(isnan(center_of(values, equal, 0)));
    assert_true(center_of(values, equal, 1) == 1.0);
    assert_nearly(center_of(values, equal, 2), 2.0, 1e-12);
    assert_nearly(center_of(values, equal, 5), 2.0, 1e-12);
    assert_true(center_of(values, equal, 6) < 2.5);
    assert_nearly(center_of(values, last_noisy, 6), 2.0, 1e-2);
    assert_true(center_of(ties, equal, 4) == 4.0);
    /* The mean of squares of its error: less than that of the plain mean, by much. */
    double by_center = 0.0;
    double by_mean = 0.0;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct random_stream stream = random_stream_at(8, trial);
        double drawn[40];
        double deviations[40];
        double sum = 0.0;
        for (int i = 0; i < 40; i++) {
            struct weather weather = draw_weather(&stream);
            drawn[i] = weather.noise;
            deviations[i] = weather.deviation;
            sum += weather.noise / 40.0;
        }
        double center = center_of(drawn, deviations, 40);
        by_center += center * center;
        by_mean += sum * sum;
    }
    assert_true(by_center < by_mean / 10.0);
}

static void test_bad_facts_are_refused(void **state)
{
    (void)state;
    struct duet_error error = {0};
    double of_block = 0.0;
    struct stats_block_spread *spread = spread_new();
    const struct stats_block_facts bad[] = {facts_of((double)INFINITY, 0.1),
                                            facts_of(0.1, (double)INFINITY),
                                            facts_of((double)NAN, 0.1)};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(stats_block_spread_add(spread, &bad[i], &of_block, &error),
                         DUET_E_DOMAIN);
        assert_non_null(strstr(error.message, "block 1"));
    }
    stats_block_spread_free(spread);
    struct stats_betting *betting = NULL;
    const double spreads[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stats_betting_add(betting, 0.1, spreads[i], &error),
                         DUET_E_DOMAIN);
        assert_non_null(strstr(error.message, "block 1"));
    }
    stats_betting_free(betting);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct stats_block_spread *spread = NULL;
    struct stats_block_facts facts = facts_of(0.1, 0.2);
    double of_block = 0.0;
    alloc_fail_at(1);
    assert_int_equal(stats_block_spread_new(&spread, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    spread = spread_new();
    /* 64 blocks, then 128: two arrays, each time. */
    for (int i = 0; i < 65; i++) {
        for (unsigned long n = 1; n <= 2 && i % 64 == 0; n++) {
            alloc_fail_at(n);
            assert_int_equal(stats_block_spread_add(spread, &facts, &of_block, NULL),
                             DUET_E_NOMEM);
            alloc_fail_at(0);
        }
        (void)next(spread, facts);
    }
    stats_block_spread_free(spread);
    stats_block_spread_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_a_noisier_side_is_no_faster),
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_swapped_labels),
        cmocka_unit_test(test_plain_reference),
        cmocka_unit_test(test_calm_blocks_decide),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_only_proportions_matter),
        cmocka_unit_test(test_center),
        cmocka_unit_test(test_bad_facts_are_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
