/* Random indices for resampling. */
#ifndef DUET_STATS_DRAW_H
#define DUET_STATS_DRAW_H

#include "base/random.h"

#include <stddef.h>
#include <stdint.h>

/* `count` independent draws, exactly uniform on {0, ..., bound-1} (Lemire 2019). Up to
 * a bound of 4096 each takes 16 random bits, beyond it 32. A call takes whole blocks of
 * the stream and starts at a fresh one. bound >= 1. */
void stats_draw_indices(struct random_stream *stream, uint32_t bound,
                        uint32_t *ret_indices, size_t count);

/* A uniformly random derangement: a permutation of 0..count-1 that leaves no item in
 * its place. count >= 2 and below 2^32. By rejection, on average e tries. */
void stats_draw_derangement(struct random_stream *stream, size_t *ret_items,
                            size_t count);

#endif
