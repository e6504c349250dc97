#include "stats/drawkernel.h"

#if SIMD_X86

#include <immintrin.h>
#include <string.h>

/* Which of 32 half-words' products are rejected. */
SIMD_TARGET_AVX512 static inline __mmask32
narrow_avx512(__m512i halves, __m512i bound, __m512i threshold, __m512i *ret_indices)
{
    *ret_indices = _mm512_mulhi_epu16(halves, bound);
    return _mm512_cmplt_epu16_mask(_mm512_mullo_epi16(halves, bound), threshold);
}

/* Puts replacements where bits of `rejected` are set. indices: 32 half-words. */
static void replace_narrow(const struct draw_batch *batch, size_t at, uint32_t rejected,
                           uint16_t *indices)
{
    for (; rejected != 0; rejected &= rejected - 1) {
        size_t i = (size_t)__builtin_ctz(rejected);
        indices[i] =
            (uint16_t)draw_again(batch->source, batch->bound, batch->position + at + i);
    }
}

static uint32_t first_bits(size_t count)
{
    return count >= 32 ? UINT32_MAX : ((uint32_t)1 << count) - 1U;
}

/* 32 draws, of which those in `wanted` count. */
SIMD_TARGET_AVX512 static inline __m512i draw32_avx512(const struct draw_batch *batch,
                                                       size_t at, uint32_t wanted,
                                                       __m512i bound, __m512i threshold)
{
    __m512i indices;
    uint32_t rejected = wanted & narrow_avx512(_mm512_loadu_si512(batch->halves + at),
                                               bound, threshold, &indices);
    if (__builtin_expect(rejected != 0, 0)) {
        alignas(64) uint16_t fixed[32];
        _mm512_store_si512(fixed, indices);
        replace_narrow(batch, at, rejected, fixed);
        indices = _mm512_load_si512(fixed);
    }
    return indices;
}

/* Eight wide draws as 64-bit indices, of which the first `count` are wanted. */
SIMD_TARGET_AVX512 static inline __m512i draw8_avx512(const struct draw_batch *batch,
                                                      size_t at, size_t count,
                                                      __m512i bound, __m512i threshold)
{
    __m512i words = _mm512_cvtepu32_epi64(
        _mm256_loadu_si256((const __m256i *)(const void *)(batch->halves + 2 * at)));
    __m512i product = _mm512_mul_epu32(words, bound);
    __m512i indices = _mm512_srli_epi64(product, 32);
    __m512i low = _mm512_and_si512(product, _mm512_set1_epi64(UINT32_MAX));
    uint32_t rejected = first_bits(count) & _mm512_cmplt_epu64_mask(low, threshold);
    if (__builtin_expect(rejected != 0, 0)) {
        alignas(64) uint64_t fixed[8];
        _mm512_store_si512(fixed, indices);
        for (; rejected != 0; rejected &= rejected - 1) {
            size_t i = (size_t)__builtin_ctz(rejected);
            fixed[i] =
                draw_again(batch->source, batch->bound, batch->position + 2 * (at + i));
        }
        indices = _mm512_load_si512(fixed);
    }
    return indices;
}

SIMD_TARGET_AVX512 void draw_indices_avx512(const struct draw_batch *batch,
                                            size_t begin, size_t count,
                                            uint32_t *ret_indices)
{
    if (batch->bound->wide) {
        __m512i bound = _mm512_set1_epi64(batch->bound->bound);
        __m512i threshold = _mm512_set1_epi64(batch->bound->threshold);
        for (size_t i = 0; i < count; i += 8) {
            size_t left = count - i;
            __m512i drawn = draw8_avx512(batch, begin + i, left, bound, threshold);
            _mm256_mask_storeu_epi32(ret_indices + i, (__mmask8)first_bits(left),
                                     _mm512_cvtepi64_epi32(drawn));
        }
        return;
    }
    __m512i bound = _mm512_set1_epi16((short)batch->bound->bound);
    __m512i threshold = _mm512_set1_epi16((short)batch->bound->threshold);
    for (size_t i = 0; i < count; i += 32) {
        uint32_t wanted = first_bits(count - i);
        __m512i drawn = draw32_avx512(batch, begin + i, wanted, bound, threshold);
        _mm512_mask_storeu_epi32(ret_indices + i, (__mmask16)wanted,
                                 _mm512_cvtepu16_epi32(_mm512_castsi512_si256(drawn)));
        _mm512_mask_storeu_epi32(
            ret_indices + i + 16, (__mmask16)(wanted >> 16U),
            _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(drawn, 1)));
    }
}

