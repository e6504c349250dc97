#include "analysis/runs/blocks.h"

#include "analysis/runs/location.h"
#include "analysis/runs/losses.h"
#include "analysis/runs/run_collector.h"
#include "analysis/runs/used_runs.h"

#include <string.h>

static enum duet_code collect(const struct model_run_values *runs, size_t count,
                              struct analysis_run_collector *collector,
                              struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t r = 0; r < count && code == DUET_OK; r++) {
        struct model_run_values copy = {0};
        code = analysis_run_copy(&runs[r], &copy, reterr);
        if (code == DUET_OK) {
            code = analysis_run_collector_add(collector, &copy, reterr);
        }
        model_run_values_release(&copy);
    }
    return code;
}

static enum duet_code spreads_of(const struct analysis_used_runs *used,
                                 double *ret_spreads, struct duet_error *reterr)
{
    struct stats_block_spread *spread = NULL;
    enum duet_code code = stats_block_spread_new(&spread, reterr);
    for (size_t i = 0; i < used->block_count && code == DUET_OK; i++) {
        code = stats_block_spread_add(spread, &used->block_facts[i], &ret_spreads[i],
                                      reterr);
    }
    stats_block_spread_free(spread);
    return code;
}

enum duet_code analysis_block_logs(const struct model_analysis *options,
                                   const struct model_run_values *runs, size_t count,
                                   double *ret_logs, double *ret_spreads,
                                   size_t *ret_blocks, struct duet_error *reterr)
{
    struct analysis_run_collector collector = {
        .needs = {.paired = true,
                  .losses = options->losses == MODEL_LOST_WHERE_KNOWN,
                  .keep = ANALYSIS_KEEP_NONE,
                  .location = analysis_location(options->estimator),
                  .winsorize = options->winsorize},
        .cleaning = options->cleaning};
    struct analysis_run_summaries summaries = {0};
    struct analysis_used_runs used = {0};
    enum duet_code code = collect(runs, count, &collector, reterr);
    if (code == DUET_OK) {
        code = analysis_run_collector_summaries(&collector, &summaries, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_used_runs_init(summaries.summaries, summaries.count,
                                       analysis_losses_reading(analysis_losses_choose(
                                           summaries.summaries, summaries.count)),
                                       options->coin, 0, true, options->seed, 0, &used,
                                       reterr);
    }
    if (code == DUET_OK) {
        code = spreads_of(&used, ret_spreads, reterr);
    }
    if (code == DUET_OK) {
        memcpy(ret_logs, used.block_logs, used.block_count * sizeof *ret_logs);
        *ret_blocks = used.block_count;
    }
    analysis_used_runs_release(&used);
    analysis_run_summaries_release(&summaries);
    analysis_run_collector_release(&collector);
    return code;
}
