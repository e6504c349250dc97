// labels: soakvalgrind
#include "stats/bootstrap/draw.h"
#include "stats/bootstrap/drawsmall.h"

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
    const uint32_t narrow[] = {9, 5, 2, 0, 7, 8, 2, 0, 0, 5};
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

/* Digits of value = floor(word * bound^digits / 2^32), the highest first. */
static void assert_digits(const struct stats_bound *bound, uint32_t word,
                          uint64_t value)
{
    uint32_t digits[STATS_DIGITS_MAX];
    assert_true(stats_bound_digits(bound, word, digits));
    for (uint32_t digit = bound->digits; digit-- > 0;) {
        assert_int_equal(digits[digit], value % bound->bound);
        value /= bound->bound;
    }
}

/* All 2^32 words, by the ends of what each outcome is made of: of the words that
 * multiply to an outcome the first ones are rejected, and all outcomes keep equally
 * many. What lies between two ends lies between two results, since the product grows
 * with the word. */
static void test_every_outcome_has_as_many_words(void **state)
{
    (void)state;
    const uint64_t words = UINT64_C(1) << 32U;
    const uint32_t bounds[] = {1,   2,    3,    5,    10,   16,   20,   31,    32,
                               45,  50,   64,   77,   100,  161,  255,  256,   257,
                               999, 1000, 1024, 1625, 3000, 5000, 5793, 65536, 1000003};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct stats_bound bound = stats_bound_of(bounds[b]);
        uint64_t values = 1;
        for (uint32_t digit = 0; digit < bound.digits; digit++) {
            values *= bound.bound;
        }
        assert_true(values <= words);
        assert_int_equal(bound.threshold, words % values);
        uint64_t each = words / values;
        uint64_t step = values > 3000000 ? 997 : 1; /* all outcomes, or many of them */
        for (uint64_t value = 0; value < values; value += step) {
            uint64_t first = (value * words + values - 1) / values;
            uint64_t next = ((value + 1) * words + values - 1) / values;
            uint32_t digits[STATS_DIGITS_MAX];
            assert_true(next - first == each || next - first == each + 1);
            if (next - first > each) {
                assert_false(stats_bound_digits(&bound, (uint32_t)first, digits));
            }
            assert_digits(&bound, (uint32_t)(next - each), value);
            assert_digits(&bound, (uint32_t)(next - 1), value);
        }
    }
}

static void test_a_word_makes_several_draws_where_few_are_rejected(void **state)
{
    (void)state;
    assert_int_equal(stats_bound_of(1).digits, 4);
    assert_int_equal(stats_bound_of(50).digits, 4);
    assert_int_equal(stats_bound_of(100).digits, 2); /* 2^32 mod 100^4: 2 % */
    assert_int_equal(stats_bound_of(256).digits, 4);
    assert_int_equal(stats_bound_of(257).digits, 2);
    assert_int_equal(stats_bound_of(5000).digits, 2);
    assert_int_equal(stats_bound_of(65536).digits, 2);
    assert_int_equal(stats_bound_of(65537).digits, 1);
    assert_int_equal(stats_bound_of(UINT32_MAX).digits, 1);
    struct stats_bound bound = stats_bound_of(50);
    assert_int_equal(stats_bound_rows(&bound, 0), 0);
    assert_int_equal(stats_bound_rows(&bound, 32), 1);
    assert_int_equal(stats_bound_rows(&bound, 33), 2);
}

