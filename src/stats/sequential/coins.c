#include "stats/sequential/coins.h"

#include "base/alloc.h"
#include "stats/sequential/block_spread.h"

#include <math.h>
#include <stdlib.h>

enum { ASSIGNMENTS = 2, NEAR = 4 };

/* The last values of something. */
struct near_values {
    double values[NEAR];
    size_t added;
};

struct stats_coins {
    struct stats_block_spread *spread;
    struct near_values log_ratios[ASSIGNMENTS]; /* by the position of old */
    struct near_values halves; /* of blocks: what their runs disagree by */
    size_t count;
};

enum duet_code stats_coins_new(struct stats_coins **ret_coins,
                               struct duet_error *reterr)
{
    struct stats_coins *coins = alloc_array(1, sizeof *coins);
    if (coins == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the coins of runs");
    }
    *coins = (struct stats_coins){0};
    enum duet_code code = stats_block_spread_new(&coins->spread, reterr);
    if (code != DUET_OK) {
        stats_coins_free(coins);
        return code;
    }
    *ret_coins = coins;
    return DUET_OK;
}

void stats_coins_free(struct stats_coins *coins)
{
    if (coins != NULL) {
        stats_block_spread_free(coins->spread);
        free(coins);
    }
}

void stats_coins_reset(struct stats_coins *coins)
{
    struct stats_block_spread *spread = coins->spread;
    stats_block_spread_reset(spread);
    *coins = (struct stats_coins){.spread = spread};
}

static void near_add(struct near_values *near, double value)
{
    near->values[near->added % NEAR] = value;
    near->added++;
}

static size_t near_count(const struct near_values *near)
{
    return near->added < NEAR ? near->added : NEAR;
}

/* At least one. Half the sum of the two in the middle turns with all signs bit by bit.
 */
static double near_median(const struct near_values *near)
{
    double sorted[NEAR] = {0};
    size_t count = near_count(near);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > near->values[i]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = near->values[i];
    }
    return 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
}

/* What the coins so far say of the positions. */
struct guess {
    double difference;     /* d */
    double variance_ratio; /* q: of d's variance to that of a run */
};

static struct guess guess_of(const struct stats_coins *coins)
{
    const struct near_values *logs = coins->log_ratios;
    if (logs[0].added == 0 || logs[1].added == 0) {
        return (struct guess){0.0, 1.0};
    }
    return (struct guess){0.5 * (near_median(&logs[0]) - near_median(&logs[1])),
                          0.25 * (1.0 / (double)near_count(&logs[0]) +
                                  1.0 / (double)near_count(&logs[1]))};
}

/* What the coin's runs disagree by, or would if there were two. */
static double half_of(struct stats_coins *coins, const struct stats_coin *coin,
                      const struct guess *guess)
{
    if (coin->count == 1) {
        return coins->halves.added > 0 ? near_median(&coins->halves) : 0.0;
    }
    double half = 0.5 * (coin->runs[0].log_ratio - coin->runs[1].log_ratio);
    double of_positions = coin->old_position == 0 ? half : -half;
    half = fabs(of_positions - guess->difference) /
           sqrt(1.0 + 2.0 * guess->variance_ratio);
    near_add(&coins->halves, half);
    return half;
}

/* As widely as a block of two such runs spreads. */
static enum duet_code spread_of(struct stats_coins *coins,
                                const struct stats_coin *coin, double half,
                                double *ret_spread, struct duet_error *reterr)
{
    struct stats_block_facts facts = {{coin->runs[0], coin->runs[coin->count - 1]}};
    facts.runs[0].log_ratio = half;
    facts.runs[1].log_ratio = -half;
    return stats_block_spread_add(coins->spread, &facts, ret_spread, reterr);
}

static void remember(struct stats_coins *coins, const struct stats_coin *coin)
{
    for (size_t run = 0; run < coin->count; run++) {
        size_t assignment = (coin->old_position + run) % ASSIGNMENTS;
        near_add(&coins->log_ratios[assignment], coin->runs[run].log_ratio);
    }
    coins->count++;
}

/* The first coin: nothing tells its spread from the positions' difference, and its bet
 * does not ask; the second one's serves for both. */
static enum duet_code add_first(struct stats_coins *coins, double log_ratio,
                                const struct stats_coin *coin,
                                struct stats_betting *betting,
                                struct duet_error *reterr)
{
    enum duet_code code = stats_betting_add(betting, log_ratio, 1.0, reterr);
    remember(coins, coin);
    return code;
}

enum duet_code stats_coins_add(struct stats_coins *coins, const struct stats_coin *coin,
                               struct stats_betting *betting, struct duet_error *reterr)
{
    struct guess guess = guess_of(coins);
    double log_ratio =
        0.5 * (coin->runs[0].log_ratio + coin->runs[coin->count - 1].log_ratio);
    double factor = 1.0;
    if (coin->count == 1) {
        double towards = coin->old_position == 0 ? 1.0 : -1.0;
        log_ratio = coin->runs[0].log_ratio - towards * guess.difference;
        factor = sqrt(2.0 * (1.0 + guess.variance_ratio));
    }
    if (coins->count == 0) {
        return add_first(coins, log_ratio, coin, betting, reterr);
    }
    double spread = 0.0;
    enum duet_code code =
        spread_of(coins, coin, half_of(coins, coin, &guess), &spread, reterr);
    if (code == DUET_OK && coins->count == 1) {
        stats_betting_set_spread(betting, 0, spread);
    }
    if (code == DUET_OK) {
        code = stats_betting_add(betting, log_ratio, factor * spread, reterr);
    }
    remember(coins, coin);
    return code;
}
