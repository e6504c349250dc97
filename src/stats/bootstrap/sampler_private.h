/* Inside the samplers: what the two kinds, designs and blocks, share. */
#ifndef DUET_STATS_SAMPLER_PRIVATE_H
#define DUET_STATS_SAMPLER_PRIVATE_H

#include "stats/bootstrap/draw.h"
#include "stats/bootstrap/sampler.h"

/* Units that are kept at a time when a design is visited level by level. */
enum { SAMPLER_UNITS_AT_ONCE = 256 };

struct stats_sampler {
    enum stats_scheme scheme;
    size_t count;
    /* Designs: of every unit of a level, its first child and how many it has. */
    size_t depth;
    size_t fixed;
    size_t *starts[STATS_LEVELS_MAX];
    size_t *sizes[STATS_LEVELS_MAX];
    size_t children[STATS_LEVELS_MAX]; /* of all units of the level together */
    struct stats_bound bounds[STATS_LEVELS_MAX]; /* of the first unit of the level */
    bool even[STATS_LEVELS_MAX];                 /* all its units are of one size */
    bool visits_even; /* all levels but the last are, with few units */
    /* Blocks. */
    size_t block_length; /* circular and moving */
    size_t blocks;       /* of a resample, the last one cut to `last_length` */
    size_t last_length;
    size_t block_starts; /* places where a block may begin */
    /* Stationary: a block is longer than k + 1 values when 32 random bits are below
     * longer_than[k]; descending. */
    uint32_t *longer_than;
    size_t lengths;
};

BASE_MUST_USE enum duet_code sampler_take_blocks(struct stats_sampler *sampler,
                                                 double block_length,
                                                 struct duet_error *reterr);
double sampler_sum_blocks(const struct stats_sampler *sampler,
                          const struct stats_draw_site *site,
                          const struct stats_summand *summand);
void sampler_tally_blocks(const struct stats_sampler *sampler,
                          const struct stats_draw_site *site, const uint32_t *ranks,
                          uint32_t *times);

#endif
