/* What the measurements say: the answer and everything printed about it. Unknown
 * numbers are NaN (null in JSON). */
#ifndef DUET_MODEL_COMPARISON_H
#define DUET_MODEL_COMPARISON_H

#include "model/analysis.h"
#include "model/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_verdict {
    MODEL_VERDICT_SLOWER,
    MODEL_VERDICT_FASTER,
    MODEL_VERDICT_SAME,
    MODEL_VERDICT_UNSURE,
    MODEL_VERDICT_IDENTICAL, /* the same programs: nothing was measured */
    MODEL_VERDICT_FAILED,    /* a command failed: there is no answer, only a reason */
    MODEL_VERDICTS
};
const char *model_verdict_name(unsigned verdict); /* "slower" ... */

/* What an interval takes for independent, or draws. */
enum model_unit {
    MODEL_UNIT_RUNS,
    MODEL_UNIT_BLOCKS,      /* of two runs with swapped positions */
    MODEL_UNIT_ASSIGNMENTS, /* runs, drawn within those of the same assignment */
    MODEL_UNIT_LEVELS,      /* runs, and then iterations within them */
    MODEL_UNIT_ITERATIONS,  /* of a sample that knows no runs */
    MODEL_UNIT_CIRCULAR,    /* stretches of a series: its end meets its beginning */
    MODEL_UNIT_MOVING,      /* stretches that lie within the series */
    MODEL_UNIT_STATIONARY,  /* stretches of random lengths */
    MODEL_UNIT_COINS,       /* runs and blocks, whatever a coin was tossed for */
    MODEL_UNITS
};
const char *model_unit_name(unsigned unit); /* "runs", "blocks" ... */

/* What is done about CPU time that was taken from the sides (docs/method.md). */
enum model_losses {
    MODEL_LOSSES_KEPT,    /* nothing: the times are taken as they are */
    MODEL_LOSSES_REMOVED, /* it is known of both sides, and taken off */
    MODEL_LOSSES_BOUNDED, /* much was taken, and it is not known how much of each side:
                             the interval holds for the times as they are and for what
                             was executed */
    MODEL_LOSSES
};
const char *model_losses_name(unsigned losses); /* "kept" ... */

struct model_interval {
    double low; /* ratio; NaN: unbounded or not computed */
    double high;
    double confidence; /* 0.99 */
    enum model_interval_method method;
    enum model_unit unit;
    double block_length; /* of the stretches, in units of the series; 0: none */
};

/* A statistic of each side by itself. */
struct model_statistic_result {
    struct model_statistic statistic; /* of kind NONE: nothing else is set */
    double values[MODEL_SIDES];       /* ns; a share for the coefficient of variation */
    double low[MODEL_SIDES];          /* at the interval's confidence; NaN: unbounded */
    double high[MODEL_SIDES];
};

/* A change by the rank-sum test has so small a p value and so large a |Cliff's delta|
 * (Laaber 2019 s.5.1.1). */
#define MODEL_RANKSUM_P_MOST 0.05
#define MODEL_RANKSUM_DELTA_LEAST 0.33

