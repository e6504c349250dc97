#include "base/alloc.h"
#include "stats/bootstrap/sampler_private.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_STARTS = 0, PART_LENGTHS = 1, STARTS_AT_ONCE = 256 };

/* P(length > k) = (1 - 1 / mean)^k, in 32 bits: until it is less than one in 2^32 or
 * the series ends. */
static enum duet_code take_lengths(struct stats_sampler *sampler, double mean,
                                   struct duet_error *reterr)
{
    double going_on = 1.0 - 1.0 / fmax(mean, 1.0);
    size_t lengths = 0;
    double longer = going_on;
    while (lengths < sampler->count && longer >= 0x1p-32) {
        longer *= going_on;
        lengths++;
    }
    sampler->longer_than = alloc_array(lengths, sizeof *sampler->longer_than);
    if (sampler->longer_than == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu block lengths",
                         lengths);
    }
    longer = going_on;
    for (size_t k = 0; k < lengths; k++) {
        sampler->longer_than[k] = (uint32_t)(longer * 0x1p32);
        longer *= going_on;
    }
    sampler->lengths = lengths;
    sampler->block_starts = sampler->count;
    return DUET_OK;
}

enum duet_code sampler_take_blocks(struct stats_sampler *sampler, double block_length,
                                   struct duet_error *reterr)
{
    if (sampler->scheme == STATS_SCHEME_STATIONARY) {
        return take_lengths(sampler, block_length, reterr);
    }
    double whole = round(block_length);
    if (whole > (double)sampler->count) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "blocks of %g values do not fit into a series of %zu",
                         block_length, sampler->count);
    }
    sampler->block_length = (size_t)whole;
    sampler->blocks =
        (sampler->count + sampler->block_length - 1) / sampler->block_length;
    sampler->last_length =
        sampler->count - (sampler->blocks - 1) * sampler->block_length;
    sampler->block_starts = sampler->scheme == STATS_SCHEME_CIRCULAR
                                ? sampler->count
                                : sampler->count - sampler->block_length + 1;
    return DUET_OK;
}

/* Sums before each of 2 * count values, the series twice in a row, so that a block's
 * sum is one difference. Both parts of the compensated sum are kept: the difference of
 * two large sums keeps its digits. */
static void fill_prefix(const double *values, size_t count, double *high, double *low)
{
    struct stats_sum sum = {0};
    for (size_t i = 0; i < 2 * count; i++) {
        high[i] = sum.total;
        low[i] = sum.compensation;
        stats_sum_add(&sum, values[i < count ? i : i - count]);
    }
    high[2 * count] = sum.total;
    low[2 * count] = sum.compensation;
}

static double sum_between(const struct stats_summand *summand, size_t from, size_t to)
{
    return (summand->prefix_high[to] - summand->prefix_high[from]) +
           (summand->prefix_low[to] - summand->prefix_low[from]);
}

static bool has_memory(const struct stats_sampler *sampler,
                       const struct stats_summand *summand)
{
    bool fixed = sampler->scheme != STATS_SCHEME_STATIONARY;
    return summand->prefix_high != NULL && summand->prefix_low != NULL &&
           (!fixed || (summand->blocks != NULL && summand->last != NULL));
}

enum duet_code stats_summand_init(const struct stats_sampler *sampler,
                                  const double *values,
                                  struct stats_summand *ret_summand,
                                  struct duet_error *reterr)
{
    struct stats_summand made = {.values = values};
    if (sampler->scheme == STATS_SCHEME_UNITS) {
        *ret_summand = made;
        return DUET_OK;
    }
    size_t count = sampler->count;
    bool fixed = sampler->scheme != STATS_SCHEME_STATIONARY;
    made.prefix_high = alloc_array(2 * count + 1, sizeof(double));
    made.prefix_low = alloc_array(2 * count + 1, sizeof(double));
    if (fixed) {
        made.blocks = alloc_array(sampler->block_starts, sizeof(double));
        made.last = alloc_array(sampler->block_starts, sizeof(double));
    }
    if (!has_memory(sampler, &made)) {
        stats_summand_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory for the sums of blocks");
    }
    fill_prefix(values, count, made.prefix_high, made.prefix_low);
    for (size_t start = 0; fixed && start < sampler->block_starts; start++) {
        made.blocks[start] = sum_between(&made, start, start + sampler->block_length);
        made.last[start] = sum_between(&made, start, start + sampler->last_length);
    }
    *ret_summand = made;
    return DUET_OK;
}

void stats_summand_release(struct stats_summand *summand)
{
    if (summand != NULL) {
        free(summand->blocks);
        free(summand->last);
        free(summand->prefix_high);
        free(summand->prefix_low);
        *summand = (struct stats_summand){0};
    }
}

