/* Random draws with replacement, and sums over them, as fast as the CPU allows.
 *
 * A source is an endless series of rows of 8 random words, named by (seed, stream,
 * part). A word makes 1, 2 or 4 draws, as many as its 32 bits give without being
 * rejected often; a row makes 8 times as many, first the first draws of its 8 words,
 * then the second ones. A rejected word is replaced by others that belong to its
 * position alone. So what is drawn does not depend on how many draws are asked for at a
 * time, nor on the vector instructions used. */
#ifndef DUET_STATS_DRAW_H
#define DUET_STATS_DRAW_H

#include "base/random.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Words of a row, and rows that a source makes at a time. */
    STATS_ROW_WORDS = 8,
    STATS_SOURCE_ROWS = 64,
    /* Draws of a word and of a row, at most. */
    STATS_DIGITS_MAX = 4,
    STATS_ROW_DRAWS_MAX = STATS_ROW_WORDS * STATS_DIGITS_MAX,
    /* Parts of a stream: independent sources of one replicate. */
    STATS_SOURCE_PARTS = 64,
    /* Sums run in so many lanes: draw i goes to lane i mod STATS_LANES. */
    STATS_LANES = 16
};

struct stats_source {
    uint32_t key[2];
    uint32_t stream[2];
    uint32_t part;
    enum simd_level simd;
    uint64_t rows;   /* made so far */
    uint64_t wanted; /* rows still expected to be asked for */
    size_t used;     /* rows of `words` */
    size_t available;
    uint32_t bound; /* what `drawn` was drawn for */
    size_t taken;   /* draws of `drawn` */
    size_t held;
    uint32_t drawn[STATS_ROW_DRAWS_MAX]; /* a row that was not asked for whole */
    alignas(64) uint32_t words[STATS_SOURCE_ROWS * STATS_ROW_WORDS];
};

/* A number of things to draw from, and how a word becomes `digits` of them. With
 * values = bound ^ digits, floor(word * values / 2^32) is uniform on {0, ..., values -
 * 1} when words are rejected whose product's low half is below 2^32 mod values (Lemire
 * 2019); the draws are its digits to the base `bound`, the highest first, found one by
 * one without a division (Brackett-Rozinsky and Lemire 2024). */
struct stats_bound {
    uint32_t bound;
    uint32_t digits; /* draws of a word: 1, 2 or 4 */
    uint32_t threshold;
};

/* bound >= 1. More than one draw a word when at most 1 word in 128 is rejected. */
struct stats_bound stats_bound_of(uint32_t bound);

/* Rows that `count` draws take. */
uint64_t stats_bound_rows(const struct stats_bound *bound, uint64_t count);

/* The draws of one word, `bound->digits` of them; false, and nothing to be used, where
 * it is rejected. */
bool stats_bound_digits(const struct stats_bound *bound, uint32_t word,
                        uint32_t *ret_digits);

/* part < STATS_SOURCE_PARTS. wanted: rows that will be asked for in all, as a hint of
 * how many to make ahead. */
void stats_source_init(struct stats_source *source, uint64_t seed, uint64_t stream,
                       uint32_t part, uint64_t wanted, enum simd_level simd);

/* The next `count` draws. They go on in the row that the last call with this bound has
 * left; another bound begins a row. */
void stats_draw_indices(struct stats_source *source, const struct stats_bound *bound,
                        uint32_t *ret_indices, size_t count);

/* Adds `draws` drawn values for each of `groups` groups of bound->bound values, each
 * beginning at values + offsets[g], to lanes[0..STATS_LANES): draw i of all the groups'
 * goes to lane i mod STATS_LANES. Begins a row and gives up the rest of the last one.
 * offsets[g] + bound->bound < 2^32. */
void stats_draw_sums(struct stats_source *source, const struct stats_bound *bound,
                     const double *values, const size_t *offsets, size_t groups,
                     size_t draws, double *lanes);

/* The sum of the lanes, in a fixed order. */
double stats_lanes_sum(const double *lanes);

/* A uniformly random derangement: a permutation of 0..count-1 that leaves no item in
 * its place. count >= 2 and below 2^32. By rejection, on average e tries. */
void stats_draw_derangement(struct random_stream *stream, size_t *ret_items,
                            size_t count);

#endif
