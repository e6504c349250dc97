/* Random draws with replacement, and sums over them, as fast as the CPU allows.
 *
 * A source is an endless row of random half-words (16 bits), named by (seed, stream,
 * part). A draw takes the next one of them, or the next two where 16 bits would be
 * rejected too often; a rejected draw is replaced from words that belong to its
 * position alone. So what is drawn at a position does not depend on how many draws are
 * asked for at a time, nor on the vector instructions used. */
#ifndef DUET_STATS_DRAW_H
#define DUET_STATS_DRAW_H

#include "base/random.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Half-words that a source makes at a time, and what a vector may read behind. */
    STATS_SOURCE_HALVES = 2048,
    STATS_SOURCE_BEHIND = 32,
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
    uint64_t blocks;  /* made so far, 8 half-words each */
    uint64_t wanted;  /* half-words still expected to be asked for */
    size_t used;      /* half-words of `made` */
    size_t available; /* half-words in `made` */
    /* The generator makes words; each goes out as two half-words, the low one first on
     * every machine this runs on. */
    alignas(64) union {
        uint32_t words[(STATS_SOURCE_HALVES + STATS_SOURCE_BEHIND) / 2];
        uint16_t halves[STATS_SOURCE_HALVES + STATS_SOURCE_BEHIND];
    } made;
};

/* A number of things to draw from, and how a half-word or word becomes one of them,
 * exactly uniformly (Lemire 2019). */
struct stats_bound {
    uint32_t bound;
    uint32_t threshold; /* a product whose low part is less is rejected */
    bool wide;          /* a draw takes 32 bits */
};

/* bound >= 1. 16 bits are enough when they reject at most 1 draw in 256. */
struct stats_bound stats_bound_of(uint32_t bound);

/* Half-words that `count` draws take. */
uint64_t stats_bound_halves(const struct stats_bound *bound, uint64_t count);

/* part < STATS_SOURCE_PARTS. wanted: half-words that will be asked for in all, as a
 * hint of how many to make ahead. */
void stats_source_init(struct stats_source *source, uint64_t seed, uint64_t stream,
                       uint32_t part, uint64_t wanted, enum simd_level simd);

/* The next `count` draws. */
void stats_draw_indices(struct stats_source *source, const struct stats_bound *bound,
                        uint32_t *ret_indices, size_t count);

/* Uniform on the open interval (0, 1), 32 bits. */
double stats_draw_uniform(struct stats_source *source);

/* Adds `draws` drawn values to lanes[0..STATS_LANES), for each of `groups` groups of
 * bound->bound values: the group's begin at values + offsets[g]. The lanes start anew
 * with every group: its draw i goes to lane i mod STATS_LANES. */
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
