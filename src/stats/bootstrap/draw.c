#include "stats/bootstrap/draw.h"

#include "stats/bootstrap/drawkernel.h"
#include "stats/bootstrap/drawword.h"

#include <string.h>

/* A sum on its way through its groups. */
struct draw_sum {
    const double *values;
    const size_t *offsets; /* of the group that is drawn from next */
    size_t draws;          /* of a group */
    size_t left;           /* draws of the group begun */
    size_t begun;          /* its offset */
    uint64_t total;        /* draws left in all */
    double *lanes;
    size_t lane; /* of the next draw: 0 or 8 */
};

static size_t row_draws(const struct stats_bound *bound)
{
    return (size_t)STATS_ROW_WORDS * bound->digits;
}

uint64_t stats_bound_rows(const struct stats_bound *bound, uint64_t count)
{
    return (count + row_draws(bound) - 1) / row_draws(bound);
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
    source->rows = 0;
    source->wanted = wanted;
    source->used = 0;
    source->available = 0;
    source->bound = 0;
    source->taken = 0;
    source->held = 0;
}

static inline __attribute__((always_inline)) void
rows_portable(const struct draw_batch *batch, size_t rows, uint32_t digits,
              uint32_t *ret_indices)
{
    const struct stats_bound bound = *batch->bound;
    for (size_t row = 0; row < rows; row++) {
        for (size_t word = 0; word < STATS_ROW_WORDS; word++) {
            size_t at = row * STATS_ROW_WORDS + word;
            uint32_t drawn[STATS_DIGITS_MAX];
            if (__builtin_expect(!draw_digits(&bound, digits, batch->words[at], drawn),
                                 0)) {
                draw_again(batch->source, &bound, batch->position + at, drawn);
            }
#pragma GCC unroll 4
            for (uint32_t digit = 0; digit < digits; digit++) {
                ret_indices[digit * (size_t)STATS_ROW_WORDS + word] = drawn[digit];
            }
        }
        ret_indices += digits * (size_t)STATS_ROW_WORDS;
    }
}

static void rows_scalar(const struct draw_batch *batch, size_t rows,
                        uint32_t *ret_indices)
{
    if (batch->bound->digits == 4) {
        rows_portable(batch, rows, 4, ret_indices);
    } else if (batch->bound->digits == 2) {
        rows_portable(batch, rows, 2, ret_indices);
    } else {
        rows_portable(batch, rows, 1, ret_indices);
    }
}

static void rows_of(const struct draw_batch *batch, size_t rows, uint32_t *ret_indices)
{
#if SIMD_X86
    if (batch->source->simd == SIMD_AVX2) {
        draw_rows_avx2(batch, rows, ret_indices);
        return;
    }
#endif
    rows_scalar(batch, rows, ret_indices);
}

/* Makes indices into a group indices into the values. */
static void move_to_groups(struct draw_sum *sum, uint32_t *drawn, size_t count)
{
    while (count > 0) {
        if (sum->left == 0) {
            sum->begun = *sum->offsets++;
            sum->left = sum->draws;
        }
        size_t now = sum->left < count ? sum->left : count;
        uint32_t offset = (uint32_t)sum->begun;
        for (size_t i = 0; i < now; i++) {
            drawn[i] += offset;
        }
        sum->left -= now;
        drawn += now;
        count -= now;
    }
}

/* Loads and additions of single numbers: gather instructions take longer. */
static void add_found(struct draw_sum *sum, const uint32_t *drawn, size_t draws)
{
    const double *values = sum->values;
    double lanes[STATS_LANES];
    size_t i = 0;
    memcpy(lanes, sum->lanes, sizeof lanes);
    if (sum->lane != 0) {
        for (; sum->lane < STATS_LANES && i < draws; i++) {
            lanes[sum->lane++] += values[drawn[i]];
        }
        sum->lane %= STATS_LANES;
    }
    for (; i + STATS_LANES <= draws; i += STATS_LANES) {
#pragma GCC unroll 16
        for (size_t lane = 0; lane < STATS_LANES; lane++) {
            lanes[lane] += values[drawn[i + lane]];
        }
    }
    for (; i < draws; i++) {
        lanes[sum->lane++] += values[drawn[i]];
    }
    memcpy(sum->lanes, lanes, sizeof lanes);
}

