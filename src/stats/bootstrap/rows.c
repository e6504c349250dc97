#include "stats/bootstrap/rows.h"

#include "stats/bootstrap/draw.h"

#include <string.h>

enum { COLUMNS = 8 };

/* One vector of columns; the compiler makes of it what the target has. The sums of one
 * column are apart by COLUMNS in memory: lanes[(block * STATS_LANES + lane) * COLUMNS].
 */
typedef double eight __attribute__((vector_size(COLUMNS * sizeof(double)),
                                    aligned(sizeof(double)), may_alias));

size_t stats_rows_width(size_t columns)
{
    return (columns + COLUMNS - 1) / COLUMNS * COLUMNS;
}

/* The lanes of one vector of columns stay in registers over all rows. */
static inline __attribute__((always_inline)) void add_block(const double *table,
                                                            size_t width,
                                                            const uint32_t *drawn,
                                                            size_t count, double *lanes)
{
    eight sums[STATS_LANES];
    size_t i = 0;
    memcpy(sums, lanes, sizeof sums);
    for (; i + STATS_LANES <= count; i += STATS_LANES) {
#pragma GCC unroll 16
        for (size_t lane = 0; lane < STATS_LANES; lane++) {
            sums[lane] += *(const eight *)(table + drawn[i + lane] * width);
        }
    }
    memcpy(lanes, sums, sizeof sums);
    for (size_t lane = 0; i < count; i++, lane++) {
        *(eight *)(lanes + lane * COLUMNS) +=
            *(const eight *)(table + drawn[i] * width);
    }
}

static inline __attribute__((always_inline)) void add_all(const double *table,
                                                          size_t width,
                                                          const uint32_t *drawn,
                                                          size_t count, double *lanes)
{
    for (size_t column = 0; column < width; column += COLUMNS) {
        add_block(table + column, width, drawn, count, lanes + column * STATS_LANES);
    }
}

#if SIMD_X86
SIMD_TARGET_AVX2 static void add_avx2(const double *table, size_t width,
                                      const uint32_t *drawn, size_t count,
                                      double *lanes)
{
    add_all(table, width, drawn, count, lanes);
}
#endif

void stats_rows_add(const double *table, size_t width, const uint32_t *drawn,
                    size_t count, enum simd_level simd, double *lanes)
{
#if SIMD_X86
    if (simd == SIMD_AVX2) {
        add_avx2(table, width, drawn, count, lanes);
        return;
    }
#else
    (void)simd;
#endif
    add_all(table, width, drawn, count, lanes);
}

void stats_rows_sum(const double *lanes, size_t width, double *ret_sums)
{
    for (size_t column = 0; column < width; column += COLUMNS) {
        eight block[STATS_LANES];
        memcpy(block, lanes + column * STATS_LANES, sizeof block);
#pragma GCC unroll 4
        for (size_t half = STATS_LANES / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
            for (size_t lane = 0; lane < half; lane++) {
                block[lane] += block[lane + half];
            }
        }
        memcpy(ret_sums + column, block, sizeof block[0]);
    }
}
