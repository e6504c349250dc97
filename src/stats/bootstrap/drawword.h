/* Inside drawing: one word, where it is in its source, and what replaces it. Others
 * include draw.h. */
#ifndef DUET_STATS_DRAWWORD_H
#define DUET_STATS_DRAWWORD_H

#include "stats/bootstrap/draw.h"

/* Blocks are what the generator makes at a time. */
enum { DRAW_BLOCK_WORDS = 4, DRAW_ROW_BLOCKS = STATS_ROW_WORDS / DRAW_BLOCK_WORDS };

/* stats_bound_digits() for a constant number of digits. */
static inline __attribute__((always_inline)) bool
draw_digits(const struct stats_bound *bound, uint32_t digits, uint32_t word,
            uint32_t *ret_digits)
{
#pragma GCC unroll 4
    for (uint32_t digit = 0; digit < digits; digit++) {
        uint64_t product = (uint64_t)word * bound->bound;
        ret_digits[digit] = (uint32_t)(product >> 32U);
        word = (uint32_t)product;
    }
    return word >= bound->threshold;
}

/* What random_philox_fill() makes the rows from `row` on from. */
void draw_counter(const struct stats_source *source, uint64_t row,
                  uint32_t ret_counter[4]);

/* The draws of the word that replaces the one at `position`, which was rejected. */
void draw_again(const struct stats_source *source, const struct stats_bound *bound,
                uint64_t position, uint32_t *ret_digits);

#endif
