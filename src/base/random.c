#include "base/random.h"

#include "base/philox.h"

void random_philox_block(const uint32_t key[2], const uint32_t counter[4],
                         uint32_t ret_block[4])
{
    uint32_t k0 = key[0];
    uint32_t k1 = key[1];
    uint32_t c0 = counter[0];
    uint32_t c1 = counter[1];
    uint32_t c2 = counter[2];
    uint32_t c3 = counter[3];
#pragma GCC unroll 10 /* halves the time at -O2, where gcc leaves the loop alone */
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t p0 = (uint64_t)PHILOX_M0 * c0;
        uint64_t p1 = (uint64_t)PHILOX_M1 * c2;
        c0 = (uint32_t)(p1 >> 32U) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32U) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    ret_block[0] = c0;
    ret_block[1] = c1;
    ret_block[2] = c2;
    ret_block[3] = c3;
}

static void fill_scalar(const uint32_t key[2], const uint32_t counter[4], size_t blocks,
                        uint32_t *ret_words)
{
    uint64_t first = (uint64_t)counter[1] << 32U | counter[0];
    for (size_t b = 0; b < blocks; b++) {
        uint64_t at = first + b;
        uint32_t next[4] = {(uint32_t)at, (uint32_t)(at >> 32U), counter[2],
                            counter[3]};
        random_philox_block(key, next, ret_words + 4 * b);
    }
}

void random_philox_fill(const uint32_t key[2], const uint32_t counter[4], size_t blocks,
                        enum simd_level simd, uint32_t *ret_words)
{
#if SIMD_X86
    enum { FEW_BLOCKS = 2 }; /* a vector that is mostly empty is slower */
    if (blocks <= FEW_BLOCKS) {
        simd = SIMD_NONE;
    }
    if (simd == SIMD_AVX2) {
        philox_fill_avx2(key, counter, blocks, ret_words);
        return;
    }
#else
    (void)simd;
#endif
    fill_scalar(key, counter, blocks, ret_words);
}

struct random_stream random_stream_at(uint64_t seed, uint64_t stream)
{
    struct random_stream result = {
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32U)},
        .counter = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32U)},
        .used = 4,
    };
    return result;
}

uint32_t random_u32(struct random_stream *stream)
{
    if (stream->used == 4) {
        random_philox_block(stream->key, stream->counter, stream->block);
        stream->used = 0;
        if (++stream->counter[0] == 0) {
            stream->counter[1]++;
        }
    }
    return stream->block[stream->used++];
}

uint64_t random_u64(struct random_stream *stream)
{
    uint64_t low = random_u32(stream);
    return (uint64_t)random_u32(stream) << 32U | low;
}

uint32_t random_below(struct random_stream *stream, uint32_t bound)
{
    uint64_t product = (uint64_t)random_u32(stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t threshold = (uint32_t)-bound % bound;
        while ((uint32_t)product < threshold) {
            product = (uint64_t)random_u32(stream) * bound;
        }
    }
    return (uint32_t)(product >> 32U);
}

double random_uniform(struct random_stream *stream)
{
    return ((double)(random_u64(stream) >> 11U) + 0.5) * 0x1p-53;
}

void random_shuffle(struct random_stream *stream, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(stream, (uint32_t)i);
        size_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
