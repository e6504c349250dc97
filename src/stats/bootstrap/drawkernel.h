/* Inside drawing: the loops over rows that exist in several vector forms. Others
 * include draw.h. */
#ifndef DUET_STATS_DRAWKERNEL_H
#define DUET_STATS_DRAWKERNEL_H

#include "stats/bootstrap/draw.h"

/* Blocks are what the generator makes at a time. */
enum { DRAW_BLOCK_WORDS = 4, DRAW_ROW_BLOCKS = STATS_ROW_WORDS / DRAW_BLOCK_WORDS };

/* Rows of words at hand. */
struct draw_batch {
    const struct stats_source *source;
    const struct stats_bound *bound;
    const uint32_t *words;
    uint64_t position; /* of words[0] in the source */
};

/* A sum on its way through its groups. */
struct draw_sum {
    const double *values;
    const size_t *offsets; /* of the group that is drawn from next */
    size_t draws;          /* of a group */
    size_t left;           /* draws of the group begun */
    size_t begun;          /* its offset */
    uint64_t total;        /* draws left in all */
    double *lanes;
    size_t lane; /* of the next draw: 0 or 8 */
};

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

/* The word that replaces the one at `position`, which was rejected; and its draws. */
uint32_t draw_word_again(const struct stats_source *source,
                         const struct stats_bound *bound, uint64_t position);
void draw_again(const struct stats_source *source, const struct stats_bound *bound,
                uint64_t position, uint32_t *ret_digits);

/* All draws of the batch's first `rows` rows. */
typedef void draw_rows_kernel(const struct draw_batch *batch, size_t rows,
                              uint32_t *ret_indices);
#if SIMD_X86
draw_rows_kernel draw_rows_avx2;
draw_rows_kernel draw_rows_avx512;

/* Adds what the rows from source->rows on draw, as stats_draw_sums() says, but for the
 * last draws that do not fill a vector: returns how many those are and gives them as
 * indices into their groups. The next draw must be for lane 0 and a word make at least
 * two draws. ret_rest: STATS_ROW_WORDS of them. */
size_t draw_add_avx512(const struct stats_source *source,
                       const struct stats_bound *bound, struct draw_sum *sum,
                       uint32_t *ret_rest);
#endif

#endif
