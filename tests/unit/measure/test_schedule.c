/* The coin: which side has which position in which run. */
#include "measure/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 50, BLOCKS = 200, RUNS = 400 };

static void test_sides_swap_within_a_block(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (uint64_t block = 0; block < BLOCKS; block++) {
            unsigned first = schedule_old_position(seed, block, false);
            assert_in_range(first, 0, 1);
            assert_int_equal(first + schedule_old_position(seed, block, true), 1);
        }
    }
}

/* Of n tosses of a fair coin, n/2 +- 5 standard deviations of sqrt(n)/2 fall on a side:
 * fails for one seed set in two million, and seeds are fixed. */
static void test_coin_is_fair(void **state)
{
    (void)state;
    unsigned heads = 0;
    unsigned tosses = 0;
    unsigned changes = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        unsigned before = schedule_old_position(seed, 0, false);
        for (uint64_t block = 1; block < BLOCKS; block++) {
            unsigned now = schedule_old_position(seed, block, false);
            heads += now;
            changes += now != before;
            before = now;
            tosses++;
        }
    }
    const unsigned half = tosses / 2;
    const unsigned five_sd = 250; /* 5 * sqrt(9950) / 2 */
    assert_in_range(heads, half - five_sd, half + five_sd);
    /* A toss tells nothing about the next one. */
    assert_in_range(changes, half - five_sd, half + five_sd);
}

static void test_seed_and_block_alone_decide(void **state)
{
    (void)state;
    unsigned different = 0;
    for (uint64_t block = BLOCKS; block-- > 0;) { /* in whatever order they are asked */
        unsigned of_seven = schedule_old_position(7, block, false);
        assert_int_equal(of_seven, schedule_old_position(7, block, false));
        different += of_seven != schedule_old_position(8, block, false);
    }
    assert_in_range(different, 1, BLOCKS - 1);
}

/* Every run has its own, from the whole range; positions share it unless they are to be
 * independent. */
static void test_environment_offsets(void **state)
{
    (void)state;
    struct model_plan plan = {.seed = 3};
    uint32_t most = 0;
    unsigned changes = 0;
    unsigned differ = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        plan.layout = MODEL_LAYOUT_SAME;
        uint32_t offset = schedule_environment_offset(&plan, run, 0);
        assert_int_equal(schedule_environment_offset(&plan, run, 1), offset);
        assert_int_equal(offset % 16, 0);
        assert_in_range(offset, 0, 4080);
        most = offset > most ? offset : most;
        changes += offset != schedule_environment_offset(&plan, run + 1, 0);
        plan.layout = MODEL_LAYOUT_FIXED;
        assert_int_equal(schedule_environment_offset(&plan, run, 0), 0);
        plan.layout = MODEL_LAYOUT_INDEPENDENT;
        differ += schedule_environment_offset(&plan, run, 0) !=
                  schedule_environment_offset(&plan, run, 1);
    }
    assert_in_range(most, 4000, 4080);
    assert_in_range(changes, RUNS * 9 / 10, RUNS);
    assert_in_range(differ, RUNS * 9 / 10, RUNS);
}

/* Likewise; no side has a seed of its own. */
static void test_hash_seeds(void **state)
{
    (void)state;
    struct model_plan plan = {.seed = 3};
    unsigned changes = 0;
    unsigned differ = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        plan.layout = MODEL_LAYOUT_SAME;
        uint32_t seed = schedule_hash_seed(&plan, run, 0);
        assert_int_equal(schedule_hash_seed(&plan, run, 1), seed);
        changes += seed != schedule_hash_seed(&plan, run + 1, 0);
        plan.layout = MODEL_LAYOUT_INDEPENDENT;
        differ +=
            schedule_hash_seed(&plan, run, 0) != schedule_hash_seed(&plan, run, 1);
    }
    assert_int_equal(changes, RUNS);
    assert_int_equal(differ, RUNS);
}

static void test_what_is_enough(void **state)
{
    (void)state;
    const struct model_plan named = {.runs = 5, .max_runs = 3};
    assert_false(schedule_is_enough(&named, 4, 1, 100, 10));
    assert_true(schedule_is_enough(&named, 5, 9, 0, 10));
    const struct model_plan timed = {.max_runs = 8};
    assert_false(schedule_is_enough(&timed, 7, 2, 9, 10));
    assert_true(schedule_is_enough(&timed, 7, 2, 10, 10));
    assert_false(schedule_is_enough(&timed, 1, 2, 10, 10)); /* the least first */
    assert_true(schedule_is_enough(&timed, 8, 2, 9, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides_swap_within_a_block),
        cmocka_unit_test(test_coin_is_fair),
        cmocka_unit_test(test_seed_and_block_alone_decide),
        cmocka_unit_test(test_environment_offsets),
        cmocka_unit_test(test_hash_seeds),
        cmocka_unit_test(test_what_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
