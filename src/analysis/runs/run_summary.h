/* One run reduced to what the answer needs of it. With the geometric mean over paired
 * runs that is a few numbers, whatever the number of iterations. */
#ifndef DUET_ANALYSIS_RUN_SUMMARY_H
#define DUET_ANALYSIS_RUN_SUMMARY_H

#include "analysis/options.h"
#include "analysis/runs/run_values.h"
#include "model/comparison.h"
#include "model/experiment.h"
#include "stats/moments.h"
#include "stats/sequential/run_facts.h"

#include <stddef.h>
#include <stdint.h>

enum {
    /* From so many iterations on, a run has percentiles of its own; shorter runs are
     * pooled. */
    ANALYSIS_P90_MIN = 10,
    ANALYSIS_P99_MIN = 100,
    /* From so many on, it has an autocorrelation. */
    ANALYSIS_LAG1_MIN = 20,
    /* Above so many iterations, the standard method resamples groups of consecutive
     * iterations (their means) instead of single ones. */
    ANALYSIS_GROUPS_MAX = 1024
};

/* What a pair's two times may be taken for. */
enum analysis_reading {
    ANALYSIS_AS_MEASURED,
    ANALYSIS_WITHOUT_TAKEN, /* what is known to have been taken from both is off */
    ANALYSIS_EXECUTED,      /* only what was executed counts */
    /* The least that old can have taken by itself beside all of new, and the other way
     * round. An iteration has executed what it executed, and has lost no more than
     * others had of its CPUs in the run. */
    ANALYSIS_OLD_LEAST,
    ANALYSIS_NEW_LEAST,
    ANALYSIS_READINGS
};

struct analysis_run_summary {
    uint64_t run;
    uint64_t block;
    /* Of pairs, by reading; NaN where that is not known, and unpaired. */
    struct stats_run_facts facts[ANALYSIS_READINGS];
    bool single[MODEL_SIDES];  /* a program of one task */
    double waits[MODEL_SIDES]; /* voluntary switches an iteration; NaN: not measured */
    double others_ns[MODEL_SIDES]; /* as in struct model_run_values */
    double window_ns[MODEL_SIDES];
    double log_mean[MODEL_SIDES];   /* of ln(time) */
    double freed_mean[MODEL_SIDES]; /* without what was taken; NaN: not known */
    /* Mean time, by reading, with its outliers. Paired; NaN otherwise. */
    double mean[ANALYSIS_READINGS][MODEL_SIDES];
    /* Percentiles of ln(time), by enum model_tail_level; NaN in a short run. */
    double log_tail[MODEL_TAILS][MODEL_SIDES];
    double lag1[MODEL_SIDES]; /* autocorrelation of ln(time); NaN in a short run */
    double lag1_ratio;        /* and of ln(new / old) */
    struct stats_moments times[MODEL_SIDES]; /* as analysed: after winsorization */
    /* ln(time); kept below ANALYSIS_P99_MIN values, and for order statistics of
     * shuffled pairs, of which there are at most ANALYSIS_SHUFFLED_MAX. */
    struct analysis_values logs[MODEL_SIDES];
    /* As logs, without what was taken. Empty where nothing was, or not known. */
    struct analysis_values freed[MODEL_SIDES];
    /* For the standard method: location of the times, and the times or means of groups
     * of them, ascending unless the location is the mean. NaN and empty otherwise. */
    double location[MODEL_SIDES];
    struct analysis_values plain[MODEL_SIDES];
    /* The times themselves, in order, where they were asked for (for the mean, of a
     * long run, means of groups of them). */
    struct analysis_values kept[MODEL_SIDES];
    unsigned old_position;
    uint64_t winsorized;
    uint64_t dropped_warmup;
    uint64_t dropped_outliers; /* an order of magnitude away, and their partners */
};

enum analysis_keep {
    ANALYSIS_KEEP_NONE,
    ANALYSIS_KEEP_GROUPS, /* times, or means of groups of consecutive ones */
    ANALYSIS_KEEP_TIMES
};

/* What a summary has to keep. */
struct analysis_summary_needs {
    bool paired;
    bool standard; /* the standard method will be asked for */
    bool losses;   /* look at what was taken from pairs */
    enum analysis_keep keep;
    enum stats_location location;
    enum model_winsorize winsorize;
};

/* Of which percentiles a tail is, by enum model_tail_level. */
extern const double analysis_tail_levels[MODEL_TAILS];

/* What is known of a run without looking at its values. */
struct analysis_run_summary
analysis_run_summary_empty(const struct model_run_values *values);

/* Checks and winsorizes `values` in place and summarizes them; their idle times are
 * used up: what lies there then means nothing. Of arrays; of spools it is
 * analysis_long_summary_init(). Errors: as above, and DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_run_summary_init(
    const struct analysis_summary_needs *needs, struct model_run_values *values,
    struct analysis_run_summary *ret_summary, struct duet_error *reterr);

void analysis_run_summary_release(struct analysis_run_summary *summary);

#endif
