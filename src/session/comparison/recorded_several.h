/* Files of several benchmarks, compared by name and judged together. */
#ifndef DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H
#define DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H

#include "session/comparison/recorded.h"

/* Each benchmark of *foreign, which is handed over. name: where the files say no other.
 * scratch: a store that gets each as an experiment; NULL: none. ret_answers:
 * foreign->count, judged as a family where they are several; owned, with
 * answer_release() each. Errors: those of the analysis and of the store. */
BASE_MUST_USE enum duet_code
recorded_several(struct formats_foreign *foreign, const char *name,
                 const enum model_schedule *schedule,
                 const struct model_analysis *analysis, struct store *scratch,
                 struct answer **ret_answers, struct duet_error *reterr);

#endif
