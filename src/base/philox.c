#include "base/philox.h"

#if SIMD_X86

#include <immintrin.h>
#include <string.h>

/* Blocks in a vector. */
static const size_t lanes_avx2 = 4;

/* Round keys, for all blocks the same. */
struct keys {
    uint64_t k0[PHILOX_ROUNDS];
    uint64_t k1[PHILOX_ROUNDS];
};

static struct keys keys_of(const uint32_t key[2])
{
    struct keys keys;
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        keys.k0[round] = key[0] + round * PHILOX_W0;
        keys.k1[round] = key[1] + round * PHILOX_W1;
    }
    return keys;
}

/* What the intrinsics take for 64 bits. */
static long long as_lane(uint64_t bits)
{
    return (long long)bits;
}

static uint64_t counter_low(const uint32_t counter[4])
{
    return (uint64_t)counter[1] << 32U | counter[0];
}

/* A 64-bit lane holds one word of one block in its low half; the high half is whatever
 * the last multiplication left there. vpmuludq reads low halves only, so that the high
 * word of a product costs one shift and the low one nothing.
 *
 * `vectors` vectors of blocks (1 or 2, a constant where it is called): the rounds of
 * one fill the waits of the other. */
SIMD_TARGET_AVX2 static inline __attribute__((always_inline)) void
blocks_avx2(size_t vectors, const struct keys *keys, uint64_t first,
            const uint32_t counter[4], __m256i *out)
{
    const __m256i m0 = _mm256_set1_epi64x((long long)PHILOX_M0);
    const __m256i m1 = _mm256_set1_epi64x((long long)PHILOX_M1);
    __m256i c0[2];
    __m256i c1[2];
    __m256i c2[2];
    __m256i c3[2];
    for (size_t v = 0; v < vectors; v++) {
        c0[v] = _mm256_add_epi64(_mm256_set1_epi64x(as_lane(first + lanes_avx2 * v)),
                                 _mm256_set_epi64x(3, 2, 1, 0));
        c1[v] = _mm256_srli_epi64(c0[v], 32);
        c2[v] = _mm256_set1_epi64x((long long)counter[2]);
        c3[v] = _mm256_set1_epi64x((long long)counter[3]);
    }
#pragma GCC unroll 10
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        __m256i k0 = _mm256_set1_epi64x((long long)keys->k0[round]);
        __m256i k1 = _mm256_set1_epi64x((long long)keys->k1[round]);
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            __m256i p0 = _mm256_mul_epu32(c0[v], m0);
            __m256i p1 = _mm256_mul_epu32(c2[v], m1);
            c0[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), k0),
                                     c1[v]);
            c2[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), k1),
                                     c3[v]);
            c1[v] = p1;
            c3[v] = p0;
        }
    }
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; v++) {
        __m256i front = _mm256_blend_epi32(c0[v], _mm256_slli_epi64(c1[v], 32), 0xAA);
        __m256i back = _mm256_blend_epi32(c2[v], _mm256_slli_epi64(c3[v], 32), 0xAA);
        __m256i even = _mm256_unpacklo_epi64(front, back);
        __m256i odd = _mm256_unpackhi_epi64(front, back);
        out[2 * v] = _mm256_permute2x128_si256(even, odd, 0x20);
        out[2 * v + 1] = _mm256_permute2x128_si256(even, odd, 0x31);
    }
}

SIMD_TARGET_AVX2 void philox_fill_avx2(const uint32_t key[2], const uint32_t counter[4],
                                       size_t blocks, uint32_t *ret_words)
{
    struct keys keys = keys_of(key);
    uint64_t first = counter_low(counter);
    for (size_t done = 0; done < blocks; done += 2 * lanes_avx2) {
        __m256i made[4];
        size_t left = blocks - done;
        if (left > lanes_avx2) {
            blocks_avx2(2, &keys, first + done, counter, made);
        } else {
            blocks_avx2(1, &keys, first + done, counter, made);
        }
        if (left >= 2 * lanes_avx2) {
            for (size_t v = 0; v < 4; v++) {
                _mm256_storeu_si256((__m256i *)(void *)(ret_words + 4 * done + 8 * v),
                                    made[v]);
            }
        } else {
            memcpy(ret_words + 4 * done, made, left * 4 * sizeof *ret_words);
        }
    }
}

#else

typedef int philox_without_vectors; /* a translation unit may not be empty */

#endif
