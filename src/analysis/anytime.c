#include "analysis/anytime.h"

#include "stats/sequential/betting.h"
#include "stats/sequential/block_spread.h"

enum duet_code analysis_anytime_look(const struct analysis_selection *selection,
                                     double confidence,
                                     struct analysis_anytime *ret_look,
                                     struct duet_error *reterr)
{
    struct stats_betting *betting = NULL;
    struct stats_block_spread *spread = NULL;
    enum duet_code code = stats_betting_new(1.0 - confidence, &betting, reterr);
    if (code == DUET_OK) {
        code = stats_block_spread_new(&spread, reterr);
    }
    for (size_t i = 0; i < selection->block_count && code == DUET_OK; i++) {
        double of_block = 0.0;
        code = stats_block_spread_add(spread, &selection->block_facts[i], &of_block,
                                      reterr);
        if (code == DUET_OK) {
            code =
                stats_betting_add(betting, selection->block_logs[i], of_block, reterr);
        }
    }
    if (code == DUET_OK) {
        stats_betting_interval(betting, &ret_look->ends, &ret_look->conflict);
        stats_betting_interval_now(betting, &ret_look->now);
        ret_look->center = stats_betting_center(betting);
        ret_look->p_value = stats_betting_p_value(betting);
    }
    stats_block_spread_free(spread);
    stats_betting_free(betting);
    return code;
}
