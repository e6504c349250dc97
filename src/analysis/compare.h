/* From observations to an answer (method: docs/method.md; Bulej 2020 s.3 and s.4.1). */
#ifndef DUET_ANALYSIS_COMPARE_H
#define DUET_ANALYSIS_COMPARE_H

#include "analysis/cleaning.h"
#include "base/error.h"
#include "model/comparison.h"

#include <stdbool.h>

enum analysis_winsorize {
    ANALYSIS_WINSORIZE_FACTOR, /* above 1.2 x max or below min / 1.2 of the remaining */
    ANALYSIS_WINSORIZE_RANGE,  /* beyond 20 % of the width of the remaining's range */
    ANALYSIS_WINSORIZE_OFF
};

struct analysis_options {
    double confidence;   /* 0.99 */
    uint64_t replicates; /* 10000 */
    uint64_t seed;
    enum model_estimator estimator;
    enum model_interval_method interval;
    enum analysis_winsorize winsorize;
    double same_within;   /* fraction; NaN: not asked */
    uint64_t sample_runs; /* use a random sample of so many runs; 0: all */
    /* Unpaired data that knows no runs: a side's only run is a sample of independent
     * iterations, which are resampled; with more than 1024, groups of consecutive ones.
     * Never for measured data, where a single run says nothing about the others. */
    bool iterations_alone;
    struct analysis_cleaning cleaning; /* before winsorization; nothing by default */
};

struct analysis_options analysis_options_default(void);

/* Feeds one comparison run by run, so that only one run's observations need be in
 * memory at a time (with the geometric mean; the other estimators keep a compact copy).
 */
struct analysis;

/* Errors: DUET_E_DOMAIN (an option out of range), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_new(const struct analysis_options *options,
                                          bool paired, struct analysis **ret_analysis,
                                          struct duet_error *reterr);

/* Adds one run. `values` is borrowed, cleaned and winsorized in place. Paired: counts
 * must be equal and positive; unpaired: one side's may be 0. Errors: DUET_E_DOMAIN (a
 * value not positive and finite; says run, side, iteration), DUET_E_TOO_FEW (no
 * observation), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_add_run(struct analysis *analysis,
                                              struct model_run_values *values,
                                              struct duet_error *reterr);

/* The answer over all runs added so far; can be asked for again after more runs. Fills
 * ratio, interval, verdict, could_have_seen, runs, iterations, winsorized, estimator,
 * widths, measured_coverage, tail_ratio, same_within and the sides' count, mean, sd,
 * min, max (of the values as analysed, that is, after winsorization), and appends
 * warnings; everything else of *ret_comparison is left as it was. With too few runs for
 * an interval (2 paired runs or blocks) its ends are NaN and the verdict is `unsure`.
 * Unpaired: the standard method whatever options->interval says; paired_width is then
 * that of the difference relative to the mean, the other widths are NaN.
 * Deterministic for (data, options), for any number of threads and any order of adding.
 * Errors: DUET_E_TOO_FEW (no run, or none of a side), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_compare(const struct analysis *analysis,
                                              struct model_comparison *ret_comparison,
                                              struct duet_error *reterr);

/* The ratio and the interval alone, for showing progress between runs. Over blocks and
 * runs at most about a millisecond; with the standard method (unpaired, or interval
 * `difference`) as expensive as its bootstrap. Errors: as analysis_compare(). */
BASE_MUST_USE enum duet_code analysis_estimate(const struct analysis *analysis,
                                               double *ret_ratio,
                                               struct model_interval *ret_interval,
                                               struct duet_error *reterr);

void analysis_free(struct analysis *analysis);

#endif