/* What a test of two groups said; it does not look at pairs. */
struct model_test_result {
    enum model_test test; /* MODEL_TEST_NONE: not asked, nothing else is set */
    bool change;          /* ranksum: as above; overlap: no overlap */
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

/* By which test "no difference" has its p value. */
enum model_p_value_method {
    MODEL_P_VALUE_NONE,
    MODEL_P_VALUE_T,        /* Student's t over blocks, or over runs without any */
    MODEL_P_VALUE_SIGNFLIP, /* exact, over blocks */
    MODEL_P_VALUE_ANYTIME,  /* holds at every look, over blocks */
    MODEL_P_VALUE_WELCH,    /* Welch's t over each side's runs (or iterations) */
    MODEL_P_VALUE_RANKSUM,  /* Wilcoxon's, where it was asked for */
    MODEL_P_VALUE_INTERVAL, /* the level at which the interval ends at no change, as if
                               normal */
    MODEL_P_VALUE_METHODS
};
const char *model_p_value_method_name(unsigned method);

/* The comparisons that were made together with this one. */
struct model_family {
    int64_t id;    /* of the store; 0: none, or made just now */
    uint64_t size; /* this one included; 0 or 1: alone */
    enum model_multiplicity multiplicity;
    double p_adjusted; /* NaN: unknown */
    bool unshown;  /* by p_adjusted no change is shown, whatever the interval says */
    bool withheld; /* the verdict is `unsure` for p_adjusted alone */
};

/* One side's times, over all its observations; each for one operation. */
struct model_summary {
    uint64_t count;
    double operations; /* mean of an iteration; 1 unless the program says otherwise */
    double mean_ns;
    double sd_ns; /* sample standard deviation */
    double median_ns;
    double min_ns;
    double max_ns;
    double user_ns;   /* mean */
    double system_ns; /* mean */
};

/* The slow iterations: a percentile of new / that of old. */
enum model_tail_level { MODEL_TAIL_P90, MODEL_TAIL_P99, MODEL_TAILS };
struct model_tail {
    double ratio; /* NaN with too few iterations */
    double low; /* its interval, at the comparison's confidence; NaN: too few blocks */
    double high;
};

/* The change of the mean time, beside that of a typical iteration. Few slow iterations
 * are in the one and not in the other. */
struct model_mean_change {
    double ratio;   /* mean time of new / that of old; NaN: not known */
    double low;     /* its interval at the comparison's confidence: Student's t */
    double high;    /* ... over blocks, for one look at a time fixed beforehand */
    double p_value; /* of the mean having changed as the comparison's ratio says */
    bool disagrees; /* it surely changed otherwise: docs/method.md, "Mean" */
};

/* Why a verdict that the interval alone would allow is `unsure`. */
enum model_doubt {
    MODEL_DOUBT_NONE,
    MODEL_DOUBT_MEAN, /* the mean says otherwise, or may */
    MODEL_DOUBT_TAIL, /* the slow iterations do */
    MODEL_DOUBTS
};
const char *model_doubt_name(unsigned doubt); /* "none", "mean", "tail" */

/* What it was like meanwhile. NaN: not known. */
struct model_conditions {
    double lag1_times[MODEL_SIDES]; /* lag-1 autocorrelation of the log times */
    double lag1_ratios;             /* and of the pairs' log ratios */
    double drift; /* of both sides' times, last third of the runs against the first,
                     as a fraction */
    double ratio_drift;       /* of the ratio, likewise */
    double cpu_bias;          /* times at position 1 / those at position 0, - 1 */
    double involuntary_per_s; /* involuntary context switches per second of execution */
    double taken_ratio;       /* share of the sides' time in which others had the CPU */
};

enum { MODEL_STRIP_BINS = 24 };

/* How many blocks showed which ratio new / old. */
struct model_strip {
    double low;  /* the smallest ratio */
    double high; /* the largest; not above `low`: too few blocks, or not of pairs */
    uint64_t counts[MODEL_STRIP_BINS]; /* in bins of the same width of the log ratio */
};

/* What keeps a comparison from a verdict. */
enum model_limit {
    MODEL_LIMIT_NONE, /* it has one, or `interval_refused` */
    MODEL_LIMIT_NOISE,
    MODEL_LIMIT_FEW_RUNS, /* too few for an interval */
    MODEL_LIMIT_TIME,     /* 1 % would have been seen: a smaller change takes longer */
    MODEL_LIMIT_OTHERS,   /* other programs had the CPUs */
    MODEL_LIMIT_WAITING,  /* the programs wait more than they compute */
    MODEL_LIMIT_CPUS,     /* one CPU is slower than the other */
    MODEL_LIMIT_SLOW_ITERATIONS, /* they contradict a typical one */
    MODEL_LIMITS
};
const char *model_limit_name(unsigned limit); /* "none", "noise" ... */

struct model_advice {
    enum model_limit limit; /* NONE: nothing else is set */
    double seconds;    /* of measuring, to see 1 %; NaN: unknown, or seen already */
    char options[128]; /* of `duet`: "--until decided,time=60s"; "": others measured, or
                          (`seconds` known) nobody waits so long */
    char command[512]; /* with the programs, for a shell; "": not known */
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
    char
        region[MODEL_REGION_BYTES]; /* of the iterations; "": they are compared whole */
    char side_names[MODEL_SIDES][256]; /* of the workloads: -n, else the command line;
                                          "" not given */
    const char *commands[MODEL_SIDES]; /* as typed, borrowed from the experiment; NULL:
                                          only the name is known */
    char failure[1024]; /* of MODEL_VERDICT_FAILED and IDENTICAL: why; else "" */
    char metric[32];    /* "time" or "cpu_time" */
    enum model_schedule schedule;
    bool schedule_assumed; /* values of files or of two experiments: nobody saw it */
    bool imported; /* values of files, whose benchmarks may have shared processes */
    enum model_mode mode;
    struct model_summary sides[MODEL_SIDES];
    double took_s; /* all times of both sides together */
    double ratio;  /* new / old; above 1: new is slower */
    struct model_interval interval;
    bool interval_refused; /* not for too few runs: the values allow none, and a warning
                              says why */
    enum model_verdict verdict;
    enum model_estimator estimator;
    enum model_losses losses;
    double ratio_as_measured; /* without that treatment; NaN: not of pairs */
    /* Asked for: `ratio` and `interval` are those of the statistic. */
    struct model_statistic_result statistic;
    struct model_gate_outcome gate; /* analysis_gate_judge() */
    struct model_acceptance acceptance;
    enum model_role role; /* to experiment `of`, 0: to none */
    int64_t of;
    double same_within;     /* fraction; NaN: not asked */
    bool same_within_asked; /* `same` goes before slower and faster */
    double could_have_seen; /* smallest change, as a fraction, that this experiment
                               would have shown with power 0.9 */
    uint64_t runs;
    uint64_t iterations;      /* of a side, in all runs, analysed */
    uint64_t winsorized;      /* observations replaced */
    double paired_width;      /* paper's interval, high - low */
    double shuffled_width;    /* the same after a random shuffle, median of 100 */
    double stratified_width;  /* resampled over blocks */
    double measured_coverage; /* of this interval at this number of runs, on normal
                                 data; NaN where exact or unknown */
    struct model_tail tails[MODEL_TAILS];
    struct model_mean_change mean_change;
    enum model_doubt doubt; /* not NONE: the verdict is `unsure` for it */
    struct model_conditions conditions;
    struct model_strip strip;
    struct model_test_result test; /* zeroed: not asked */
    double p_value;                /* of no difference, two-sided; NaN: unknown */
    enum model_p_value_method p_value_method;
    struct model_family family;
    uint64_t dropped_warmup;    /* observations of both sides left out as warm-up ... */
    uint64_t dropped_outliers;  /* ... and for their magnitude, with their partners */
    struct model_advice advice; /* of the verdict `unsure` */
    struct model_warning warnings[MODEL_WARNINGS_MAX];
    size_t warning_count;
    struct model_analysis analysis; /* how it was made, as asked */
    struct model_analysis stored;   /* what its experiment was kept with */
    bool overridden;                /* `analysis` is another one */
};

/* Whether there are times: of what failed and what is identical there are none. */
bool model_comparison_is_measured(const struct model_comparison *comparison);
/* Whether the verdict is a change: slower or faster. Of a program beside itself, a
 * false alarm. */
bool model_comparison_is_change(const struct model_comparison *comparison);

/* How many times narrower pairing made the interval than shuffled pairs do: the paper's
 * intervals. NaN: not known; two widths say nothing where the interval itself is
 * unknown or that of another statistic than the runs' ratio. */
double model_comparison_pairing_gain(const struct model_comparison *comparison);

/* What such a gain, which is known, comes to: below a tenth the two widths differ no
 * more than by chance. */
enum model_pairing { MODEL_PAIRING_HARMS, MODEL_PAIRING_IDLE, MODEL_PAIRING_HELPS };
enum model_pairing model_pairing_of(double gain);

/* The side's command line, else its name; never NULL. */
const char *model_comparison_command(const struct model_comparison *comparison,
                                     enum model_side side);

/* Appends a warning (printf); beyond MODEL_WARNINGS_MAX they are dropped. */
void model_comparison_warn(struct model_comparison *comparison,
                           enum model_warning_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
