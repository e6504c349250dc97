#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The vectors for philox4x32 with 10 rounds that the authors' library, Random123,
 * comes with (its file kat_vectors). */
static void philox_gives_the_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4];
        uint32_t key[2];
        uint32_t answer[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint32_t block[4];
        random_philox_block(vectors[i].key, vectors[i].counter, block);
        assert_memory_equal(block, vectors[i].answer, sizeof block);
    }
}

/* Every vector form, lengths that do and do not fill vectors, a carry on the way. */
static void philox_fills_as_block_by_block(void **state)
{
    (void)state;
    enum { BLOCKS = 70 };
    const uint32_t key[2] = {0xa4093822, 0x299f31d0};
    const uint32_t counter[4] = {UINT32_MAX - 20, 41, 0x13198a2e, 0x03707344};
    uint32_t expected[4 * BLOCKS];
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t at[4] = {counter[0] + b, b > 20 ? 42 : 41, counter[2], counter[3]};
        random_philox_block(key, at, expected + (size_t)4 * b);
    }
    for (int simd = SIMD_NONE; simd <= SIMD_AVX2; simd++) {
        for (size_t blocks = 0; blocks <= BLOCKS; blocks++) {
            uint32_t words[4 * BLOCKS + 1];
            memset(words, 0xEE, sizeof words);
            random_philox_fill(key, counter, blocks, simd_usable((enum simd_level)simd),
                               words);
            assert_memory_equal(words, expected, 4 * blocks * sizeof *words);
            assert_int_equal(words[4 * blocks], 0xEEEEEEEE);
        }
    }
}

static void stream_hands_out_the_blocks_in_order(void **state)
{
    (void)state;
    uint64_t seed = UINT64_C(0x0123456789abcdef);
    uint64_t number = UINT64_C(0xfedcba9876543210);
    struct random_stream stream = random_stream_at(seed, number);
    uint32_t key[2] = {0x89abcdef, 0x01234567};
    for (uint32_t block = 0; block < 3; block++) {
        uint32_t counter[4] = {block, 0, 0x76543210, 0xfedcba98};
        uint32_t expected[4];
        random_philox_block(key, counter, expected);
        for (size_t word = 0; word < 4; word++) {
            assert_int_equal(random_u32(&stream), expected[word]);
        }
    }
}

static void stream_counts_beyond_32_bits(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(7, 9);
    stream.counter[0] = UINT32_MAX; /* as after 2^34 draws */
    for (int i = 0; i < 4; i++) {
        (void)random_u32(&stream);
    }
    uint32_t expected[4];
    random_philox_block((const uint32_t[]){7, 0}, (const uint32_t[]){0, 1, 9, 0},
                        expected);
    assert_int_equal(random_u32(&stream), expected[0]);
}

static void u64_is_two_words_low_first(void **state)
{
    (void)state;
    struct random_stream words = random_stream_at(1, 2);
    struct random_stream pairs = random_stream_at(1, 2);
    for (int i = 0; i < 10; i++) {
        uint64_t low = random_u32(&words);
        uint64_t high = random_u32(&words);
        assert_true(random_u64(&pairs) == (high << 32U | low));
    }
}

static void streams_do_not_depend_on_the_order_of_use(void **state)
{
    (void)state;
    enum { STREAMS = 16, DRAWS = 100 };
    uint32_t one_by_one[STREAMS][DRAWS];
    struct random_stream streams[STREAMS];
    for (size_t s = 0; s < STREAMS; s++) {
        struct random_stream stream = random_stream_at(42, s);
        streams[s] = stream;
        for (size_t i = 0; i < DRAWS; i++) {
            one_by_one[s][i] = random_u32(&stream);
        }
    }
    for (size_t i = 0; i < DRAWS; i++) {
        for (size_t s = STREAMS; s-- > 0;) {
            assert_int_equal(random_u32(&streams[s]), one_by_one[s][i]);
        }
    }
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    struct random_stream of[] = {random_stream_at(0, 0), random_stream_at(1, 0),
                                 random_stream_at(0, 1),
                                 random_stream_at(UINT64_C(1) << 32U, 0),
                                 random_stream_at(0, UINT64_C(1) << 32U)};
    size_t count = sizeof of / sizeof of[0];
    uint64_t first[sizeof of / sizeof of[0]];
    for (size_t i = 0; i < count; i++) {
        first[i] = random_u64(&of[i]);
        for (size_t j = 0; j < i; j++) {
            assert_true(first[i] != first[j]);
        }
    }
}

