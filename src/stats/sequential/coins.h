/* Bets of a comparison in which some coins were tossed for a single run.
 *
 * In a block of two runs the sides swap positions, so that the positions' own
 * difference cancels; but the block has one coin, and a coin less than doubles a
 * gambler's money (stats/sequential/betting.h). A run with a coin of its own has as
 * much to win as a block. Its log ratio still holds the positions' difference, with the
 * sign of the coin, so that it is corrected by what the runs before it say of
 * that difference.
 *
 * Why that is valid. Let D be how much longer position 1 took in the run (a logarithm),
 * s = 1 where new was there and -1 where old was. Then L = theta + s D, and with d
 * fixed by earlier runs L - theta - s d = s (D - d). The coin s is fair whatever D, d
 * and everything before were, so that this is symmetric about 0, as the bets need. It
 * is also where one side brings noise e of its own that is symmetric: s (D - d) + e.
 * How well d was guessed decides what the run is worth and never whether it is fair.
 *
 * d is half the difference between the medians of the last four log ratios of either
 * assignment: any constant change cancels in it, so that it does not know of theta, and
 * it follows positions that drift. A single run's spread is that of half a block:
 * sqrt(2 (1 + q)) times as wide, q = (1 / n0 + 1 / n1) / 4 being the share of d's
 * error. What the runs of a block disagree by (stats/sequential/block_spread.h) is
 * corrected for d as well; that of a single run is taken to be the median of the last
 * four blocks'.
 *
 * docs/decisions/0026-coin-per-run.md has the measurements. */
#ifndef DUET_STATS_COINS_H
#define DUET_STATS_COINS_H

#include "base/error.h"
#include "stats/sequential/betting.h"
#include "stats/sequential/run_facts.h"

#include <stddef.h>

/* Which runs have a coin of their own where the data decide when to stop: counted from
 * 0 among those that the answer takes, the ones in [STATS_COINS_FROM,
 * STATS_COINS_BELOW). Those of a schedule that was only tried do not count. Two blocks
 * tell what the positions differ by; from 16 runs on there is nothing to gain, as a
 * block says as much as two runs and is free of positions that drift. */
enum { STATS_COINS_FROM = 4, STATS_COINS_BELOW = 16 };

/* What one coin decided. */
struct stats_coin {
    struct stats_run_facts
        runs[2];           /* the second one swapped the first one's positions */
    size_t count;          /* of runs: 1 or 2 */
    unsigned old_position; /* 0 or 1, of the old side in runs[0] */
};

struct stats_coins;

/* *ret_coins: none yet; to be released with stats_coins_free(). Errors: DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code stats_coins_new(struct stats_coins **ret_coins,
                                             struct duet_error *reterr);
void stats_coins_free(struct stats_coins *coins);

/* Forgets all coins, keeps the storage. */
void stats_coins_reset(struct stats_coins *coins);

/* The next coin, in the order of the measurement, as a block of `betting`, which has
 * those before it and nothing else. Errors: those of stats_block_spread_add() and
 * stats_betting_add(); then neither may be used further but to reset or free it. */
BASE_MUST_USE enum duet_code stats_coins_add(struct stats_coins *coins,
                                             const struct stats_coin *coin,
                                             struct stats_betting *betting,
                                             struct duet_error *reterr);

#endif
