/* The block log ratios of paired runs that are all at hand. */
#ifndef DUET_ANALYSIS_BLOCKS_H
#define DUET_ANALYSIS_BLOCKS_H

#include "analysis/options.h"
#include "model/experiment.h"

/* Of the first `count` of `runs` (borrowed, left as they are). ret_logs and
 * ret_spreads (stats_block_spread_add()): room for count / 2 numbers each; *ret_blocks:
 * whole blocks, in order. Errors: those of analysis_add_run(). */
BASE_MUST_USE enum duet_code
analysis_block_logs(const struct model_analysis *options,
                    const struct model_run_values *runs, size_t count, double *ret_logs,
                    double *ret_spreads, size_t *ret_blocks, struct duet_error *reterr);

#endif
