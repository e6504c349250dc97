/* Random numbers: Philox4x32-10, a counter-based generator (Salmon, Moraes, Dror, Shaw:
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A stream is named by (seed,
 * stream number), so that every bootstrap replicate has its own and results do not
 * depend on the number of threads. Not for cryptography. */
#ifndef DUET_BASE_RANDOM_H
#define DUET_BASE_RANDOM_H

#include "base/simd.h"

#include <stddef.h>
#include <stdint.h>

struct random_stream {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    unsigned used; /* words of `block` handed out */
};

/* The stream `stream` of `seed`, from its beginning. */
struct random_stream random_stream_at(uint64_t seed, uint64_t stream);

uint32_t random_u32(struct random_stream *stream);
uint64_t random_u64(struct random_stream *stream);
/* Uniform on {0, ..., bound-1}, without bias (Lemire 2019). bound >= 1. */
uint32_t random_below(struct random_stream *stream, uint32_t bound);
/* Uniform on the open interval (0, 1), 53 bits. */
double random_uniform(struct random_stream *stream);
/* Fisher-Yates: a uniformly random order of items[0..count). count < 2^32. */
void random_shuffle(struct random_stream *stream, size_t *items, size_t count);

/* One block of Philox4x32-10, for known-answer tests. */
void random_philox_block(const uint32_t key[2], const uint32_t counter[4],
                         uint32_t ret_block[4]);

/* The blocks at `counter` and the blocks - 1 counters after it, one after the other
 * (counter[0] is the low word of what counts, counter[1] the high one). Same words at
 * every level; simd: as simd_usable() gave it. ret_words: 4 * blocks. */
void random_philox_fill(const uint32_t key[2], const uint32_t counter[4], size_t blocks,
                        enum simd_level simd, uint32_t *ret_words);

#endif