static void add_rows(const struct draw_batch *batch, size_t rows, struct draw_sum *sum)
{
    enum { ROWS_AT_ONCE = 16 };
    uint32_t drawn[ROWS_AT_ONCE * STATS_ROW_DRAWS_MAX];
    struct draw_batch part = *batch;
    while (rows > 0) {
        size_t now = rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE;
        size_t draws = now * row_draws(batch->bound);
        draws = draws < sum->total ? draws : (size_t)sum->total;
        rows_of(&part, now, drawn);
        move_to_groups(sum, drawn, draws);
        add_found(sum, drawn, draws);
        sum->total -= draws;
        part.words += now * STATS_ROW_WORDS;
        part.position += now * STATS_ROW_WORDS;
        rows -= now;
    }
}

static void refill(struct stats_source *source)
{
    size_t rows = source->wanted < STATS_SOURCE_ROWS ? (size_t)source->wanted
                                                     : (size_t)STATS_SOURCE_ROWS;
    rows = rows > 0 ? rows : 1;
    uint32_t counter[4];
    draw_counter(source, source->rows, counter);
    random_philox_fill(source->key, counter, rows * DRAW_ROW_BLOCKS, source->simd,
                       source->words);
    source->rows += rows;
    source->used = 0;
    source->available = rows;
}

/* At most `wanted` rows that are used up with this; at least one. */
static size_t take_rows(struct stats_source *source, const struct stats_bound *bound,
                        uint64_t wanted, struct draw_batch *ret_batch)
{
    if (source->used == source->available) {
        refill(source);
    }
    size_t ready = source->available - source->used;
    size_t rows = wanted < ready ? (size_t)wanted : ready;
    *ret_batch = (struct draw_batch){
        .source = source,
        .bound = bound,
        .words = source->words + source->used * STATS_ROW_WORDS,
        .position = (source->rows - ready) * STATS_ROW_WORDS,
    };
    source->used += rows;
    source->wanted -= source->wanted < rows ? source->wanted : rows;
    return rows;
}

void stats_draw_indices(struct stats_source *source, const struct stats_bound *bound,
                        uint32_t *ret_indices, size_t count)
{
    struct draw_batch batch;
    size_t whole = row_draws(bound);
    if (source->bound != bound->bound) {
        source->bound = bound->bound;
        source->taken = source->held;
    }
    while (count > 0) {
        size_t held = source->held - source->taken;
        if (held == 0 && count >= whole) {
            size_t rows = take_rows(source, bound, count / whole, &batch);
            rows_of(&batch, rows, ret_indices);
            ret_indices += rows * whole;
            count -= rows * whole;
            continue;
        }
        if (held == 0) {
            (void)take_rows(source, bound, 1, &batch);
            rows_of(&batch, 1, source->drawn);
            source->held = whole;
            source->taken = 0;
            held = whole;
        }
        size_t now = held < count ? held : count;
        memcpy(ret_indices, source->drawn + source->taken, now * sizeof *ret_indices);
        source->taken += now;
        ret_indices += now;
        count -= now;
    }
}

void stats_draw_sums(struct stats_source *source, const struct stats_bound *bound,
                     const double *values, const size_t *offsets, size_t groups,
                     size_t draws, double *lanes)
{
    struct draw_sum sum = {
        .values = values,
        .offsets = offsets,
        .draws = draws,
        .total = (uint64_t)groups * draws,
        .lanes = lanes,
    };
    source->taken = source->held;
    while (sum.total > 0) {
        struct draw_batch batch;
        size_t rows =
            take_rows(source, bound, stats_bound_rows(bound, sum.total), &batch);
        add_rows(&batch, rows, &sum);
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
