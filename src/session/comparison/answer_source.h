/* Where the runs of an answer come from: a stored experiment, one side each of two of
 * them, or files. Whatever it is goes the same way to its answer
 * (session/comparison/answer). */
#ifndef DUET_SESSION_COMPARISON_ANSWER_SOURCE_H
#define DUET_SESSION_COMPARISON_ANSWER_SOURCE_H

#include "analysis/remarks/warnings.h"
#include "model/comparison.h"
#include "store/store.h"

#include <stdbool.h>

/* Of the analysed iterations of one side of a run; count 0: not known. */
struct answer_usage {
    double user_ns;
    double system_ns;
    struct analysis_side_usage side; /* for the warnings */
    uint64_t count;
};

struct answer_run {
    struct model_run_values values;
    struct answer_usage usage[MODEL_SIDES];
    uint64_t started_ns; /* 0: not known */
};

struct answer_source {
    const char *name;
    const char *side_names[MODEL_SIDES];
    const char *metric;
    enum model_schedule schedule;
    bool schedule_seen; /* even though its runs have no moments */
    enum model_mode mode;
    bool paired;
    bool has_runs; /* false: struct model_analysis, iterations_alone */
    /* The experiments that measured it, for what is known of their machine. */
    const struct store_experiment *origins[MODEL_SIDES];
    size_t origin_count;
    uint64_t elapsed_ns; /* that they were measured, without pauses; 0: not known */
    const char *folders[MODEL_SIDES]; /* where the commands ran; NULL: not known, or in
                                         the current one */
    /* The next run, owned by the caller, with no more than `most` values of a side in
     * arrays where that is not 0; *ret_more false at the end. */
    enum duet_code (*next)(void *context, size_t most, struct answer_run *ret_run,
                           bool *ret_more, struct duet_error *reterr);
    void *context;
};

/* What the reader's current run, `described`, says of `metric`; the first `drop`
 * iterations are left out. most: as in store_runs_long_values().
 * model_run_values_release() frees the values. Errors: the store's. */
BASE_MUST_USE enum duet_code answer_run_read(struct store_run_reader *reader,
                                             const struct model_run *described,
                                             const char *metric, uint64_t drop,
                                             size_t most, struct answer_run *ret_run,
                                             struct duet_error *reterr);

/* The runs of a stored experiment: a source's context for answer_stored_next(). */
struct answer_stored {
    struct store_run_reader *reader;
    const char *metric;
    uint64_t drop;
    double slowdown; /* put on the new side's times; 0: none */
};
BASE_MUST_USE enum duet_code answer_stored_next(void *context, size_t most,
                                                struct answer_run *ret_run,
                                                bool *ret_more,
                                                struct duet_error *reterr);

/* The metric that a schedule compares: "time" or "cpu_time". */
const char *answer_metric(enum model_schedule schedule);
/* Iterations at the head of each run that are left out as the plan says. */
uint64_t answer_drop(const struct store_experiment *experiment);
/* Whether the experiment is imported data that knows no runs: one unpaired sample a
 * side, whose values are resampled. */
bool answer_is_sample(const struct store_experiment *experiment);

#endif
