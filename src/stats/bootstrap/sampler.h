/* Who is drawn: the ways to resample one group of values. A sampler says how; every
 * replicate asks it for the sum of the drawn values or for a tally of them. The same
 * (seed, stream, part) draws the same, which is how pairs stay together. */
#ifndef DUET_STATS_SAMPLER_H
#define DUET_STATS_SAMPLER_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stddef.h>
#include <stdint.h>

enum { STATS_LEVELS_MAX = 16, STATS_SAMPLER_PARTS = STATS_LEVELS_MAX };

/* A design of several levels, such as machines, runs on them, iterations in them. The
 * values stand in the order of their last level. sizes[0][0] is the number of units of
 * the first level; sizes[l] holds, for every unit of level l in order, how many units
 * of the next level (at the end: values) it has. Units of the first `fixed` levels are
 * not drawn but all kept, each with what is drawn within it: one fixed level of
 * assignments is a stratified bootstrap. All borrowed. */
struct stats_levels {
    size_t depth; /* 1..STATS_LEVELS_MAX */
    size_t fixed; /* below depth */
    const size_t *const *sizes;
};

enum stats_scheme {
    STATS_SCHEME_UNITS,    /* independent draws, on every level of the design */
    STATS_SCHEME_CIRCULAR, /* blocks of fixed length, the end followed by the beginning:
                              Politis and Romano 1992 */
    STATS_SCHEME_MOVING,   /* blocks that lie within the series: Kuensch 1989 */
    STATS_SCHEME_STATIONARY /* circular blocks of geometric lengths: Politis and Romano
                               1994 */
};

struct stats_sampler;

/* levels: NULL for values without a design; with a block scheme there is none.
 * block_length: for blocks; rounded to the nearest whole number in [1, count] except
 * for the stationary scheme, where it is the mean length. Errors: DUET_E_TOO_FEW (no
 * value, a unit without units), DUET_E_DOMAIN (sizes that do not add up to `count`,
 * depth, fixed, block length), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_sampler_new(enum stats_scheme scheme, double block_length,
                  const struct stats_levels *levels, size_t count,
                  struct stats_sampler **ret_sampler, struct duet_error *reterr);
void stats_sampler_free(struct stats_sampler *sampler);

/* Units of the first level that is drawn: what a jackknife leaves out. For blocks and
 * without a design, the values. */
size_t stats_sampler_units(const struct stats_sampler *sampler);
/* The values of such a unit: where they begin and how many they are. */
size_t stats_sampler_unit(const struct stats_sampler *sampler, size_t unit,
                          size_t *ret_count);

/* Values prepared for summing under a sampler. */
struct stats_summand {
    const double *values; /* borrowed */
    double *blocks;       /* sums of the blocks at each start, and of the last block */
    double *last;
    double *prefix_high; /* sums before each value, in two parts */
    double *prefix_low;
};
BASE_MUST_USE enum duet_code stats_summand_init(const struct stats_sampler *sampler,
                                                const double *values,
                                                struct stats_summand *ret_summand,
                                                struct duet_error *reterr);
void stats_summand_release(struct stats_summand *summand);

/* Where a replicate's random numbers come from. part: 0 or STATS_SAMPLER_PARTS. */
struct stats_draw_site {
    uint64_t seed;
    uint64_t stream;
    uint32_t part;
    enum simd_level simd;
};

/* Draws that the sum of a resample takes: values, or blocks of them. */
size_t stats_sampler_draws(const struct stats_sampler *sampler);

/* The sum of a resample; *ret_total: of how many values. */
double stats_sampler_sum(const struct stats_sampler *sampler,
                         const struct stats_draw_site *site,
                         const struct stats_summand *summand, size_t *ret_total);

/* Adds 1 to times[ranks[i]] for every drawn value i; returns how many were drawn. */
size_t stats_sampler_tally(const struct stats_sampler *sampler,
                           const struct stats_draw_site *site, const uint32_t *ranks,
                           uint32_t *times);

#endif
