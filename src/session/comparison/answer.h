/* From runs to their answer: the one way for stored experiments and files. */
#ifndef DUET_SESSION_COMPARISON_ANSWER_H
#define DUET_SESSION_COMPARISON_ANSWER_H

#include "analysis/conclude.h"
#include "model/comparison.h"
#include "session/comparison/answer_source.h"
#include "store/store.h"

#include <stdbool.h>

struct answer {
    struct store_experiment experiment; /* owned */
    struct model_comparison comparison;
    uint64_t drop; /* iterations at the head of each run that were left out */
};

/* Analyses what the source has; with a family, at the confidence of its members. The
 * verdict is that of the comparison alone. Errors: DUET_E_TOO_FEW (no finished run),
 * and those of the source and the analysis. */
BASE_MUST_USE enum duet_code answer_from(const struct answer_source *source,
                                         const struct model_analysis *asked,
                                         struct model_comparison *ret_comparison,
                                         struct duet_error *reterr);

/* The same for experiment `id` of the store. analysis NULL: the stored one. Errors:
 * DUET_E_USAGE (a data set), and those of the store. */
BASE_MUST_USE enum duet_code answer_make(struct store *store, int64_t id,
                                         const struct model_analysis *analysis,
                                         struct answer *ret_answer,
                                         struct duet_error *reterr);

/* The same, as if every time of the new side had been (1 + slowdown) times as long:
 * what this experiment's noise would have made of such a change. Nothing is stored.
 * Errors: as above. */
BASE_MUST_USE enum duet_code answer_make_slowed(struct store *store, int64_t id,
                                                const struct model_analysis *analysis,
                                                double slowdown,
                                                struct answer *ret_answer,
                                                struct duet_error *reterr);
/* What the store knows beside its runs: its role to another one, what is accepted. */
BASE_MUST_USE enum duet_code answer_add_companions(struct store *store,
                                                   struct answer *answer,
                                                   struct duet_error *reterr);

void answer_release(struct answer *answer);
/* Those of an array on the heap, and the array. NULL: nothing. */
void answers_free(struct answer *answers, size_t count);

/* Errors: DUET_E_USAGE (the experiment is a data set, which has no two sides; says what
 * to do with it). */
BASE_MUST_USE enum duet_code
answer_needs_runs(const struct store_experiment *experiment, struct duet_error *reterr);

#endif
