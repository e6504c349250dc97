#include "stats/bootstrap/drawkernel.h"

#include "stats/bootstrap/drawword.h"

#if SIMD_X86

#include <immintrin.h>

/* A lane of 64 bits holds one word; the rest of it is whatever the last multiplication
 * left there, which the next one does not read. */
enum { LANES = STATS_ROW_WORDS };

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
