#include "stats/bootstrap/drawkernel.h"

#if SIMD_X86

#include <immintrin.h>

/* A lane of 64 bits holds one word; the rest of it is whatever the last multiplication
 * left there, which the next one does not read. */
enum { LANES = STATS_ROW_WORDS };

struct factors {
    __m512i bound;
    __m512i threshold;
};

SIMD_TARGET_AVX512 static inline struct factors
factors_avx512(const struct stats_bound *bound)
{
    return (struct factors){_mm512_set1_epi64(bound->bound),
                            _mm512_set1_epi64(bound->threshold)};
}

/* The draws of a row in memory, with replacements where bits of `rejected` are set. */
static __attribute__((noinline)) void replace(const struct draw_batch *batch,
                                              size_t row, uint32_t rejected,
                                              uint64_t fixed[][LANES])
{
    for (; rejected != 0; rejected &= rejected - 1) {
        size_t word = (size_t)__builtin_ctz(rejected);
        uint32_t again[STATS_DIGITS_MAX];
        draw_again(batch->source, batch->bound, batch->position + row * LANES + word,
                   again);
        for (uint32_t digit = 0; digit < batch->bound->digits; digit++) {
            fixed[digit][word] = again[digit];
        }
    }
}

/* The draws of a row. digits: a constant where it is called. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
draw_row_avx512(const struct draw_batch *batch, size_t row, uint32_t digits,
                const struct factors *factors, __m512i *drawn)
{
    __m512i rest = _mm512_cvtepu32_epi64(
        _mm256_load_si256((const __m256i *)(const void *)(batch->words + row * LANES)));
#pragma GCC unroll 4
    for (uint32_t digit = 0; digit < digits; digit++) {
        rest = _mm512_mul_epu32(rest, factors->bound);
        drawn[digit] = _mm512_srli_epi64(rest, 32);
    }
    __m512i low = _mm512_and_si512(rest, _mm512_set1_epi64(UINT32_MAX));
    uint32_t rejected = _mm512_cmplt_epu64_mask(low, factors->threshold);
    if (__builtin_expect(rejected != 0, 0)) {
        /* A copy, so that `drawn` can stay in registers. */
        alignas(64) uint64_t fixed[STATS_DIGITS_MAX][LANES];
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < digits; digit++) {
            _mm512_store_si512(fixed[digit], drawn[digit]);
        }
        replace(batch, row, rejected, fixed);
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < digits; digit++) {
            drawn[digit] = _mm512_load_si512(fixed[digit]);
        }
    }
}

SIMD_TARGET_AVX512 void draw_rows_avx512(const struct draw_batch *batch, size_t rows,
                                         uint32_t *ret_indices)
{
    struct factors factors = factors_avx512(batch->bound);
    uint32_t digits = batch->bound->digits;
    for (size_t row = 0; row < rows; row++) {
        __m512i drawn[STATS_DIGITS_MAX];
        if (digits == 4) {
            draw_row_avx512(batch, row, 4, &factors, drawn);
        } else if (digits == 2) {
            draw_row_avx512(batch, row, 2, &factors, drawn);
        } else {
            draw_row_avx512(batch, row, 1, &factors, drawn);
        }
        for (uint32_t digit = 0; digit < digits; digit++) {
            _mm256_storeu_si256((__m256i *)(void *)ret_indices,
                                _mm512_cvtepi64_epi32(drawn[digit]));
            ret_indices += LANES;
        }
    }
}

SIMD_TARGET_AVX2 static inline __attribute__((always_inline)) void
draw_row_avx2(const struct draw_batch *batch, size_t row, uint32_t digits,
              __m256i bound, __m256i threshold, uint32_t *ret_indices)
{
    uint32_t rejected = 0;
    const uint32_t *words = batch->words + row * LANES;
    const __m256i even = _mm256_set_epi32(0, 0, 0, 0, 6, 4, 2, 0);
    __m256i rest[2];
#pragma GCC unroll 2
    for (size_t half = 0; half < 2; half++) {
        rest[half] = _mm256_cvtepu32_epi64(
            _mm_load_si128((const __m128i *)(const void *)(words + 4 * half)));
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < digits; digit++) {
            rest[half] = _mm256_mul_epu32(rest[half], bound);
            __m256i drawn =
                _mm256_permutevar8x32_epi32(_mm256_srli_epi64(rest[half], 32), even);
            _mm_storeu_si128(
                (__m128i *)(void *)(ret_indices + (size_t)digit * LANES + 4 * half),
                _mm256_castsi256_si128(drawn));
        }
        __m256i low = _mm256_and_si256(rest[half], _mm256_set1_epi64x(UINT32_MAX));
        __m256i less = _mm256_cmpgt_epi64(threshold, low);
        rejected |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(less)) << 4 * half;
    }
    for (; __builtin_expect(rejected != 0, 0); rejected &= rejected - 1) {
        size_t word = (size_t)__builtin_ctz(rejected);
        uint32_t again[STATS_DIGITS_MAX];
        draw_again(batch->source, batch->bound, batch->position + row * LANES + word,
                   again);
        for (uint32_t digit = 0; digit < digits; digit++) {
            ret_indices[(size_t)digit * LANES + word] = again[digit];
        }
    }
}

SIMD_TARGET_AVX2 void draw_rows_avx2(const struct draw_batch *batch, size_t rows,
                                     uint32_t *ret_indices)
{
    __m256i bound = _mm256_set1_epi64x(batch->bound->bound);
    __m256i threshold = _mm256_set1_epi64x(batch->bound->threshold);
    uint32_t digits = batch->bound->digits;
    for (size_t row = 0; row < rows; row++) {
        if (digits == 4) {
            draw_row_avx2(batch, row, 4, bound, threshold, ret_indices);
        } else if (digits == 2) {
            draw_row_avx2(batch, row, 2, bound, threshold, ret_indices);
        } else {
            draw_row_avx2(batch, row, 1, bound, threshold, ret_indices);
        }
        ret_indices += (size_t)LANES * digits;
    }
}

#else

typedef int drawkernel_without_vectors; /* a translation unit may not be empty */

#endif