/* Adds what was found in the lanes of `wanted` (its low eight bits). The others were
 * found too, from half-words behind the last: those also make indices below the bound.
 */
SIMD_TARGET_AVX512 static inline __m512d add_some(__m512d sum, uint32_t wanted,
                                                  __m512d found)
{
    return _mm512_mask_add_pd(sum, (__mmask8)wanted, sum, found);
}

SIMD_TARGET_AVX512 static void add_wide_avx512(const struct draw_batch *batch,
                                               const double *values,
                                               const size_t *offsets, size_t groups,
                                               size_t draws, double *lanes)
{
    __m512i bound = _mm512_set1_epi64(batch->bound->bound);
    __m512i threshold = _mm512_set1_epi64(batch->bound->threshold);
    __m512d even = _mm512_loadu_pd(lanes);
    __m512d odd = _mm512_loadu_pd(lanes + 8);
    for (size_t g = 0; g < groups; g++) {
        const double *group = values + offsets[g];
        size_t begin = g * draws;
        size_t i = 0;
        for (; i + 16 <= draws; i += 16) {
            __m512i drawn = draw8_avx512(batch, begin + i, 8, bound, threshold);
            even = _mm512_add_pd(even, _mm512_i64gather_pd(drawn, group, 8));
            drawn = draw8_avx512(batch, begin + i + 8, 8, bound, threshold);
            odd = _mm512_add_pd(odd, _mm512_i64gather_pd(drawn, group, 8));
        }
        if (i < draws) {
            __m512i drawn = draw8_avx512(batch, begin + i, draws - i, bound, threshold);
            even = add_some(even, first_bits(draws - i),
                            _mm512_i64gather_pd(drawn, group, 8));
        }
        if (i + 8 < draws) {
            __m512i drawn =
                draw8_avx512(batch, begin + i + 8, draws - i - 8, bound, threshold);
            odd = add_some(odd, first_bits(draws - i - 8),
                           _mm512_i64gather_pd(drawn, group, 8));
        }
    }
    _mm512_storeu_pd(lanes, even);
    _mm512_storeu_pd(lanes + 8, odd);
}

/* Eight of the 32 half-word indices, as 32 bits. */
#define NARROW8(drawn, n) _mm256_cvtepu16_epi32(_mm512_extracti32x4_epi32((drawn), (n)))

SIMD_TARGET_AVX512 void draw_add_avx512(const struct draw_batch *batch,
                                        const double *values, const size_t *offsets,
                                        size_t groups, size_t draws, double *lanes)
{
    if (batch->bound->wide) {
        add_wide_avx512(batch, values, offsets, groups, draws, lanes);
        return;
    }
    __m512i bound = _mm512_set1_epi16((short)batch->bound->bound);
    __m512i threshold = _mm512_set1_epi16((short)batch->bound->threshold);
    __m512d even = _mm512_loadu_pd(lanes);
    __m512d odd = _mm512_loadu_pd(lanes + 8);
    for (size_t g = 0; g < groups; g++) {
        const double *group = values + offsets[g];
        size_t begin = g * draws;
        size_t i = 0;
        for (; i + 32 <= draws; i += 32) {
            __m512i drawn =
                draw32_avx512(batch, begin + i, UINT32_MAX, bound, threshold);
            even =
                _mm512_add_pd(even, _mm512_i32gather_pd(NARROW8(drawn, 0), group, 8));
            odd = _mm512_add_pd(odd, _mm512_i32gather_pd(NARROW8(drawn, 1), group, 8));
            even =
                _mm512_add_pd(even, _mm512_i32gather_pd(NARROW8(drawn, 2), group, 8));
            odd = _mm512_add_pd(odd, _mm512_i32gather_pd(NARROW8(drawn, 3), group, 8));
        }
        if (i == draws) {
            continue;
        }
        size_t left = draws - i;
        uint32_t wanted = first_bits(left);
        __m512i drawn = draw32_avx512(batch, begin + i, wanted, bound, threshold);
        even = add_some(even, wanted, _mm512_i32gather_pd(NARROW8(drawn, 0), group, 8));
        if (left > 8) {
            odd = add_some(odd, wanted >> 8U,
                           _mm512_i32gather_pd(NARROW8(drawn, 1), group, 8));
        }
        if (left > 16) {
            even = add_some(even, wanted >> 16U,
                            _mm512_i32gather_pd(NARROW8(drawn, 2), group, 8));
        }
        if (left > 24) {
            odd = add_some(odd, wanted >> 24U,
                           _mm512_i32gather_pd(NARROW8(drawn, 3), group, 8));
        }
    }
    _mm512_storeu_pd(lanes, even);
    _mm512_storeu_pd(lanes + 8, odd);
}

