/* Sums over drawn rows of a table, all its columns at a time. */
#ifndef DUET_STATS_ROWS_H
#define DUET_STATS_ROWS_H

#include "base/simd.h"

#include <stddef.h>
#include <stdint.h>

/* Rows that a caller draws before it adds them; whole rounds over the lanes. */
enum { STATS_ROWS_AT_ONCE = 256 };

/* Columns that a table must have for so many to be used: whole vectors, the last filled
 * up with anything finite. */
size_t stats_rows_width(size_t columns);

/* Adds row drawn[i] to lane i mod STATS_LANES, as stats_draw_sums() does for a single
 * column. lanes: STATS_LANES * width sums, zeroed before the first call; all calls but
 * the last take whole rounds over the lanes. simd: as simd_usable() gave it. */
void stats_rows_add(const double *table, size_t width, const uint32_t *drawn,
                    size_t count, enum simd_level simd, double *lanes);

/* Each column's lanes summed as stats_lanes_sum() does. ret_sums: `width` of them. */
void stats_rows_sum(const double *lanes, size_t width, double *ret_sums);

#endif
