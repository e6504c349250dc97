/* Inside the generator: its rounds on vectors, for code that uses the words where they
 * are made. Others include random.h. A 64-bit lane holds one word of one block in its
 * low half; the high half is whatever the last multiplication left there. vpmuludq
 * reads low halves only, so that the high word of a product costs one shift and the low
 * one nothing. */
#ifndef DUET_BASE_PHILOX_LANES_H
#define DUET_BASE_PHILOX_LANES_H

#include "base/philox.h"

#if SIMD_X86

#include <immintrin.h>

enum { PHILOX_WORDS = 4, PHILOX_LANES_AVX512 = 8 };

/* Round keys, for all blocks the same. */
struct philox_keys {
    uint64_t k0[PHILOX_ROUNDS];
    uint64_t k1[PHILOX_ROUNDS];
};

static inline struct philox_keys philox_keys_of(const uint32_t key[2])
{
    struct philox_keys keys;
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        keys.k0[round] = key[0] + round * PHILOX_W0;
        keys.k1[round] = key[1] + round * PHILOX_W1;
    }
    return keys;
}

/* The counters of the 8 blocks from `block` on. counter: of which words 2 and 3 count.
 */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
philox_begin_avx512(__m512i words[PHILOX_WORDS], uint64_t block,
                    const uint32_t counter[4])
{
    words[0] = _mm512_add_epi64(_mm512_set1_epi64((long long)block),
                                _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    words[1] = _mm512_srli_epi64(words[0], 32);
    words[2] = _mm512_set1_epi64((long long)counter[2]);
    words[3] = _mm512_set1_epi64((long long)counter[3]);
}

/* Rounds from <= round < to of `vectors` vectors of blocks (at most 2), whose rounds
 * fill each other's waits. Constants where it is called. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
philox_rounds_avx512(size_t vectors, __m512i (*words)[PHILOX_WORDS],
                     const struct philox_keys *keys, size_t from, size_t to)
{
    enum { XOR3 = 0x96 };
    const __m512i m0 = _mm512_set1_epi64((long long)PHILOX_M0);
    const __m512i m1 = _mm512_set1_epi64((long long)PHILOX_M1);
#pragma GCC unroll 10
    for (size_t round = from; round < to; round++) {
        __m512i k0 = _mm512_set1_epi64((long long)keys->k0[round]);
        __m512i k1 = _mm512_set1_epi64((long long)keys->k1[round]);
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            __m512i *c = words[v];
            __m512i p0 = _mm512_mul_epu32(c[0], m0);
            __m512i p1 = _mm512_mul_epu32(c[2], m1);
            c[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c[1], k0, XOR3);
            c[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c[3], k1, XOR3);
            c[1] = p1;
            c[3] = p0;
        }
    }
}

/* Words 0 and 1 of each block into a lane of packed[0], 2 and 3 into packed[1]. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
philox_pack_avx512(const __m512i words[PHILOX_WORDS], __m512i packed[2])
{
    const __mmask16 high = 0xAAAA;
    packed[0] = _mm512_mask_shuffle_epi32(words[0], high, words[1], _MM_PERM_CCAA);
    packed[1] = _mm512_mask_shuffle_epi32(words[2], high, words[3], _MM_PERM_CCAA);
}

#endif

#endif
