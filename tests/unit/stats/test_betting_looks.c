/* The interval of all looks together, and that of the last one. */
#include "stats/sequential/betting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nearly.h"

/* What the last look says: wider than what all looks exclude together, and still around
 * the blocks when they have moved away from where the first ones were. */
static void test_the_last_look_alone(void **state)
{
    (void)state;
    struct stats_betting *betting = NULL;
    int agreed = 0;
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    for (int i = 0; i < 40; i++) {
        double wobble = 0.001 * (double)(i % 3 - 1);
        assert_int_equal(
            stats_betting_add(betting, (i < 14 ? 0.02 : 0.05) + wobble, 1.0, NULL),
            DUET_OK);
        struct stats_interval all = {0};
        struct stats_interval now = {0};
        bool conflict = false;
        stats_betting_interval(betting, &all, &conflict);
        stats_betting_interval_now(betting, &now);
        assert_true(conflict || (now.low <= all.low && now.high >= all.high));
        agreed += !conflict && isfinite(all.low) && isfinite(all.high);
    }
    assert_int_equal(agreed, 30); /* looks that are compared above, with both ends */
    struct stats_interval now = {0};
    stats_betting_interval_now(betting, &now);
    double center = stats_betting_center(betting);
    assert_true(now.low <= center && center <= now.high);
    stats_betting_free(betting);
}

/* Most blocks are equal, as those of a coarse clock are: both ends may come down to
 * their value, which is no conflict. */
static void test_most_blocks_equal(void **state)
{
    (void)state;
    const double usual = 0.01;
    struct stats_betting *betting = NULL;
    struct stats_interval ends = {0};
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    for (int i = 0; i < 60; i++) {
        double other = 0.001 * (double)(i % 11 - 5);
        assert_int_equal(
            stats_betting_add(betting, usual + (i % 4 == 1 ? other : 0.0), 1.0, NULL),
            DUET_OK);
        bool conflict = true;
        stats_betting_interval(betting, &ends, &conflict);
        assert_false(conflict);
        assert_true(ends.low <= usual && usual <= ends.high);
    }
    assert_true(ends.low == usual && ends.high == usual);
    stats_betting_interval_now(betting, &ends);
    assert_true(ends.low == usual && ends.high == usual);
    stats_betting_free(betting);
}

/* One block far out leaves the ends and the centre where the others have them. */
static void test_one_block_far_out(void **state)
{
    (void)state;
    const double far_out[] = {1e2, 1e8, 1e20, STATS_BETTING_LARGEST};
    struct stats_interval first = {0};
    double first_center = 0.0;
    for (size_t f = 0; f < sizeof far_out / sizeof far_out[0]; f++) {
        struct stats_betting *betting = NULL;
        assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
        for (int i = 0; i < 30; i++) {
            double value = 0.01 + 0.001 * (double)(i * 7 % 11 - 5);
            value = i == 12 ? far_out[f] : value;
            assert_int_equal(stats_betting_add(betting, value, 1.0, NULL), DUET_OK);
        }
        struct stats_interval ends = {0};
        bool conflict = true;
        stats_betting_interval(betting, &ends, &conflict);
        double center = stats_betting_center(betting);
        first = f == 0 ? ends : first;
        first_center = f == 0 ? center : first_center;
        assert_false(conflict);
        assert_nearly(ends.low, first.low, 1e-12);
        assert_nearly(ends.high, first.high, 1e-12);
        assert_nearly(center, first_center, 1e-12);
        stats_betting_free(betting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_look_alone),
        cmocka_unit_test(test_most_blocks_equal),
        cmocka_unit_test(test_one_block_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
