#include "stats/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 200000, CELLS = 12 };

/* Chi-squared over CELLS equal cells; 40 is beyond the 99.99 % point of 11 degrees. */
static double chi_squared(uint32_t bound, size_t at_once)
{
    static uint32_t drawn[DRAWS];
    uint32_t cells[CELLS] = {0};
    struct stats_bound how = stats_bound_of(bound);
    struct stats_source source;
    stats_source_init(&source, 99, bound, 0, DRAWS, SIMD_BEST);
    for (size_t done = 0; done + at_once <= DRAWS; done += at_once) {
        stats_draw_indices(&source, &how, drawn + done, at_once);
    }
    size_t total = DRAWS / at_once * at_once;
    for (size_t i = 0; i < total; i++) {
        assert_true(drawn[i] < bound);
        cells[(uint64_t)drawn[i] * CELLS / bound]++;
    }
    double sum = 0;
    for (size_t c = 0; c < CELLS; c++) {
        double off = cells[c] - (double)total / CELLS;
        sum += off * off;
    }
    return sum / ((double)total / CELLS);
}

static void test_draws_are_uniform(void **state)
{
    (void)state;
    const uint32_t bounds[] = {12, 36, 4092, 4104, 3000000000U};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        assert_true(chi_squared(bounds[i], 10) < 40.0);
        assert_true(chi_squared(bounds[i], 1) < 40.0);
        assert_true(chi_squared(bounds[i], 64) < 40.0);
    }
}

static void test_draws_are_reproducible(void **state)
{
    (void)state;
    /* Fixed numbers: a change would change everybody's intervals under --seed. */
    const uint32_t narrow[] = {0, 9, 7, 5, 0, 2, 9, 0, 7, 7};
    uint32_t drawn[10];
    struct stats_bound ten = stats_bound_of(10);
    struct stats_bound one = stats_bound_of(1);
    struct stats_source source;
    stats_source_init(&source, 1, 2, 0, 10, SIMD_BEST);
    stats_draw_indices(&source, &ten, drawn, 10);
    assert_memory_equal(drawn, narrow, sizeof narrow);
    stats_draw_indices(&source, &one, drawn, 10);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(drawn[i], 0);
    }
}

/* The draws are the generator's blocks, in order, where none is rejected. */
static void test_draws_are_those_of_the_generator(void **state)
{
    (void)state;
    const uint32_t key[2] = {7, 1};
    uint32_t counter[4] = {0, 3U << 24U, 9, 2};
    struct stats_bound all = stats_bound_of(UINT32_C(1) << 15U);
    struct stats_source source;
    stats_source_init(&source, UINT64_C(0x100000007), UINT64_C(0x200000009), 3, 1,
                      SIMD_BEST);
    for (; counter[0] < 1000; counter[0]++) {
        uint32_t words[4];
        uint32_t drawn[8];
        random_philox_block(key, counter, words);
        stats_draw_indices(&source, &all, drawn, 8);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(drawn[i], (words[i / 2] >> 16U * (i % 2) & 0xFFFFU) >> 1U);
        }
    }
}

/* Wherever a call ends, and with whatever instructions. */
static void test_draws_depend_on_their_position_alone(void **state)
{
    (void)state;
    enum { MANY = 6000 };
    static uint32_t one[MANY];
    static uint32_t other[MANY];
    const uint32_t bounds[] = {3, 50, 257, 4095, 4097, 65535, 70000, 3000000000U};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct stats_bound bound = stats_bound_of(bounds[b]);
        for (int simd = SIMD_NONE; simd <= SIMD_AVX512; simd++) {
            struct stats_source source;
            stats_source_init(&source, 5, b, 1, b % 2 == 0 ? 2 * MANY : 0,
                              (enum simd_level)simd);
            size_t step = 1;
            for (size_t done = 0; done < MANY;) {
                size_t now = step < MANY - done ? step : MANY - done;
                stats_draw_indices(&source, &bound, other + done, now);
                done += now;
                step = step * 3 % 997;
            }
            if (simd == SIMD_NONE) {
                memcpy(one, other, sizeof one);
            }
            assert_memory_equal(one, other, sizeof one);
        }
    }
}

/* Lane by lane, groups of every length, more than are made at once included. */
static void test_sums_add_what_is_drawn(void **state)
{
    (void)state;
    enum { GROUPS = 7, LONGEST = 5000 };
    static double values[2 * LONGEST];
    static uint32_t drawn[LONGEST];
    const size_t offsets[GROUPS] = {0, 17, 17, 3, LONGEST, 1, 0};
    for (size_t i = 0; i < (size_t)2 * LONGEST; i++) {
        values[i] = 1.0 / (1.0 + (double)i);
    }
    for (size_t draws = 1; draws <= LONGEST;
         draws = draws < 70 ? draws + 1 : draws * 3) {
        struct stats_bound bound = stats_bound_of((uint32_t)draws);
        double expected[STATS_LANES] = {0};
        struct stats_source source;
        stats_source_init(&source, 8, draws, 0, 0, SIMD_NONE);
        for (size_t g = 0; g < GROUPS; g++) {
            stats_draw_indices(&source, &bound, drawn, draws);
            for (size_t i = 0; i < draws; i++) {
                expected[i % STATS_LANES] += values[offsets[g] + drawn[i]];
            }
        }
        for (int simd = SIMD_NONE; simd <= SIMD_AVX512; simd++) {
            double lanes[STATS_LANES] = {0};
            stats_source_init(&source, 8, draws, 0, GROUPS * draws,
                              (enum simd_level)simd);
            stats_draw_sums(&source, &bound, values, offsets, GROUPS, draws, lanes);
            assert_memory_equal(lanes, expected, sizeof lanes);
        }
    }
}

static void test_nothing_is_written_behind_the_end(void **state)
{
    (void)state;
    for (int simd = SIMD_NONE; simd <= SIMD_AVX512; simd++) {
        for (size_t count = 0; count < 40; count++) {
            uint32_t drawn[41];
            memset(drawn, 0xFF, sizeof drawn);
            struct stats_bound bound = stats_bound_of(count % 2 == 0 ? 4096 : 70000);
            struct stats_source source;
            stats_source_init(&source, 5, count, 0, count, (enum simd_level)simd);
            stats_draw_indices(&source, &bound, drawn, count);
            for (size_t i = count; i < 41; i++) {
                assert_true(drawn[i] == UINT32_MAX);
            }
        }
    }
}

static void test_derangements_are_all_equally_likely(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(3, 3);
    size_t items[4];
    stats_draw_derangement(&stream, items, 2);
    assert_true(items[0] == 1 && items[1] == 0);
    unsigned seen[256] = {0};
    for (int i = 0; i < 9000; i++) {
        stats_draw_derangement(&stream, items, 4);
        for (size_t j = 0; j < 4; j++) {
            assert_true(items[j] != j);
        }
        seen[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]]++;
    }
    unsigned kinds = 0;
    for (int i = 0; i < 256; i++) {
        kinds += seen[i] > 0;
        assert_true(seen[i] == 0 || (seen[i] > 850 && seen[i] < 1150)); /* 5 sd */
    }
    assert_int_equal(kinds, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_are_uniform),
        cmocka_unit_test(test_draws_are_reproducible),
        cmocka_unit_test(test_draws_are_those_of_the_generator),
        cmocka_unit_test(test_draws_depend_on_their_position_alone),
        cmocka_unit_test(test_sums_add_what_is_drawn),
        cmocka_unit_test(test_nothing_is_written_behind_the_end),
        cmocka_unit_test(test_derangements_are_all_equally_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