/* By bisection; at most `most`. */
static size_t length_of(const struct stats_sampler *sampler, uint32_t bits, size_t most)
{
    size_t low = 0; /* all before are above `bits` */
    size_t high = sampler->lengths;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bits < sampler->longer_than[middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low + 1 < most ? low + 1 : most;
}

/* The blocks of one replicate, one after the other. */
struct blocks {
    const struct stats_sampler *sampler;
    struct stats_source starts;
    struct stats_source lengths;
    struct stats_bound bound;
    struct stats_bound bits;
    size_t left; /* values still to be drawn */
};

static void blocks_begin(struct blocks *blocks, const struct stats_sampler *sampler,
                         const struct stats_draw_site *site)
{
    blocks->sampler = sampler;
    blocks->left = sampler->count;
    blocks->bound = stats_bound_of((uint32_t)sampler->block_starts);
    /* All 32 bits: a product with 2^32 - 1, of which the high word is wanted. */
    blocks->bits = stats_bound_of(UINT32_MAX);
    size_t expected = sampler->scheme == STATS_SCHEME_STATIONARY ? 64 : sampler->blocks;
    stats_source_init(&blocks->starts, site->seed, site->stream,
                      site->part + PART_STARTS,
                      stats_bound_rows(&blocks->bound, expected), site->simd);
    stats_source_init(&blocks->lengths, site->seed, site->stream,
                      site->part + PART_LENGTHS, 8, site->simd);
}

/* Up to `most` blocks; returns how many, 0 at the end. */
static size_t blocks_next(struct blocks *blocks, uint32_t *starts, uint32_t *lengths,
                          size_t most)
{
    const struct stats_sampler *sampler = blocks->sampler;
    size_t made = 0;
    if (sampler->scheme != STATS_SCHEME_STATIONARY) {
        size_t length = sampler->block_length;
        size_t wanted = (blocks->left + length - 1) / length;
        made = wanted < most ? wanted : most;
        /* The last one from a source of its own: a sum gives up the row that it ends
         * in, and what is drawn must be the same. */
        size_t before_last = made == wanted && made > 0 ? made - 1 : made;
        stats_draw_indices(&blocks->starts, &blocks->bound, starts, before_last);
        stats_draw_indices(&blocks->lengths, &blocks->bound, starts + before_last,
                           made - before_last);
        for (size_t i = 0; i < made; i++) {
            size_t now = length < blocks->left ? length : blocks->left;
            lengths[i] = (uint32_t)now;
            blocks->left -= now;
        }
        return made;
    }
    while (made < most && blocks->left > 0) {
        uint32_t bits = 0;
        stats_draw_indices(&blocks->starts, &blocks->bound, &starts[made], 1);
        stats_draw_indices(&blocks->lengths, &blocks->bits, &bits, 1);
        size_t length = length_of(sampler, bits, blocks->left);
        lengths[made++] = (uint32_t)length;
        blocks->left -= length;
    }
    return made;
}

static double sum_fixed(const struct stats_sampler *sampler,
                        const struct stats_draw_site *site,
                        const struct stats_summand *summand)
{
    static const size_t from_the_first = 0;
    struct stats_bound bound = stats_bound_of((uint32_t)sampler->block_starts);
    struct stats_source source;
    double lanes[STATS_LANES] = {0};
    uint32_t last = 0;
    stats_source_init(&source, site->seed, site->stream, site->part + PART_STARTS,
                      stats_bound_rows(&bound, sampler->blocks), site->simd);
    if (sampler->blocks > 1) {
        stats_draw_sums(&source, &bound, summand->blocks, &from_the_first, 1,
                        sampler->blocks - 1, lanes);
    }
    stats_source_init(&source, site->seed, site->stream, site->part + PART_LENGTHS, 1,
                      site->simd);
    stats_draw_indices(&source, &bound, &last, 1);
    return stats_lanes_sum(lanes) + summand->last[last];
}

double sampler_sum_blocks(const struct stats_sampler *sampler,
                          const struct stats_draw_site *site,
                          const struct stats_summand *summand)
{
    if (sampler->scheme != STATS_SCHEME_STATIONARY) {
        return sum_fixed(sampler, site, summand);
    }
    struct blocks blocks;
    uint32_t starts[STARTS_AT_ONCE];
    uint32_t lengths[STARTS_AT_ONCE];
    double sum = 0.0;
    size_t made = 0;
    blocks_begin(&blocks, sampler, site);
    while ((made = blocks_next(&blocks, starts, lengths, STARTS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < made; i++) {
            sum += sum_between(summand, starts[i], (size_t)starts[i] + lengths[i]);
        }
    }
    return sum;
}

void sampler_tally_blocks(const struct stats_sampler *sampler,
                          const struct stats_draw_site *site, const uint32_t *ranks,
                          uint32_t *times)
{
    struct blocks blocks;
    uint32_t starts[STARTS_AT_ONCE];
    uint32_t lengths[STARTS_AT_ONCE];
    size_t made = 0;
    blocks_begin(&blocks, sampler, site);
    while ((made = blocks_next(&blocks, starts, lengths, STARTS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < made; i++) {
            size_t room = sampler->count - starts[i];
            size_t before_end = lengths[i] < room ? lengths[i] : room;
            const uint32_t *block = ranks + starts[i];
            for (size_t j = 0; j < before_end; j++) {
                times[block[j]]++;
            }
            for (size_t j = before_end; j < lengths[i]; j++) {
                times[ranks[j - before_end]]++;
            }
        }
    }
}
