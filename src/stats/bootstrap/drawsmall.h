/* Sums over few draws, for several replicates at a time: what stats_draw_sums() gives,
 * without a source for each. */
#ifndef DUET_STATS_DRAWSMALL_H
#define DUET_STATS_DRAWSMALL_H

#include "stats/bootstrap/draw.h"

enum { STATS_SMALL_MAX = STATS_ROW_DRAWS_MAX, STATS_SMALL_STREAMS = 8 };

/* For each of the STATS_SMALL_STREAMS streams from `stream` on, the sum of count values
 * drawn from values[0..count), count <= STATS_SMALL_MAX: as stats_draw_sums() draws and
 * adds them on part 0, and stats_lanes_sum() sums the lanes.
 * simd: as simd_usable() gave it. ret_sums: STATS_SMALL_STREAMS of them. */
void stats_draw_small_sums(const double *values, uint32_t count, uint64_t seed,
                           uint64_t stream, enum simd_level simd, double *ret_sums);

#endif
