/* The interval of the mean log ratio of paired runs. */
#ifndef DUET_ANALYSIS_PAIRED_INTERVAL_H
#define DUET_ANALYSIS_PAIRED_INTERVAL_H

#include "analysis/runs/used_runs.h"
#include "stats/bootstrap/resample.h"

/* The log ratios that an answer rests on: their mean is its estimate. */
struct analysis_series {
    const double *logs; /* borrowed from the used runs */
    size_t count;
    enum model_unit unit;
};

/* Runs in the order of their numbers, blocks, or runs by assignment, as the options'
 * interval asks. Without any whole block it is the runs. */
struct analysis_series analysis_paired_series(const struct model_analysis *options,
                                              const struct analysis_used_runs *used);

/* By options->interval (any but `difference`). Ends are NaN where the data leaves none;
 * `ret_missing` then says why when it is more than too few runs or blocks (its message
 * is empty otherwise). *ret_interval: logarithms. Errors: DUET_E_USAGE (assignments
 * that are not known), DUET_E_NOMEM. */
struct analysis_log_interval {
    struct stats_interval ends;
    enum model_unit unit;
    double block_length;
    double center; /* of bets, with the interval; NaN without one */
};
BASE_MUST_USE enum duet_code
analysis_paired_interval(const struct model_analysis *options,
                         const struct analysis_used_runs *used,
                         struct analysis_log_interval *ret_interval,
                         struct duet_error *ret_missing, struct duet_error *reterr);

/* The length of blocks for a series: options->block_length, or Politis and White's for
 * the scheme. Errors: DUET_E_TOO_FEW, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_block_length(const struct model_analysis *options,
                                                   const double *values, size_t count,
                                                   double *ret_length,
                                                   struct duet_error *reterr);

/* The unit that a block bootstrap of this scheme draws. */
enum model_unit analysis_block_unit(enum model_scheme scheme);

/* The engine's name of a bootstrap interval; percentile for all that is none. */
enum stats_method analysis_stats_method(enum model_interval_method method);

/* Takes an error for "no interval" when it is one of the data's: moves it to
 * *ret_missing and returns DUET_OK. Others pass. */
BASE_MUST_USE enum duet_code analysis_interval_missing(enum duet_code code,
                                                       const struct duet_error *error,
                                                       struct duet_error *ret_missing,
                                                       struct duet_error *reterr);

#endif
