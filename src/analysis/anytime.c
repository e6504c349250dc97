#include "analysis/anytime.h"

#include "stats/sequential/block_spread.h"
#include "stats/sequential/coins.h"

#include <math.h>

bool analysis_coin_alone(size_t runs)
{
    return runs >= STATS_COINS_FROM && runs < STATS_COINS_BELOW;
}

/* How things stand after coin i. looks NULL: nobody asks. */
static void take_look(const struct analysis_used_runs *used, size_t i,
                      const struct stats_betting *betting,
                      struct model_trace_look *looks)
{
    const struct stats_coin *coin = &used->coins[i];
    const double log_most = log(MODEL_TRACE_EVIDENCE_MOST);
    double evidence[2];
    double sum = 0.0;
    if (looks == NULL) {
        return;
    }
    for (size_t run = 0; run < coin->count; run++) {
        sum += coin->runs[run].log_ratio;
    }
    stats_betting_log_evidence(betting, evidence);
    looks[i] = (struct model_trace_look){.ratio = exp(sum / (double)coin->count),
                                         .runs = (unsigned)coin->count,
                                         .slower = exp(fmin(evidence[0], log_most)),
                                         .faster = exp(fmin(evidence[1], log_most))};
}

/* Where every coin was tossed for a block. */
static enum duet_code bet_on_blocks(const struct analysis_used_runs *used,
                                    struct stats_betting *betting,
                                    struct model_trace_look *looks,
                                    struct duet_error *reterr)
{
    struct stats_block_spread *spread = NULL;
    enum duet_code code = stats_block_spread_new(&spread, reterr);
    for (size_t i = 0; i < used->coin_count && code == DUET_OK; i++) {
        const struct stats_run_facts *runs = used->coins[i].runs;
        const struct stats_block_facts facts = {{runs[0], runs[1]}};
        double of_block = 0.0;
        code = stats_block_spread_add(spread, &facts, &of_block, reterr);
        if (code == DUET_OK) {
            code = stats_betting_add(betting,
                                     0.5 * (runs[0].log_ratio + runs[1].log_ratio),
                                     of_block, reterr);
        }
        if (code == DUET_OK) {
            take_look(used, i, betting, looks);
        }
    }
    stats_block_spread_free(spread);
    return code;
}

static enum duet_code bet_on_coins(const struct analysis_used_runs *used,
                                   struct stats_betting *betting,
                                   struct model_trace_look *looks,
                                   struct duet_error *reterr)
{
    struct stats_coins *coins = NULL;
    enum duet_code code = stats_coins_new(&coins, reterr);
    for (size_t i = 0; i < used->coin_count && code == DUET_OK; i++) {
        code = stats_coins_add(coins, &used->coins[i], betting, reterr);
        if (code == DUET_OK) {
            take_look(used, i, betting, looks);
        }
    }
    stats_coins_free(coins);
    return code;
}

/* Makes the bets; looks may be NULL. */
static enum duet_code bet(const struct analysis_used_runs *used, double confidence,
                          struct stats_betting **ret_betting,
                          struct model_trace_look *looks, struct duet_error *reterr)
{
    enum duet_code code = stats_betting_new(1.0 - confidence, ret_betting, reterr);
    if (code != DUET_OK) {
        return code;
    }
    return used->coin == MODEL_COIN_RUN
               ? bet_on_coins(used, *ret_betting, looks, reterr)
               : bet_on_blocks(used, *ret_betting, looks, reterr);
}

enum duet_code analysis_anytime_looks(const struct analysis_used_runs *used,
                                      double confidence,
                                      struct model_trace_look *ret_looks,
                                      struct duet_error *reterr)
{
    struct stats_betting *betting = NULL;
    enum duet_code code = bet(used, confidence, &betting, ret_looks, reterr);
    stats_betting_free(betting);
    return code;
}

struct analysis_anytime analysis_anytime_of(const struct stats_betting *betting)
{
    struct analysis_anytime look = {.center = stats_betting_center(betting),
                                    .p_value = stats_betting_p_value(betting)};
    stats_betting_interval(betting, &look.ends, &look.conflict);
    stats_betting_interval_now(betting, &look.now);
    return look;
}

struct stats_interval analysis_anytime_interval(const struct analysis_anytime *look)
{
    return (struct stats_interval){
        look->center < look->ends.low ? fmin(look->ends.low, look->now.low)
                                      : look->ends.low,
        look->center > look->ends.high ? fmax(look->ends.high, look->now.high)
                                       : look->ends.high};
}

enum duet_code analysis_anytime_look(const struct analysis_used_runs *used,
                                     double confidence,
                                     struct analysis_anytime *ret_look,
                                     struct duet_error *reterr)
{
    struct stats_betting *betting = NULL;
    enum duet_code code = bet(used, confidence, &betting, NULL, reterr);
    if (code == DUET_OK) {
        *ret_look = analysis_anytime_of(betting);
    }
    stats_betting_free(betting);
    return code;
}
