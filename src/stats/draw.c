#include "stats/draw.h"

#include "stats/drawkernel.h"

#include <string.h>

/* Of 2^16 half-words, at most so many may be rejected. */
enum { REJECTED_MAX = 256, HALVES_IN_BLOCK = 8 };

/* counter[1]: the high part of the block number, below the part; replacements of
 * rejected draws have the highest bit. */
/* 40 bits of position, that is 2^40 half-words a part. */
enum { PART_SHIFT = 24, ATTEMPT_SHIFT = 8, ATTEMPTS_MAX = 1 << 16 };
static const uint32_t again_bit = 0x80000000U;

struct stats_bound stats_bound_of(uint32_t bound)
{
    struct stats_bound made = {.bound = bound};
    if (bound <= UINT16_MAX && 0x10000U % bound <= REJECTED_MAX) {
        made.threshold = 0x10000U % bound;
    } else {
        made.threshold = (uint32_t)-bound % bound;
        made.wide = true;
    }
    return made;
}

uint64_t stats_bound_halves(const struct stats_bound *bound, uint64_t count)
{
    return bound->wide ? 2 * count : count;
}

void stats_source_init(struct stats_source *source, uint64_t seed, uint64_t stream,
                       uint32_t part, uint64_t wanted, enum simd_level simd)
{
    source->key[0] = (uint32_t)seed;
    source->key[1] = (uint32_t)(seed >> 32U);
    source->stream[0] = (uint32_t)stream;
    source->stream[1] = (uint32_t)(stream >> 32U);
    source->part = part;
    source->simd = simd_usable(simd);
    source->blocks = 0;
    source->wanted = wanted;
    source->used = 0;
    source->available = 0;
}

uint32_t draw_again(const struct stats_source *source, const struct stats_bound *bound,
                    uint64_t position)
{
    uint32_t high =
        again_bit | source->part << PART_SHIFT | (uint32_t)(position >> 32U);
    uint32_t threshold = (uint32_t)-bound->bound % bound->bound;
    uint32_t words[4];
    for (uint32_t attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const uint32_t counter[4] = {(uint32_t)position,
                                     high | attempt << ATTEMPT_SHIFT, source->stream[0],
                                     source->stream[1]};
        random_philox_block(source->key, counter, words);
        for (int i = 0; i < 4; i++) {
            uint64_t product = (uint64_t)words[i] * bound->bound;
            if ((uint32_t)product >= threshold) {
                return (uint32_t)(product >> 32U);
            }
        }
    }
    return 0; /* with a probability below 2^-200000 */
}

static void indices_scalar(const struct draw_batch *batch, size_t begin, size_t count,
                           uint32_t *ret_indices)
{
    const struct stats_bound *bound = batch->bound;
    for (size_t i = 0; i < count; i++) {
        size_t at = begin + i;
        if (!bound->wide) {
            uint32_t product = (uint32_t)batch->halves[at] * bound->bound;
            ret_indices[i] = product >> 16U;
            if ((product & UINT16_MAX) < bound->threshold) {
                ret_indices[i] = draw_again(batch->source, bound, batch->position + at);
            }
            continue;
        }
        uint32_t word =
            (uint32_t)batch->halves[2 * at + 1] << 16U | batch->halves[2 * at];
        uint64_t product = (uint64_t)word * bound->bound;
        ret_indices[i] = (uint32_t)(product >> 32U);
        if ((uint32_t)product < bound->threshold) {
            ret_indices[i] = draw_again(batch->source, bound, batch->position + 2 * at);
        }
    }
}

static void indices_of(const struct draw_batch *batch, size_t begin, size_t count,
                       uint32_t *ret_indices)
{
#if SIMD_X86
    if (batch->source->simd == SIMD_AVX512) {
        draw_indices_avx512(batch, begin, count, ret_indices);
        return;
    }
    if (batch->source->simd == SIMD_AVX2) {
        draw_indices_avx2(batch, begin, count, ret_indices);
        return;
    }
#endif
    indices_scalar(batch, begin, count, ret_indices);
}

/* Draws, then adds: without a gather instruction that is worth its name, loads and
 * additions of single numbers are as fast. */
static void add_group(const struct draw_batch *batch, size_t begin, size_t count,
                      const double *values, double *lanes)
{
    enum { AT_ONCE = 8 * STATS_LANES };
    uint32_t drawn[AT_ONCE];
    while (count > 0) {
        size_t now = count < AT_ONCE ? count : AT_ONCE;
        size_t i = 0;
        indices_of(batch, begin, now, drawn);
        for (; i + STATS_LANES <= now; i += STATS_LANES) {
#pragma GCC unroll 16
            for (size_t lane = 0; lane < STATS_LANES; lane++) {
                lanes[lane] += values[drawn[i + lane]];
            }
        }
        for (size_t lane = 0; i < now; i++, lane++) {
            lanes[lane] += values[drawn[i]];
        }
        begin += now;
        count -= now;
    }
}

static void add_of(const struct draw_batch *batch, const double *values,
                   const size_t *offsets, size_t groups, size_t draws, double *lanes)
{
#if SIMD_X86
    if (batch->source->simd == SIMD_AVX512) {
        draw_add_avx512(batch, values, offsets, groups, draws, lanes);
        return;
    }
#endif
    for (size_t g = 0; g < groups; g++) {
        add_group(batch, g * draws, draws, values + offsets[g], lanes);
    }
}