/* The draws are those of the generator's words in their order, eight words a row. */
static void test_draws_are_those_of_the_generator(void **state)
{
    (void)state;
    const uint32_t key[2] = {7, 1};
    const uint32_t bounds[] = {32, 1U << 15U,
                               1U << 30U}; /* of which none is rejected */
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        uint32_t counter[4] = {0, 3U << 24U, 9, 2};
        struct stats_bound bound = stats_bound_of(bounds[b]);
        struct stats_source source;
        stats_source_init(&source, UINT64_C(0x100000007), UINT64_C(0x200000009), 3, 1,
                          SIMD_BEST);
        while (counter[0] < 300) {
            uint32_t words[STATS_ROW_WORDS];
            uint32_t drawn[STATS_ROW_DRAWS_MAX];
            random_philox_block(key, counter, words);
            counter[0]++;
            random_philox_block(key, counter, words + 4);
            counter[0]++;
            stats_draw_indices(&source, &bound, drawn,
                               (size_t)STATS_ROW_WORDS * bound.digits);
            for (size_t word = 0; word < STATS_ROW_WORDS; word++) {
                uint32_t digits[STATS_DIGITS_MAX];
                assert_true(stats_bound_digits(&bound, words[word], digits));
                for (uint32_t digit = 0; digit < bound.digits; digit++) {
                    assert_int_equal(drawn[digit * (size_t)STATS_ROW_WORDS + word],
                                     digits[digit]);
                }
            }
        }
    }
}

/* Another bound begins a row. */
static void test_a_row_has_one_bound(void **state)
{
    (void)state;
    struct stats_bound ten = stats_bound_of(10);
    struct stats_bound eleven = stats_bound_of(11);
    uint32_t rows[3][STATS_ROW_DRAWS_MAX];
    uint32_t drawn[STATS_ROW_DRAWS_MAX];
    struct stats_source source;
    stats_source_init(&source, 4, 4, 0, 3, SIMD_BEST);
    for (size_t row = 0; row < 3; row++) {
        const struct stats_bound *bound = row == 1 ? &eleven : &ten;
        stats_draw_indices(&source, bound, rows[row], STATS_ROW_DRAWS_MAX);
    }
    stats_source_init(&source, 4, 4, 0, 0, SIMD_BEST);
    stats_draw_indices(&source, &ten, drawn, 5);
    assert_memory_equal(drawn, rows[0], 5 * sizeof *drawn);
    stats_draw_indices(&source, &eleven, drawn, 1);
    assert_memory_equal(drawn, rows[1], 1 * sizeof *drawn);
    stats_draw_indices(&source, &ten, drawn, 20);
    assert_memory_equal(drawn, rows[2], 20 * sizeof *drawn);
    stats_draw_indices(&source, &ten, drawn, 12);
    assert_memory_equal(drawn, rows[2] + 20, 12 * sizeof *drawn);
}