/* Pearson's statistic of `counts` against a uniform distribution. */
static double chi_square(const uint32_t *counts, size_t cells, double draws)
{
    double expected = draws / (double)cells;
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        double difference = (double)counts[i] - expected;
        sum += difference * difference / expected;
    }
    return sum;
}

/* A plain modulo of 32 bits by 3 * 2^30 would give the lower third twice as often; the
 * cell width makes that, and any smaller bias of the same kind, plain to see. The seeds
 * are fixed: the limit (99.99 % of chi-square with 11 degrees of freedom) either holds
 * for good or not. */
static void below_is_unbiased(void **state)
{
    (void)state;
    enum { CELLS = 12, DRAWS = 240000 };
    static const uint32_t bounds[] = {12, 3U << 30U, 0xfffffffc};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        struct random_stream stream = random_stream_at(2024, b);
        uint32_t counts[CELLS] = {0};
        for (int i = 0; i < DRAWS; i++) {
            uint32_t value = random_below(&stream, bounds[b]);
            assert_true(value < bounds[b]);
            counts[(uint64_t)value * CELLS / bounds[b]]++;
        }
        assert_true(chi_square(counts, CELLS, DRAWS) < 37.4);
    }
}

static void below_one_is_zero(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(3, 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(random_below(&stream, 1), 0);
    }
}

static void uniform_is_inside_the_open_interval(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    struct random_stream stream = random_stream_at(5, 0);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = random_uniform(&stream);
        assert_true(u > 0 && u < 1);
        sum += u;
        squares += u * u;
    }
    /* Five standard errors of the mean (1/12) and of the mean square (4/45). */
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * sqrt(1.0 / 12 / DRAWS));
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / DRAWS));
}

static void shuffle_gives_each_order_equally_often(void **state)
{
    (void)state;
    enum { ORDERS = 24, DRAWS = 48000 };
    uint32_t counts[256] = {0};
    struct random_stream stream = random_stream_at(11, 0);
    for (int i = 0; i < DRAWS; i++) {
        size_t items[4] = {0, 1, 2, 3};
        random_shuffle(&stream, items, 4);
        counts[items[0] << 6U | items[1] << 4U | items[2] << 2U | items[3]]++;
    }
    uint32_t seen[ORDERS];
    size_t orders = 0;
    for (size_t i = 0; i < 256; i++) {
        if (counts[i] > 0) {
            assert_true(orders < ORDERS);
            seen[orders++] = counts[i];
        }
    }
    assert_int_equal(orders, ORDERS);
    assert_true(chi_square(seen, ORDERS, DRAWS) < 56.0); /* 99.99 %, 23 degrees */
}

static void shuffle_of_none_and_one(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(1, 1);
    size_t item = 7;
    random_shuffle(&stream, NULL, 0);
    random_shuffle(&stream, &item, 1);
    assert_int_equal(item, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(philox_fills_as_block_by_block),
        cmocka_unit_test(stream_hands_out_the_blocks_in_order),
        cmocka_unit_test(stream_counts_beyond_32_bits),
        cmocka_unit_test(u64_is_two_words_low_first),
        cmocka_unit_test(streams_do_not_depend_on_the_order_of_use),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(below_is_unbiased),
        cmocka_unit_test(below_one_is_zero),
        cmocka_unit_test(uniform_is_inside_the_open_interval),
        cmocka_unit_test(shuffle_gives_each_order_equally_often),
        cmocka_unit_test(shuffle_of_none_and_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
