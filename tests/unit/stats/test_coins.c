// labels: soakvalgrind
/* Coins of runs and of blocks: what they are worth, and that they are fair. */
#include "base/random.h"
#include "stats/sequential/betting.h"
#include "stats/sequential/coins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"
#include "support/alloc_fail.h"

struct pair {
    struct stats_coins *coins;
    struct stats_betting *betting;
};

static struct pair pair_new(void)
{
    struct pair pair = {0};
    assert_int_equal(stats_coins_new(&pair.coins, NULL), DUET_OK);
    assert_int_equal(stats_betting_new(0.01, &pair.betting, NULL), DUET_OK);
    return pair;
}

static void pair_reset(struct pair *pair)
{
    stats_coins_reset(pair->coins);
    stats_betting_reset(pair->betting);
}

static void pair_free(struct pair *pair)
{
    stats_coins_free(pair->coins);
    stats_betting_free(pair->betting);
}

static void add(struct pair *pair, const struct stats_coin *coin)
{
    assert_int_equal(stats_coins_add(pair->coins, coin, pair->betting, NULL), DUET_OK);
}

static struct stats_coin block_of(double first, double second, unsigned old_position)
{
    double none = (double)NAN;
    return (struct stats_coin){{{first, none}, {second, none}}, 2, old_position};
}

static struct stats_coin run_of(double log_ratio, unsigned old_position)
{
    return (struct stats_coin){{{log_ratio, (double)NAN}}, 1, old_position};
}

/* Position 1 takes 0.3 longer, and new 0.1: runs say 0.4 or -0.2, and 0.1 when they are
 * corrected for it. Eight coins of one sign are enough for a verdict, seven are not. */
static void test_a_run_is_freed_of_the_positions(void **state)
{
    (void)state;
    struct pair pair = pair_new();
    struct stats_coin coins[] = {block_of(0.4, -0.2, 0), block_of(-0.2, 0.4, 1)};
    add(&pair, &coins[0]);
    add(&pair, &coins[1]);
    for (unsigned run = 0; run < 6; run++) {
        assert_int_equal(stats_betting_sign(pair.betting), 0);
        struct stats_coin coin = run % 3 == 0 ? run_of(-0.2, 1) : run_of(0.4, 0);
        add(&pair, &coin);
    }
    assert_int_equal(stats_betting_count(pair.betting), 8);
    assert_nearly(stats_betting_center(pair.betting), 0.1, 1e-12);
    assert_int_equal(stats_betting_sign(pair.betting), 1);
    pair_free(&pair);
}

static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* Fifty coins; runs alone where `alone`. sign: -1 swaps all labels. */
static void play(struct pair *pair, struct random_stream stream, double sign,
                 size_t first_alone, double change, double drift)
{
    pair_reset(pair);
    for (size_t i = 0; i < 50; i++) {
        unsigned old_position = random_u32(&stream) >> 31U;
        bool alone = i >= first_alone && i < first_alone + 12;
        double logs[2];
        for (size_t run = 0; run < 2; run++) {
            double towards = (old_position + run) % 2 == 0 ? 1.0 : -1.0;
            logs[run] = sign * (change + towards * (0.02 + drift * (double)i +
                                                    0.01 * draw_normal(&stream)));
        }
        unsigned position = sign > 0.0 ? old_position : 1U - old_position;
        struct stats_coin coin =
            alone ? run_of(logs[0], position) : block_of(logs[0], logs[1], position);
        add(pair, &coin);
    }
}

static void test_swapped_labels_change_the_sign(void **state)
{
    (void)state;
    struct pair pair = pair_new();
    for (uint64_t sample = 0; sample < 20; sample++) {
        struct stats_interval ends[2];
        double centers[2];
        for (int swapped = 0; swapped < 2; swapped++) {
            bool conflict = false;
            play(&pair, random_stream_at(3, sample), swapped ? -1.0 : 1.0, 2, 0.005,
                 0.0);
            stats_betting_interval(pair.betting, &ends[swapped], &conflict);
            centers[swapped] = stats_betting_center(pair.betting);
        }
        assert_true(ends[0].low == -ends[1].high && ends[0].high == -ends[1].low);
        assert_nearly(centers[0], -centers[1], 1e-12);
    }
    pair_free(&pair);
}

/* At 1 %: at most 1 % of 4000 and four standard errors, with positions that differ,
 * that drift, and with runs alone from the first coin on. */
static void test_false_alarms(void **state)
{
    (void)state;
    struct pair pair = pair_new();
    const size_t first_alone[] = {0, 1, 2, 4};
    for (size_t design = 0; design < 4; design++) {
        unsigned wrong = 0;
        for (uint64_t sample = 0; sample < 4000; sample++) {
            play(&pair, random_stream_at(5 + design, sample), 1.0, first_alone[design],
                 0.0, design == 3 ? 0.001 : 0.0);
            wrong += stats_betting_sign(pair.betting) != 0;
        }
        assert_in_range(wrong, 1, 65);
    }
    pair_free(&pair);
}

/* What the runs of a block disagree by is corrected for the positions, too: a
 * disturbed block counts for less, however much the positions differ. */
static void test_positions_do_not_hide_a_disturbed_block(void **state)
{
    (void)state;
    struct pair pair = pair_new();
    for (unsigned i = 0; i < 6; i++) {
        double noise = i % 2 == 0 ? 0.001 : -0.001;
        double apart = i % 3 == 0 ? 0.001 : -0.001;
        struct stats_coin calm = block_of(0.5 + noise + apart, -0.5 + noise - apart, 0);
        add(&pair, &calm);
    }
    double before = stats_betting_center(pair.betting);
    struct stats_coin disturbed = block_of(0.5 + 0.3, -0.5, 0);
    add(&pair, &disturbed);
    assert_true(fabs(stats_betting_center(pair.betting) - before) < 1e-5);
    pair_free(&pair);
}

static void test_errors(void **state)
{
    (void)state;
    struct pair pair = pair_new();
    struct stats_coin first = block_of(0.1, 0.2, 0);
    struct stats_coin broken = run_of((double)NAN, 0);
    add(&pair, &first);
    assert_int_equal(stats_coins_add(pair.coins, &broken, pair.betting, NULL),
                     DUET_E_DOMAIN);
    pair_reset(&pair);
    assert_int_equal(stats_coins_add(pair.coins, &broken, pair.betting, NULL),
                     DUET_E_DOMAIN);
    pair_free(&pair);
    struct stats_coins *coins = NULL;
    for (unsigned long n = 1; n <= 2; n++) {
        alloc_fail_at(n);
        assert_int_equal(stats_coins_new(&coins, NULL), DUET_E_NOMEM);
        assert_null(coins);
    }
    alloc_fail_at(0);
    stats_coins_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_is_freed_of_the_positions),
        cmocka_unit_test(test_swapped_labels_change_the_sign),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_positions_do_not_hide_a_disturbed_block),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