/* Wherever a call ends, and with whatever instructions. */
static void test_draws_depend_on_their_position_alone(void **state)
{
    (void)state;
    enum { MANY = 6000 };
    static uint32_t one[MANY];
    static uint32_t other[MANY];
    const uint32_t bounds[] = {3,    50,   90,    257,   4095,
                               4097, 5700, 65535, 70000, 3000000000U};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct stats_bound bound = stats_bound_of(bounds[b]);
        for (int simd = SIMD_NONE; simd <= SIMD_AVX2; simd++) {
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
    enum { GROUPS = 7, LONGEST = 7000 };
    static double values[2 * LONGEST];
    static uint32_t drawn[GROUPS * LONGEST];
    const size_t offsets[GROUPS] = {0, 17, 17, 3, LONGEST, 1, 0};
    for (size_t i = 0; i < (size_t)2 * LONGEST; i++) {
        values[i] = 1.0 / (1.0 + (double)i);
    }
    for (size_t draws = 1; draws <= LONGEST;
         draws = draws < 70 ? draws + 1 : draws * 5 / 2) {
        struct stats_bound bound = stats_bound_of((uint32_t)draws);
        double expected[STATS_LANES] = {0};
        uint32_t next = 0;
        uint32_t after = 0;
        struct stats_source source;
        stats_source_init(&source, 8, draws, 0, 0, SIMD_NONE);
        stats_draw_indices(&source, &bound, drawn, GROUPS * draws);
        for (size_t i = 0; i < GROUPS * draws; i++) {
            expected[i % STATS_LANES] += values[offsets[i / draws] + drawn[i]];
        }
        source.taken = source.held; /* a sum gives up the rest of its last row */
        stats_draw_indices(&source, &bound, &next, 1);
        for (int simd = SIMD_NONE; simd <= SIMD_AVX2; simd++) {
            double lanes[STATS_LANES] = {0};
            stats_source_init(&source, 8, draws, 0, simd % 2 == 0 ? GROUPS * draws : 0,
                              (enum simd_level)simd);
            stats_draw_sums(&source, &bound, values, offsets, GROUPS, draws, lanes);
            assert_memory_equal(lanes, expected, sizeof lanes);
            stats_draw_indices(&source, &bound, &after, 1);
            assert_int_equal(after, next);
        }
    }
}

/* Also where rows were made ahead, and where a sum takes fewer of them. */
static void test_sums_go_on_where_indices_end(void **state)
{
    (void)state;
    enum { MANY = 5000, ROUNDS = 40 };
    static double values[MANY];
    const size_t first = 0;
    const uint32_t bounds[] = {50, 90, MANY};
    for (size_t i = 0; i < MANY; i++) {
        values[i] = 1.0 / (1.0 + (double)i);
    }
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct stats_bound bound = stats_bound_of(bounds[b]);
        double expected[STATS_LANES] = {0};
        for (int simd = SIMD_NONE; simd <= SIMD_AVX2; simd++) {
            double lanes[STATS_LANES] = {0};
            struct stats_source source;
            stats_source_init(&source, 6, b, 2, MANY, (enum simd_level)simd);
            for (size_t round = 0; round < ROUNDS; round++) {
                uint32_t drawn[ROUNDS];
                stats_draw_indices(&source, &bound, drawn, round);
                for (size_t i = 0; i < round; i++) {
                    lanes[i % STATS_LANES] += values[drawn[i]];
                }
                stats_draw_sums(&source, &bound, values, &first, 1, round * round,
                                lanes);
            }
            if (simd == SIMD_NONE) {
                memcpy(expected, lanes, sizeof lanes);
            }
            assert_memory_equal(lanes, expected, sizeof lanes);
        }
    }
}

/* As one source for each stream, also when the sums of a rejected word do not count. */
static void test_small_sums_are_those_of_sources(void **state)
{
    (void)state;
    static const size_t from_the_first = 0;
    double values[STATS_SMALL_MAX];
    for (size_t i = 0; i < STATS_SMALL_MAX; i++) {
        values[i] = i == 0 ? -0.0 : 1.0 / (double)i;
    }
    for (uint32_t count = 1; count <= STATS_SMALL_MAX; count++) {
        struct stats_bound bound = stats_bound_of(count);
        assert_int_equal(bound.digits, STATS_DIGITS_MAX);
        for (uint64_t round = 0; round < 1000; round++) {
            /* Across the end of a word of the stream number. */
            uint64_t stream = UINT64_C(0x1FFFFF000) + 8 * round + round % 7;
            double lanes[STATS_LANES] = {0};
            struct stats_source source;
            stats_source_init(&source, UINT64_MAX, stream, 0, 1, SIMD_NONE);
            stats_draw_sums(&source, &bound, values, &from_the_first, 1, count, lanes);
            double expected = stats_lanes_sum(lanes);
            double sum = stats_draw_small_sum(values, &bound, UINT64_MAX, stream);
            assert_memory_equal(&sum, &expected, sizeof sum);
        }
    }
}

static void test_nothing_is_written_behind_the_end(void **state)
{
    (void)state;
    for (int simd = SIMD_NONE; simd <= SIMD_AVX2; simd++) {
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
        cmocka_unit_test(test_every_outcome_has_as_many_words),
        cmocka_unit_test(test_a_word_makes_several_draws_where_few_are_rejected),
        cmocka_unit_test(test_draws_are_those_of_the_generator),
        cmocka_unit_test(test_a_row_has_one_bound),
        cmocka_unit_test(test_draws_depend_on_their_position_alone),
        cmocka_unit_test(test_sums_add_what_is_drawn),
        cmocka_unit_test(test_sums_go_on_where_indices_end),
        cmocka_unit_test(test_small_sums_are_those_of_sources),
        cmocka_unit_test(test_nothing_is_written_behind_the_end),
        cmocka_unit_test(test_derangements_are_all_equally_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