/* As draw8_avx512(), four draws. */
SIMD_TARGET_AVX2 static inline void draw4_avx2(const struct draw_batch *batch,
                                               size_t at, size_t count, __m256i bound,
                                               __m256i threshold, uint32_t *ret_indices)
{
    __m256i words = _mm256_cvtepu32_epi64(
        _mm_loadu_si128((const __m128i *)(const void *)(batch->halves + 2 * at)));
    __m256i product = _mm256_mul_epu32(words, bound);
    __m256i low = _mm256_and_si256(product, _mm256_set1_epi64x(UINT32_MAX));
    __m256i less = _mm256_cmpgt_epi64(threshold, low);
    alignas(32) uint64_t drawn[4];
    _mm256_store_si256((__m256i *)(void *)drawn, _mm256_srli_epi64(product, 32));
    uint32_t rejected = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(less));
    size_t wanted = count < 4 ? count : 4;
    for (size_t i = 0; i < wanted; i++) {
        ret_indices[i] = (uint32_t)drawn[i];
        if (__builtin_expect((rejected >> i & 1U) != 0, 0)) {
            ret_indices[i] =
                draw_again(batch->source, batch->bound, batch->position + 2 * (at + i));
        }
    }
}

SIMD_TARGET_AVX2 void draw_indices_avx2(const struct draw_batch *batch, size_t begin,
                                        size_t count, uint32_t *ret_indices)
{
    if (batch->bound->wide) {
        __m256i bound = _mm256_set1_epi64x(batch->bound->bound);
        __m256i threshold = _mm256_set1_epi64x(batch->bound->threshold);
        for (size_t i = 0; i < count; i += 4) {
            draw4_avx2(batch, begin + i, count - i, bound, threshold, ret_indices + i);
        }
        return;
    }
    __m256i bound = _mm256_set1_epi16((short)batch->bound->bound);
    /* low < threshold where min(low, threshold - 1) is low; never for threshold 0. */
    __m256i most = _mm256_set1_epi16((short)(batch->bound->threshold - 1U));
    bool rejects = batch->bound->threshold > 0;
    for (size_t i = 0; i < count; i += 16) {
        __m256i halves = _mm256_loadu_si256(
            (const __m256i *)(const void *)(batch->halves + begin + i));
        __m256i low = _mm256_mullo_epi16(halves, bound);
        __m256i less = _mm256_cmpeq_epi16(_mm256_min_epu16(low, most), low);
        __m256i drawn = _mm256_mulhi_epu16(halves, bound);
        __m256i front = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(drawn));
        __m256i back = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(drawn, 1));
        uint32_t *to = ret_indices + i;
        size_t now = count - i < 16 ? count - i : 16;
        if (now == 16) {
            _mm256_storeu_si256((__m256i *)(void *)to, front);
            _mm256_storeu_si256((__m256i *)(void *)(to + 8), back);
        } else {
            __m256i found[2] = {front, back};
            memcpy(to, found, now * sizeof *to);
        }
        /* Two bits a half-word. */
        uint32_t rejected = rejects ? (uint32_t)_mm256_movemask_epi8(less) : 0;
        rejected &= first_bits(2 * now);
        for (size_t j = 0; rejected != 0 && j < now; j++) {
            if ((rejected >> 2 * j & 1U) != 0) {
                to[j] = draw_again(batch->source, batch->bound,
                                   batch->position + begin + i + j);
            }
        }
    }
}

#else

typedef int drawkernel_without_vectors; /* a translation unit may not be empty */

#endif