/* Moves what is left to the front, from a block's beginning on, and makes more. */
static void refill(struct stats_source *source)
{
    size_t from = source->used - source->used % HALVES_IN_BLOCK;
    size_t kept = source->available - from;
    source->used -= from;
    memmove(source->made.halves, source->made.halves + from, kept * sizeof(uint16_t));
    size_t room = (STATS_SOURCE_HALVES - kept) / HALVES_IN_BLOCK;
    uint64_t left = kept - source->used;
    uint64_t missing = source->wanted > left ? source->wanted - left : 1;
    size_t blocks = room;
    if (missing < room * HALVES_IN_BLOCK) {
        blocks = ((size_t)missing + HALVES_IN_BLOCK - 1) / HALVES_IN_BLOCK;
    }
    uint32_t counter[4] = {(uint32_t)source->blocks,
                           source->part << PART_SHIFT |
                               (uint32_t)(source->blocks >> 32U),
                           source->stream[0], source->stream[1]};
    random_philox_fill(source->key, counter, blocks, source->simd,
                       source->made.words + kept / 2);
    source->blocks += blocks;
    source->available = kept + blocks * HALVES_IN_BLOCK;
}

/* Draws at hand without a refill, made to be at least the lesser of `count` and what
 * fits. Sets up `batch` for them. */
static size_t prepare(struct stats_source *source, const struct stats_bound *bound,
                      size_t count, struct draw_batch *batch)
{
    size_t width = bound->wide ? 2 : 1;
    size_t fits = STATS_SOURCE_HALVES / 2 / width;
    size_t needed = count < fits ? count : fits;
    if (source->available - source->used < needed * width) {
        refill(source);
    }
    *batch = (struct draw_batch){
        .source = source,
        .bound = bound,
        .halves = source->made.halves + source->used,
        .position = source->blocks * HALVES_IN_BLOCK - source->available + source->used,
    };
    return (source->available - source->used) / width;
}

static void consume(struct stats_source *source, const struct stats_bound *bound,
                    size_t draws)
{
    size_t halves = bound->wide ? 2 * draws : draws;
    source->used += halves;
    source->wanted -= source->wanted < halves ? source->wanted : halves;
}

void stats_draw_indices(struct stats_source *source, const struct stats_bound *bound,
                        uint32_t *ret_indices, size_t count)
{
    for (size_t done = 0; done < count;) {
        struct draw_batch batch;
        size_t ready = prepare(source, bound, count - done, &batch);
        size_t now = ready < count - done ? ready : count - done;
        indices_of(&batch, 0, now, ret_indices + done);
        consume(source, bound, now);
        done += now;
    }
}

double stats_draw_uniform(struct stats_source *source)
{
    static const struct stats_bound word = {.wide = true};
    struct draw_batch batch;
    (void)prepare(source, &word, 1, &batch);
    uint32_t bits = (uint32_t)batch.halves[1] << 16U | batch.halves[0];
    consume(source, &word, 1);
    return ((double)bits + 0.5) * 0x1p-32;
}

/* One group of more draws than are at hand at once; a part is a whole number of rounds
 * over the lanes, except the last. */
static void add_long(struct stats_source *source, const struct stats_bound *bound,
                     const double *values, size_t offset, size_t draws, double *lanes)
{
    for (size_t done = 0; done < draws;) {
        struct draw_batch batch;
        size_t ready = prepare(source, bound, draws - done, &batch);
        size_t now = draws - done;
        if (now > ready) {
            now = ready - ready % STATS_LANES;
        }
        add_of(&batch, values, &offset, 1, now, lanes);
        consume(source, bound, now);
        done += now;
    }
}

void stats_draw_sums(struct stats_source *source, const struct stats_bound *bound,
                     const double *values, const size_t *offsets, size_t groups,
                     size_t draws, double *lanes)
{
    for (size_t g = 0; g < groups;) {
        struct draw_batch batch;
        size_t ready = prepare(source, bound, draws, &batch);
        size_t whole = ready / draws;
        if (whole == 0) {
            add_long(source, bound, values, offsets[g], draws, lanes);
            g++;
            continue;
        }
        whole = whole < groups - g ? whole : groups - g;
        add_of(&batch, values, offsets + g, whole, draws, lanes);
        consume(source, bound, whole * draws);
        g += whole;
    }
}

/* By halves: 16 lanes, 8, 4, 2. Written out for the compiler to see the widths. */
double stats_lanes_sum(const double *lanes)
{
    double eight[8];
    double four[4];
    for (size_t lane = 0; lane < 8; lane++) {
        eight[lane] = lanes[lane] + lanes[lane + 8];
    }
    for (size_t lane = 0; lane < 4; lane++) {
        four[lane] = eight[lane] + eight[lane + 4];
    }
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static bool has_fixed_point(const size_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i] == i) {
            return true;
        }
    }
    return false;
}

void stats_draw_derangement(struct random_stream *stream, size_t *ret_items,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ret_items[i] = i;
    }
    do {
        random_shuffle(stream, ret_items, count);
    } while (has_fixed_point(ret_items, count));
}
