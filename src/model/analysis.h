/* How measurements become an answer: everything that changes it, in one place. It is
 * made from the command line, kept with the experiment and printed with the answer. */
#ifndef DUET_MODEL_ANALYSIS_H
#define DUET_MODEL_ANALYSIS_H

#include "base/error.h"
#include "base/text.h"
#include "model/gate_outcome.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_estimator { /* inside a run, of the log ratios */
                       MODEL_ESTIMATOR_GEOMEAN,
                       MODEL_ESTIMATOR_TRIMMED, /* 20 % trimmed mean */
                       MODEL_ESTIMATOR_MEDIAN,
                       MODEL_ESTIMATORS
};
const char *model_estimator_name(unsigned estimator);

enum model_interval_method {
    MODEL_INTERVAL_PERCENTILE,  /* of bootstrap replicates; over runs: the paper's */
    MODEL_INTERVAL_BASIC,       /* the percentile interval mirrored at the estimate */
    MODEL_INTERVAL_BCA,         /* bias-corrected and accelerated bootstrap */
    MODEL_INTERVAL_STUDENTIZED, /* bootstrap t */
    MODEL_INTERVAL_BLOCK,       /* bootstrap of blocks of a series: runs that depend */
    MODEL_INTERVAL_T,           /* Student's t on the logs of blocks */
    MODEL_INTERVAL_SIGNFLIP,    /* exact, over blocks */
    MODEL_INTERVAL_ANYTIME,     /* holds at every look, over blocks */
    MODEL_INTERVAL_DIFFERENCE,  /* standard method: difference of means, bootstrap */
    MODEL_INTERVAL_METHODS
};
const char *model_interval_method_name(unsigned method);

/* Of a side's times, all of them together. */
enum model_statistic_kind {
    MODEL_STATISTIC_NONE, /* not asked: what the estimator says */
    MODEL_STATISTIC_MEAN,
    MODEL_STATISTIC_GEOMEAN,
    MODEL_STATISTIC_MEDIAN,
    MODEL_STATISTIC_QUANTILE,
    MODEL_STATISTIC_TRIMMED, /* 20 % at each end */
    MODEL_STATISTIC_CV,      /* coefficient of variation */
    MODEL_STATISTICS
};
const char *model_statistic_kind_name(unsigned kind); /* "" ... */

struct model_statistic {
    enum model_statistic_kind kind;
    double probability; /* of a quantile, in (0, 1) */
};
enum { MODEL_STATISTIC_NAME_MAX = 32 };
/* "mean", "geomean", "median", "p99.9", "trimmed", "cv"; "" when there is none. */
void model_statistic_name(const struct model_statistic *statistic,
                          char ret_name[MODEL_STATISTIC_NAME_MAX]);

enum model_test { /* asked for beside the interval */
                  MODEL_TEST_NONE,
                  MODEL_TEST_RANKSUM, /* Wilcoxon's rank-sum test and Cliff's delta */
                  MODEL_TEST_OVERLAP, /* of the intervals of the sides' means */
                  MODEL_TESTS
};
const char *model_test_name(unsigned test); /* "none", "ranksum", "overlap" */

/* What keeps the false alarms of several comparisons from adding up. */
enum model_multiplicity {
    MODEL_MULTIPLICITY_NONE,
    MODEL_MULTIPLICITY_BONFERRONI,
    MODEL_MULTIPLICITY_HOLM,
    MODEL_MULTIPLICITY_BH, /* Benjamini and Hochberg */
    MODEL_MULTIPLICITIES
};
const char *model_multiplicity_name(unsigned multiplicity);

enum model_winsorize {
    MODEL_WINSORIZE_FACTOR, /* above 1.2 x max or below min / 1.2 of the remaining */
    MODEL_WINSORIZE_RANGE,  /* beyond 20 % of the width of the remaining's range */
    MODEL_WINSORIZE_OFF,
    MODEL_WINSORIZES
};
const char *model_winsorize_name(unsigned winsorize); /* "factor" ... */

/* What the bootstraps of paired runs draw. */
enum model_resample {
    MODEL_RESAMPLE_RUNS,
    MODEL_RESAMPLE_BLOCKS,      /* of two runs with swapped positions */
    MODEL_RESAMPLE_ASSIGNMENTS, /* runs, within those of the same assignment */
    MODEL_RESAMPLES
};
const char *model_resample_name(unsigned resample); /* "runs" ... */

/* Which stretches of a series MODEL_INTERVAL_BLOCK draws. */
enum model_scheme {
    MODEL_SCHEME_CIRCULAR,
    MODEL_SCHEME_MOVING,
    MODEL_SCHEME_STATIONARY,
    MODEL_SCHEMES
};
const char *model_scheme_name(unsigned scheme); /* "circular" ... */

/* CPU time that was taken from the sides. */
enum model_lost_treatment {
    MODEL_LOST_WHERE_KNOWN, /* taken off, or bounded: analysis/runs/losses.h */
    MODEL_LOST_KEEP,        /* the times as they are: a paper's method */
    MODEL_LOST_TREATMENTS
};
const char *model_lost_treatment_name(unsigned treatment);

