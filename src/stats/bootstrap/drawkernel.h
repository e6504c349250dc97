/* Inside drawing: the loops over rows, which have a vector form. Others
 * include draw.h. */
#ifndef DUET_STATS_DRAWKERNEL_H
#define DUET_STATS_DRAWKERNEL_H

#include "stats/bootstrap/drawword.h"

/* Rows of words at hand. */
struct draw_batch {
    const struct stats_source *source;
    const struct stats_bound *bound;
    const uint32_t *words;
    uint64_t position; /* of words[0] in the source */
};

#if SIMD_X86
/* All draws of the batch's first `rows` rows. */
void draw_rows_avx2(const struct draw_batch *batch, size_t rows, uint32_t *ret_indices);
#endif

#endif
