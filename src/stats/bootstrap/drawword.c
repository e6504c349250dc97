/* From words to draws, and the words that replace rejected ones. */
#include "stats/bootstrap/drawword.h"

/* A word that makes several draws may be rejected so often, in 2^32. */
static const uint64_t rejected_max = UINT64_C(1) << 25U;

/* counter[1]: the high part of the block number, below the part; replacements of
 * rejected words have the highest bit and, instead of a block number, 40 bits of
 * position. */
enum { PART_SHIFT = 24, ATTEMPT_SHIFT = 8, ATTEMPTS_MAX = 1 << 16 };
static const uint32_t again_bit = 0x80000000U;

struct stats_bound stats_bound_of(uint32_t bound)
{
    const uint64_t words = UINT64_C(1) << 32U;
    struct stats_bound made = {bound, 1, (uint32_t)(words % bound)};
    uint64_t values = bound;
    for (uint32_t digits = 2; digits <= STATS_DIGITS_MAX && values <= 0x10000;
         digits *= 2) {
        values *= values;
        if (words % values <= rejected_max) {
            made.digits = digits;
            made.threshold = (uint32_t)(words % values);
        }
    }
    return made;
}

bool stats_bound_digits(const struct stats_bound *bound, uint32_t word,
                        uint32_t *ret_digits)
{
    return draw_digits(bound, bound->digits, word, ret_digits);
}

void draw_counter(const struct stats_source *source, uint64_t row,
                  uint32_t ret_counter[4])
{
    uint64_t block = row * DRAW_ROW_BLOCKS;
    ret_counter[0] = (uint32_t)block;
    ret_counter[1] = source->part << PART_SHIFT | (uint32_t)(block >> 32U);
    ret_counter[2] = source->stream[0];
    ret_counter[3] = source->stream[1];
}

void draw_again(const struct stats_source *source, const struct stats_bound *bound,
                uint64_t position, uint32_t *ret_digits)
{
    uint32_t high =
        again_bit | source->part << PART_SHIFT | (uint32_t)(position >> 32U);
    uint32_t words[DRAW_BLOCK_WORDS] = {0};
    for (uint32_t attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const uint32_t counter[4] = {(uint32_t)position,
                                     high | attempt << ATTEMPT_SHIFT, source->stream[0],
                                     source->stream[1]};
        random_philox_block(source->key, counter, words);
        for (int i = 0; i < DRAW_BLOCK_WORDS; i++) {
            if (stats_bound_digits(bound, words[i], ret_digits)) {
                return;
            }
        }
    }
    /* With a probability below 2^-200000 the draws of a rejected one stay. */
}