/* What a coin was tossed for, when the sides were assigned to the positions. */
enum model_coin {
    MODEL_COIN_BLOCK, /* each block of two runs, which swap the positions */
    MODEL_COIN_RUN,   /* some single runs, too: a block with one run is such a run */
    MODEL_COINS
};
const char *model_coin_name(unsigned coin); /* "block", "run" */

/* How many values at the head of each run are left out. */
enum model_warmup {
    MODEL_WARMUP_NONE,
    MODEL_WARMUP_HALF,   /* floor(count / 2) */
    MODEL_WARMUP_COUNT,  /* a number that the user names */
    MODEL_WARMUP_STEADY, /* what is before the steady state */
    MODEL_WARMUPS
};

/* What is left out of the runs before they are analysed: warm-up, and values an order
 * of magnitude away. Zeroed: nothing is left out. */
struct model_cleaning {
    enum model_warmup warmup;
    uint64_t warmup_count; /* with MODEL_WARMUP_COUNT */
    bool warmup_asked;     /* on this command line; not kept with the experiment */
    bool drop_magnitude;   /* values of at least ten times their side's median */
};
/* "none", "half", "steady" or the number. */
enum { MODEL_WARMUP_NAME_MAX = 24 };
/* The reverse; false: no such word. */
bool model_warmup_from_name(const char *name, struct model_cleaning *cleaning);
/* A number of digits alone; false: something else, or too large. */
bool model_whole_of(const char *text, uint64_t *ret_value);

struct model_analysis {
    struct model_statistic statistic;
    enum model_estimator estimator;
    bool estimator_asked; /* false: it followed from the rest */
    enum model_interval_method interval;
    /* False: unpaired data take `t` whatever `interval` says (a sample without runs
     * whose median or trimmed mean is asked for: `difference`). */
    bool interval_asked;
    double confidence;   /* of the family, where there is one; 0.99 */
    uint64_t replicates; /* 10000 */
    uint64_t seed;
    enum model_resample resample;
    enum model_scheme block_scheme; /* of MODEL_INTERVAL_BLOCK */
    double block_length;            /* 0: Politis and White */
    /* Not of a sample without runs (iterations_alone) unless winsorize_asked: its odd
     * values are independent ones, and without them it looks calmer than it is. */
    enum model_winsorize winsorize;
    bool winsorize_asked;
    struct model_cleaning cleaning; /* before winsorization; nothing by default */
    enum model_lost_treatment losses;
    enum model_coin coin; /* a fact of the measurement */
    enum model_test
        test; /* of two groups, beside the interval: analysis_group_test() */
    uint64_t sample_runs; /* use a random sample of so many runs; 0: all */
    double same_within;   /* fraction; NaN: never `same` */
    /* False: `same` is said of what is neither slower nor faster, not instead. */
    bool same_within_asked;
    struct model_gate gate;
    enum model_multiplicity multiplicity;
    uint64_t family; /* comparisons that were planned together; 0 or 1: alone */
    enum model_until until;
    double precision; /* MODEL_UNTIL_PRECISION: half the interval's width; else NaN */
    /* Unpaired data that knows no runs: a side's only run is a sample of independent
     * iterations, which are resampled; with more than 1024, groups of consecutive ones.
     * Never for measured data, where a single run says nothing about the others. A fact
     * of the data, set when they are read; not kept. */
    bool iterations_alone;
};

/* What a comparison takes that was asked for nothing. */
struct model_analysis model_analysis_default(void);

/* ---- Its fields, by name ---- */

enum model_value_kind {
    MODEL_VALUE_NONE, /* not asked, unknown */
    MODEL_VALUE_FLAG,
    MODEL_VALUE_COUNT,
    MODEL_VALUE_REAL,
    MODEL_VALUE_WORD
};
enum { MODEL_VALUE_WORD_MAX = 48 };

struct model_value {
    enum model_value_kind kind;
    bool flag;
    uint64_t count;
    double real;
    char word[MODEL_VALUE_WORD_MAX]; /* of letters, digits, ',' and '.' */
};

/* How many there are, and field `index` of them: its key in JSON and in the store, and
 * the option that sets it ("confidence", NULL: none by itself). */
size_t model_analysis_fields(void);
const char *model_analysis_key(size_t index);
const char *model_analysis_option(size_t index);
struct model_value model_analysis_get(const struct model_analysis *analysis,
                                      size_t index);
/* False: the field does not take such a value; it may have been changed. */
bool model_analysis_set(struct model_analysis *analysis, size_t index,
                        const struct model_value *value);
/* The field as its option takes it: "p99", "0.8", "2%", "10x", "none". */
void model_analysis_say(const struct model_analysis *analysis, size_t index,
                        char ret_word[MODEL_VALUE_WORD_MAX]);
/* Whether that is something else. */
bool model_analysis_differs(const struct model_analysis *a,
                            const struct model_analysis *b, size_t index);

/* As a JSON object: every field, reals to the last digit, what is not asked as null.
 * Check text_failed(). */
void model_analysis_write(const struct model_analysis *analysis, struct text *text);
/* The reverse. What the text does not have stays as it was in *analysis. Errors:
 * DUET_E_FORMAT (no such object, an unknown key or word; says which), and *analysis is
 * as it was. */
BASE_MUST_USE enum duet_code model_analysis_read(const char *text,
                                                 struct model_analysis *analysis,
                                                 struct duet_error *reterr);

#endif
