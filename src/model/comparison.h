/* What the measurements say: the answer and everything printed about it. Unknown
 * numbers are NaN (null in JSON). */
#ifndef DUET_MODEL_COMPARISON_H
#define DUET_MODEL_COMPARISON_H

#include "model/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_verdict {
    MODEL_VERDICT_SLOWER,
    MODEL_VERDICT_FASTER,
    MODEL_VERDICT_SAME,
    MODEL_VERDICT_UNSURE,
    MODEL_VERDICTS
};
const char *model_verdict_name(enum model_verdict verdict); /* "slower" ... */

enum model_estimator { /* inside a run, of the log ratios */
                       MODEL_ESTIMATOR_GEOMEAN,
                       MODEL_ESTIMATOR_TRIMMED, /* 20 % trimmed mean */
                       MODEL_ESTIMATOR_MEDIAN,
                       MODEL_ESTIMATORS
};
const char *model_estimator_name(enum model_estimator estimator);

enum model_interval_method {
    MODEL_INTERVAL_PERCENTILE, /* the paper's: bootstrap over runs */
    MODEL_INTERVAL_T,          /* Student's t on the logs of blocks */
    MODEL_INTERVAL_SIGNFLIP,   /* exact, over blocks */
    MODEL_INTERVAL_DIFFERENCE, /* standard method: difference of means, bootstrap */
    MODEL_INTERVAL_METHODS
};
const char *model_interval_method_name(enum model_interval_method method);

struct model_interval {
    double low; /* ratio; NaN: unbounded or not computed */
    double high;
    double confidence; /* 0.99 */
    enum model_interval_method method;
};

enum model_test { /* asked for beside the interval */
                  MODEL_TEST_NONE,
                  MODEL_TEST_RANKSUM, /* Wilcoxon's rank-sum test and Cliff's delta */
                  MODEL_TEST_OVERLAP, /* of the intervals of the sides' means */
                  MODEL_TESTS
};
const char *model_test_name(enum model_test test); /* "none", "ranksum", "overlap" */

/* What a test of two groups said; it does not look at pairs. */
struct model_test_result {
    enum model_test test; /* MODEL_TEST_NONE: not asked, nothing else is set */
    bool change;          /* ranksum: p_value <= 0.05 and |delta| >= 0.33; overlap: no
                             overlap */
    double p_value;       /* ranksum: two-sided; NaN: not of this test */
    bool exact;           /* by the exact distribution, not the normal one */
    double delta;     /* ranksum: P(new > old) - P(new < old); above 0: new is slower */
    double delta_low; /* its interval at `confidence`; NaN: too few values */
    double delta_high;
    char magnitude[16];         /* of delta: "negligible", "small", "medium", "large" */
    double confidence;          /* of delta's interval or the means' */
    double low_ns[MODEL_SIDES]; /* overlap: intervals of the means */
    double high_ns[MODEL_SIDES];
};

/* One side's times, over all its observations. */
struct model_summary {
    uint64_t count;
    double mean_ns;
    double sd_ns; /* sample standard deviation */
    double median_ns;
    double min_ns;
    double max_ns;
    double user_ns;   /* mean */
    double system_ns; /* mean */
};

enum model_warning_kind {
    MODEL_WARNING_MACHINE, /* the machine is not quiet or not suited */
    MODEL_WARNING_DATA,    /* the data asks for care */
    MODEL_WARNING_WORKLOAD /* the workloads behave unlike each other */
};

struct model_warning {
    enum model_warning_kind kind;
    char text[256]; /* what, how much, what to do */
};

enum { MODEL_WARNINGS_MAX = 16 };

struct model_comparison {
    char name[256];
    char side_names[MODEL_SIDES][256]; /* of the workloads: -n, else the command line;
                                          "" not given */
    char metric[32];                   /* "time" or "cpu_time" */
    enum model_schedule schedule;
    enum model_mode mode;
    struct model_summary sides[MODEL_SIDES];
    double ratio; /* new / old; above 1: new is slower */
    struct model_interval interval;
    enum model_verdict verdict;
    enum model_estimator estimator;
    double same_within;     /* fraction; NaN: not asked */
    double could_have_seen; /* smallest change, as a fraction, that this experiment
                               would have shown with power 0.9 */
    uint64_t runs;
    uint64_t iterations;           /* of a side, in all runs, analysed */
    uint64_t winsorized;           /* observations replaced */
    double paired_width;           /* paper's interval, high - low */
    double shuffled_width;         /* the same after a random shuffle, median of 100 */
    double stratified_width;       /* resampled over blocks */
    double measured_coverage;      /* of this interval at this number of runs, on normal
                                      data; NaN where exact or unknown */
    double tail_ratio;             /* p90 new / p90 old; NaN with too few iterations */
    struct model_test_result test; /* zeroed: not asked */
    struct model_warning warnings[MODEL_WARNINGS_MAX];
    size_t warning_count;
};

/* Appends a warning (printf); beyond MODEL_WARNINGS_MAX they are dropped. */
void model_comparison_warn(struct model_comparison *comparison,
                           enum model_warning_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
