/* What an analysis is asked for. */
#ifndef DUET_ANALYSIS_OPTIONS_H
#define DUET_ANALYSIS_OPTIONS_H

#include "analysis/cleaning.h"
#include "base/error.h"
#include "model/comparison.h"
#include "stats/sampler.h"

#include <stdbool.h>
#include <stdint.h>

enum analysis_winsorize {
    ANALYSIS_WINSORIZE_FACTOR, /* above 1.2 x max or below min / 1.2 of the remaining */
    ANALYSIS_WINSORIZE_RANGE,  /* beyond 20 % of the width of the remaining's range */
    ANALYSIS_WINSORIZE_OFF
};

/* CPU time that was taken from the sides. */
enum analysis_losses {
    ANALYSIS_LOSSES_WHERE_KNOWN, /* taken off, or bounded: analysis/losses.h */
    ANALYSIS_LOSSES_KEEP         /* the times as they are: a paper's method */
};

/* What the bootstraps of paired runs draw. */
enum analysis_resample {
    ANALYSIS_RESAMPLE_RUNS,
    ANALYSIS_RESAMPLE_BLOCKS,     /* of two runs with swapped positions */
    ANALYSIS_RESAMPLE_ASSIGNMENTS /* runs, within those of the same assignment */
};

struct analysis_options {
    double confidence;   /* 0.99 */
    uint64_t replicates; /* 10000 */
    uint64_t seed;
    enum model_estimator estimator;
    enum model_interval_method interval;
    /* False: unpaired data take `t` whatever `interval` says (a sample without runs
     * whose median or trimmed mean is asked for: `difference`). */
    bool interval_asked;
    bool estimator_asked;
    enum analysis_resample resample;
    enum stats_scheme block_scheme; /* of MODEL_INTERVAL_BLOCK */
    double block_length;            /* 0: Politis and White */
    struct model_statistic statistic;
    /* Not of a sample without runs (iterations_alone) unless winsorize_asked: its odd
     * values are independent ones, and without them it looks calmer than it is. */
    enum analysis_winsorize winsorize;
    bool winsorize_asked;
    enum analysis_losses losses;
    double same_within; /* fraction; NaN: never `same` */
    /* False: `same` is said of what is neither slower nor faster, not instead. */
    bool same_within_asked;
    uint64_t sample_runs; /* use a random sample of so many runs; 0: all */
    /* Unpaired data that knows no runs: a side's only run is a sample of independent
     * iterations, which are resampled; with more than 1024, groups of consecutive ones.
     * Never for measured data, where a single run says nothing about the others. */
    bool iterations_alone;
    enum model_test
        test; /* of two groups, beside the interval: analysis_group_test() */
    struct analysis_cleaning cleaning; /* before winsorization; nothing by default */
};

struct analysis_options analysis_options_default(void);

/* The defaults of an experiment that the data ended: the interval that holds at every
 * look, and the median inside its short runs. What was asked for stays. */
void analysis_options_adapt(struct analysis_options *options);

/* Whether the options suit each other and data of this kind. Errors: DUET_E_DOMAIN (a
 * number out of range), DUET_E_USAGE (a combination that has no answer; says what to
 * take instead). */
BASE_MUST_USE enum duet_code
analysis_options_check(const struct analysis_options *options, bool paired,
                       struct duet_error *reterr);

/* Whether the interval rests on blocks of two runs instead of runs. */
bool analysis_options_over_blocks(const struct analysis_options *options);

/* How the answer is made: from pairs, by the standard method, or from a statistic of
 * each side's values. */
enum analysis_way { ANALYSIS_WAY_PAIRED, ANALYSIS_WAY_STANDARD, ANALYSIS_WAY_GROUPED };
enum analysis_way analysis_options_way(const struct analysis_options *options,
                                       bool paired);

#endif
