#include "stats/bootstrap/drawsmall.h"

#include "stats/bootstrap/drawword.h"

enum { WORDS = STATS_ROW_WORDS };

static double sum_of_source(const double *values, const struct stats_bound *bound,
                            uint64_t seed, uint64_t stream)
{
    static const size_t from_the_first = 0;
    struct stats_source source;
    double lanes[STATS_LANES] = {0};
    stats_source_init(&source, seed, stream, 0, 1, SIMD_NONE);
    stats_draw_sums(&source, bound, values, &from_the_first, 1, bound->bound, lanes);
    return stats_lanes_sum(lanes);
}

/* From the words of the first row alone, unless one of them is rejected. */
double stats_draw_small_sum(const double *values, const struct stats_bound *bound,
                            uint64_t seed, uint64_t stream)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32U)};
    const uint32_t counter[4] = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32U)};
    double lanes[STATS_LANES] = {0};
    uint32_t words[WORDS];
    random_philox_fill(key, counter, DRAW_ROW_BLOCKS, SIMD_NONE, words);
    for (uint32_t w = 0; w < WORDS; w++) {
        uint32_t digits[STATS_DIGITS_MAX];
        if (!draw_digits(bound, STATS_DIGITS_MAX, words[w], digits)) {
            return sum_of_source(values, bound, seed, stream);
        }
#pragma GCC unroll 4
        for (uint32_t digit = 0; digit < STATS_DIGITS_MAX; digit++) {
            if (digit * WORDS + w < bound->bound) {
                lanes[digit % 2 * WORDS + w] += values[digits[digit]];
            }
        }
    }
    return stats_lanes_sum(lanes);
}
