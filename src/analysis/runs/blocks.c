#include "analysis/runs/blocks.h"

#include "analysis/runs/gathering.h"
#include "analysis/runs/location.h"
#include "analysis/runs/losses.h"
#include "analysis/runs/selection.h"

#include <string.h>

static enum duet_code gather(const struct model_run_values *runs, size_t count,
                             struct analysis_gathering *gathering,
                             struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < count && code == DUET_OK; r++) {
        struct model_run_values copy = {0};
        code = analysis_run_copy(&runs[r], &copy, reterr);
        if (code == DUET_OK) {
            code = analysis_gathering_add(gathering, &copy, reterr);
        }
        model_run_values_release(&copy);
    }
    return code;
}

static enum duet_code spreads_of(const struct analysis_selection *selection,
                                 double *ret_spreads, struct duet_error *reterr)
{
    struct stats_block_spread *spread = NULL;
    enum duet_code code = stats_block_spread_new(&spread, reterr);
    for (size_t i = 0; i < selection->block_count && code == DUET_OK; i++) {
        code = stats_block_spread_add(spread, &selection->block_facts[i],
                                      &ret_spreads[i], reterr);
    }
    stats_block_spread_free(spread);
    return code;
}

enum duet_code analysis_block_logs(const struct model_analysis *options,
                                   const struct model_run_values *runs, size_t count,
                                   double *ret_logs, double *ret_spreads,
                                   size_t *ret_blocks, struct duet_error *reterr)
{
    struct analysis_gathering gathering = {
        .needs = {.paired = true,
                  .losses = options->losses == MODEL_LOST_WHERE_KNOWN,
                  .keep = ANALYSIS_KEEP_NONE,
                  .location = analysis_location(options->estimator),
                  .winsorize = options->winsorize},
        .cleaning = options->cleaning};
    struct analysis_digests digests = {0};
    struct analysis_selection selection = {0};
    enum duet_code code = gather(runs, count, &gathering, reterr);
    if (code == DUET_OK) {
        code = analysis_gathering_digests(&gathering, &digests, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_selection_init(digests.digests, digests.count,
                                       analysis_losses_reading(analysis_losses_choose(
                                           digests.digests, digests.count)),
                                       options->coin, 0, true, options->seed, 0,
                                       &selection, reterr);
    }
    if (code == DUET_OK) {
        code = spreads_of(&selection, ret_spreads, reterr);
    }
    if (code == DUET_OK) {
        memcpy(ret_logs, selection.block_logs,
               selection.block_count * sizeof *ret_logs);
        *ret_blocks = selection.block_count;
    }
    analysis_selection_release(&selection);
    analysis_digests_release(&digests);
    analysis_gathering_release(&gathering);
    return code;
}
