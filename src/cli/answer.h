/* From a stored experiment to its answer. */
#ifndef DUET_CLI_ANSWER_H
#define DUET_CLI_ANSWER_H

#include "analysis/compare.h"
#include "model/comparison.h"
#include "store/store.h"

#include <stdbool.h>

struct answer {
    struct store_experiment experiment; /* owned */
    struct model_comparison comparison;
    uint64_t drop; /* iterations at the head of each run that were left out */
};

/* Analyses experiment `id` of the store. Errors: DUET_E_TOO_FEW (no finished run),
 * DUET_E_USAGE (a data set), and those of the store and the analysis. */
BASE_MUST_USE enum duet_code answer_make(struct store *store, int64_t id,
                                         const struct analysis_options *options,
                                         struct answer *ret_answer,
                                         struct duet_error *reterr);
/* Judges several answers together (analysis/family.h). Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code answers_judge(enum model_multiplicity multiplicity,
                                           double confidence, struct answer *answers,
                                           size_t count, struct duet_error *reterr);
/* Judges them together when there are several, and saves the verdicts that this has
 * changed. Errors: those of answers_judge() and the store. */
BASE_MUST_USE enum duet_code answers_judge_kept(struct store *store,
                                                enum model_multiplicity multiplicity,
                                                double confidence,
                                                struct answer *answers, size_t count,
                                                struct duet_error *reterr);
void answer_release(struct answer *answer);

/* Errors: DUET_E_USAGE (the experiment is a data set, which has no two sides; says what
 * to do with it). */
BASE_MUST_USE enum duet_code
answer_needs_runs(const struct store_experiment *experiment, struct duet_error *reterr);

/* Whether the experiment is imported data that knows no runs: one unpaired sample a
 * side, whose values are resampled. */
bool answer_is_sample(const struct store_experiment *experiment);

/* The metric that a schedule compares: "time" or "cpu_time". */
const char *answer_metric(enum model_schedule schedule);

#endif
