/* Sums over few draws: what stats_draw_sums() gives, without a source. */
#ifndef DUET_STATS_DRAWSMALL_H
#define DUET_STATS_DRAWSMALL_H

#include "stats/bootstrap/draw.h"

enum { STATS_SMALL_MAX = STATS_ROW_DRAWS_MAX };

/* The sum of bound->bound values drawn from as many, bound->bound <= STATS_SMALL_MAX:
 * as stats_draw_sums() draws and adds them on part 0 of the stream, and
 * stats_lanes_sum() sums the lanes. */
double stats_draw_small_sum(const double *values, const struct stats_bound *bound,
                            uint64_t seed, uint64_t stream);

#endif
