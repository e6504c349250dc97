#include "stats/draw.h"

#include <stdbool.h>

/* Draws of 16 bits waste at most 1 in 16 of them to rejection below this bound. */
enum { NARROW_BOUND_MAX = 4096, DRAWS_IN_BLOCK_MAX = 8 };

static void next_block(struct random_stream *stream, uint32_t *ret_words)
{
    random_philox_block(stream->key, stream->counter, ret_words);
    if (++stream->counter[0] == 0) {
        stream->counter[1]++;
    }
}

/* Both: the draws of one block; returns how many of them were accepted, at the front. A
 * rejected one leaves its place to the next, without a branch. */
static size_t draw_narrow(struct random_stream *stream, uint32_t bound,
                          uint32_t threshold, uint32_t *ret_indices)
{
    uint32_t words[4];
    size_t drawn = 0;
    next_block(stream, words);
    for (int i = 0; i < 4; i++) {
        uint32_t low = (words[i] & 0xFFFFU) * bound;
        uint32_t high = (words[i] >> 16U) * bound;
        ret_indices[drawn] = low >> 16U;
        drawn += (low & 0xFFFFU) >= threshold;
        ret_indices[drawn] = high >> 16U;
        drawn += (high & 0xFFFFU) >= threshold;
    }
    return drawn;
}

static size_t draw_wide(struct random_stream *stream, uint32_t bound,
                        uint32_t threshold, uint32_t *ret_indices)
{
    uint32_t words[4];
    size_t drawn = 0;
    next_block(stream, words);
    for (int i = 0; i < 4; i++) {
        uint64_t product = (uint64_t)words[i] * bound;
        ret_indices[drawn] = (uint32_t)(product >> 32U);
        drawn += (uint32_t)product >= threshold;
    }
    return drawn;
}

void stats_draw_indices(struct random_stream *stream, uint32_t bound,
                        uint32_t *ret_indices, size_t count)
{
    bool narrow = bound <= NARROW_BOUND_MAX;
    uint32_t threshold = narrow ? 0x10000U % bound : (uint32_t)-bound % bound;
    size_t drawn = 0;
    while (count - drawn >= DRAWS_IN_BLOCK_MAX) {
        uint32_t *next = ret_indices + drawn;
        drawn += narrow ? draw_narrow(stream, bound, threshold, next)
                        : draw_wide(stream, bound, threshold, next);
    }
    while (drawn < count) {
        uint32_t last[DRAWS_IN_BLOCK_MAX];
        size_t more = narrow ? draw_narrow(stream, bound, threshold, last)
                             : draw_wide(stream, bound, threshold, last);
        for (size_t i = 0; i < more && drawn < count; i++) {
            ret_indices[drawn++] = last[i];
        }
    }
}

static bool has_fixed_point(const size_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i] == i) {
            return true;
        }
    }
    return false;
}

void stats_draw_derangement(struct random_stream *stream, size_t *ret_items,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ret_items[i] = i;
    }
    do {
        random_shuffle(stream, ret_items, count);
    } while (has_fixed_point(ret_items, count));
}
