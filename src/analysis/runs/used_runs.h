/* Which runs an answer rests on, in which order, and which of them make whole blocks.
 */
#ifndef DUET_ANALYSIS_USED_RUNS_H
#define DUET_ANALYSIS_USED_RUNS_H

#include "analysis/runs/run_summary.h"
#include "model/analysis.h"
#include "stats/sequential/block_spread.h"
#include "stats/sequential/coins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two runs have a block's number, and it is whole, or one has it. With MODEL_COIN_RUN
 * runs alone are put together two by two, each with one that had the other assignment,
 * the nearest first: everything but the bets takes such a pair for a whole block. */
struct analysis_used_runs {
    enum analysis_reading reading; /* whose facts the log ratios are */
    enum model_coin coin;
    /* By run index; with MODEL_COIN_RUN whole blocks first, the runs of each next to
     * each other. The summaries are borrowed. */
    const struct analysis_run_summary **runs;
    uint64_t *blocks; /* a number for each whole block, as `runs` */
    size_t count;
    struct stats_coin *coins; /* whole blocks and, with MODEL_COIN_RUN, runs alone; in
                                 the order of the measurement */
    size_t coin_count;
    /* Mean log ratio of each whole block, by block. */
    double *block_logs;
    struct stats_block_facts *block_facts; /* what tells its spread, as block_logs */
    size_t block_count;
    double *run_logs; /* log ratio of each run, as `runs` */
    size_t left_out;  /* runs without a partner in their block */
    /* The log ratios of the runs of whole blocks: first those where old had position 0,
     * then the others, 2 * block_count in all. Only where the two runs of each block
     * have different positions. */
    double *assignment_logs;
    bool assignments_known;
};

/* All summaries, by a reading, or a random sample of `sample_runs` of them
 * when there are more (0: all); with `by_block` the sample consists of whole blocks.
 * The order in which summaries were added does not matter. Streams: `stream` of `seed`.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_used_runs_init(const struct analysis_run_summary *summaries, size_t count,
                        enum analysis_reading reading, enum model_coin coin,
                        uint64_t sample_runs, bool by_block, uint64_t seed,
                        uint64_t stream, struct analysis_used_runs *ret_used,
                        struct duet_error *reterr);

void analysis_used_runs_release(struct analysis_used_runs *used);

#endif
