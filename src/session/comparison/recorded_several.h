/* Answers of what was recorded: files of several benchmarks, compared by name and
 * judged together; two sides that were not measured together. */
#ifndef DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H
#define DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H

#include "session/comparison/recorded.h"

/* Each benchmark of *foreign, which is handed over. name: where the files say no other.
 * scratch: a store that gets each as an experiment; NULL: none. ret_answers:
 * foreign->count, judged as a family where they are several; owned, with
 * answer_release() each; their gates are judged. Errors: those of the analysis and of
 * the store. */
BASE_MUST_USE enum duet_code
recorded_several(struct formats_foreign *foreign, const char *name,
                 const enum model_schedule *schedule,
                 const struct model_analysis *analysis, struct store *scratch,
                 struct answer **ret_answers, struct duet_error *reterr);

/* Makes experiments of recorded_save() a family: `count` benchmarks of the same files.
 * One alone is none. Errors: the store's. */
BASE_MUST_USE enum duet_code recorded_join(struct store *store, int64_t *experiments,
                                           size_t count, struct duet_error *reterr);

/* What to compare of two stored experiments. */
struct recorded_apart {
    struct store *store;
    char *const *which; /* two */
    enum model_side side;
    const struct model_analysis *analysis; /* no stored one speaks of both */
    bool seed_given;                       /* false: that of the first experiment */
    struct store *scratch;                 /* as above */
};

/* The gate is judged. Errors: those of recorded_from_store(), recorded_answer() and of
 * the store. */
BASE_MUST_USE enum duet_code recorded_answer_apart(const struct recorded_apart *request,
                                                   struct answer *ret_answer,
                                                   struct duet_error *reterr);

#endif
