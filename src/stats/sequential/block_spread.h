/* How widely a block's log ratio spreads, told by what does not know of the labels.
 *
 * On a shared machine some blocks are measured in calm and some while a neighbour
 * works; a bet must not give both the same weight (stats/sequential/betting.h). Two
 * things tell them apart: how much the iterations of a run disagree, and how much the
 * two runs of the block disagree. Neither changes when the labels of both runs are
 * swapped, at any constant ratio: the ratios change their sign about it, which leaves
 * distances alone. So given them, and everything before, the block's log ratio is as
 * symmetric about the true one as without them, and what is bet may depend on them. How
 * slow the block was would tell, too, but not without the labels where one side is the
 * noisier one: there a slow block is one in which that side was slow.
 *
 * With v the root of (the mean square of the runs' spreads, plus the square of half the
 * runs' difference), the block's spread is the root mean square of v and of the median
 * of all v so far. Only proportions matter. docs/decisions/0016-block-spread.md has the
 * measurements. */
#ifndef DUET_STATS_BLOCK_SPREAD_H
#define DUET_STATS_BLOCK_SPREAD_H

#include "stats/sequential/run_facts.h"

struct stats_block_facts {
    struct stats_run_facts runs[2];
};

/* The blocks so far. */
struct stats_block_spread;

/* *ret_spread: no block yet; to be released with stats_block_spread_free(). Errors:
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_block_spread_new(struct stats_block_spread **ret_spread,
                       struct duet_error *reterr);
void stats_block_spread_free(struct stats_block_spread *spread);

/* Forgets all blocks, keeps the storage. */
void stats_block_spread_reset(struct stats_block_spread *spread);

/* The next block's spread: positive and finite, a function of this block and of those
 * before it. On failure the object is as before. O(blocks) up to 256 blocks, then as
 * stats_betting_add(). Errors: DUET_E_DOMAIN (a fact is not finite, other than a spread
 * that is NaN), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_block_spread_add(struct stats_block_spread *spread,
                       const struct stats_block_facts *facts, double *ret_block_spread,
                       struct duet_error *reterr);

#endif
