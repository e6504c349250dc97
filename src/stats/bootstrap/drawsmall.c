#include "stats/bootstrap/drawsmall.h"

#include "stats/bootstrap/drawkernel.h"

enum { WORDS = STATS_ROW_WORDS, BLOCK_WORDS = 4, BLOCKS = WORDS / BLOCK_WORDS };

static double sum_of_source(const double *values, const struct stats_bound *bound,
                            uint64_t seed, uint64_t stream)
{
    static const size_t from_the_first = 0;
    struct stats_source source;
    double lanes[STATS_LANES] = {0};
    stats_source_init(&source, seed, stream, 0, 1, SIMD_NONE);
    stats_draw_sums(&source, bound, values, &from_the_first, 1, bound->bound, lanes);
    return stats_lanes_sum(lanes);
}

/* From the words of the first row alone, unless one of them is rejected. */
static double sum_of_row(const double *values, const struct stats_bound *bound,
                         uint64_t seed, uint64_t stream)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32U)};
    const uint32_t counter[4] = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32U)};
    double lanes[STATS_LANES] = {0};
    uint32_t words[WORDS];
    random_philox_fill(key, counter, BLOCKS, SIMD_NONE, words);
    for (uint32_t w = 0; w < WORDS; w++) {
        uint32_t digits[STATS_DIGITS_MAX];
        if (!draw_digits(bound, STATS_DIGITS_MAX, words[w], digits)) {
            return sum_of_source(values, bound, seed, stream);
        }
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < STATS_DIGITS_MAX; digit++) {
            if (digit * WORDS + w < bound->bound) {
                lanes[digit % 2 * WORDS + w] += values[digits[digit]];
            }
        }
    }
    return stats_lanes_sum(lanes);
}

#if SIMD_X86

#include "base/philox_lanes.h"

/* The first row of each stream: words[b][w] holds word w of its block b in the low half
 * of each lane. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
first_row_avx512(uint64_t seed, uint64_t stream, __m512i words[BLOCKS][PHILOX_WORDS])
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32U)};
    const struct philox_keys keys = philox_keys_of(key);
    const __m512i streams = _mm512_add_epi64(_mm512_set1_epi64((long long)stream),
                                             _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
#pragma GCC unroll 2
    for (int block = 0; block < BLOCKS; block++) {
        words[block][0] = _mm512_set1_epi64(block);
        words[block][1] = _mm512_setzero_si512();
        words[block][2] = streams;
        words[block][3] = _mm512_srli_epi64(streams, 32);
    }
    philox_rounds_avx512(BLOCKS, words, &keys, 0, PHILOX_ROUNDS);
}

/* Returns the streams of which a word is rejected, whose sums are not to be used. Draw
 * digit * WORDS + w goes to lane w when the digit is even and WORDS + w when it is odd.
 */
SIMD_TARGET_AVX512 static uint32_t small_sums_avx512(const double *values,
                                                     const struct stats_bound *bound,
                                                     uint64_t seed, uint64_t stream,
                                                     double *ret_sums)
{
    const __m512i factor = _mm512_set1_epi64(bound->bound);
    const __m512i threshold = _mm512_set1_epi64(bound->threshold);
    const __m512i low_half = _mm512_set1_epi64(UINT32_MAX);
    uint32_t rejected = 0;
    __m512i words[BLOCKS][PHILOX_WORDS];
    __m512d sums[WORDS];
    first_row_avx512(seed, stream, words);
#pragma GCC unroll 8
    for (uint32_t w = 0; w < WORDS; w++) {
        __m512d lanes[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
        __m512i rest = words[w / PHILOX_WORDS][w % PHILOX_WORDS];
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < STATS_DIGITS_MAX; digit++) {
            rest = _mm512_mul_epu32(rest, factor);
            if (digit * WORDS + w < bound->bound) {
                lanes[digit % 2] = _mm512_add_pd(
                    lanes[digit % 2],
                    _mm512_i64gather_pd(_mm512_srli_epi64(rest, 32), values, 8));
            }
        }
        rejected |=
            _mm512_cmplt_epu64_mask(_mm512_and_si512(rest, low_half), threshold);
        sums[w] = _mm512_add_pd(lanes[0], lanes[1]);
    }
    /* The order of stats_lanes_sum(). */
    for (size_t w = 0; w < 4; w++) {
        sums[w] = _mm512_add_pd(sums[w], sums[w + 4]);
    }
    _mm512_storeu_pd(ret_sums, _mm512_add_pd(_mm512_add_pd(sums[0], sums[2]),
                                             _mm512_add_pd(sums[1], sums[3])));
    return rejected;
}
#endif

void stats_draw_small_sums(const double *values, uint32_t count, uint64_t seed,
                           uint64_t stream, enum simd_level simd, double *ret_sums)
{
    /* So few things that a word makes STATS_DIGITS_MAX draws of them. */
    struct stats_bound bound = stats_bound_of(count);
    uint32_t missing = UINT8_MAX;
#if SIMD_X86
    if (simd == SIMD_AVX512) {
        missing = small_sums_avx512(values, &bound, seed, stream, ret_sums);
    }
#endif
    for (size_t s = 0; s < STATS_SMALL_STREAMS; s++) {
        if ((missing >> s & 1U) != 0) {
            ret_sums[s] = sum_of_row(values, &bound, seed, stream + s);
        }
    }
}
