/* Inside drawing: the loops over half-words that exist in several vector forms. Others
 * include draw.h. */
#ifndef DUET_STATS_DRAWKERNEL_H
#define DUET_STATS_DRAWKERNEL_H

#include "stats/draw.h"

/* Draws whose half-words are at hand: draw i is made of halves[i], or of halves[2i] and
 * halves[2i + 1]. STATS_SOURCE_BEHIND half-words behind the last may be read. */
struct draw_batch {
    const struct stats_source *source;
    const struct stats_bound *bound;
    const uint16_t *halves;
    uint64_t position; /* of halves[0] in the source */
};

/* The draw at `position` again, from words of its own, because its own were rejected.
 */
uint32_t draw_again(const struct stats_source *source, const struct stats_bound *bound,
                    uint64_t position);

/* Draws begin .. begin + count - 1 of the batch. */
typedef void draw_indices_kernel(const struct draw_batch *batch, size_t begin,
                                 size_t count, uint32_t *ret_indices);
/* Draws 0 .. groups * draws - 1 of the batch, as stats_draw_sums() adds them. */
typedef void draw_add_kernel(const struct draw_batch *batch, const double *values,
                             const size_t *offsets, size_t groups, size_t draws,
                             double *lanes);

#if SIMD_X86
draw_indices_kernel draw_indices_avx2;
draw_indices_kernel draw_indices_avx512;
draw_add_kernel draw_add_avx512;
#endif

#endif
