/* A benchmark that failed, as an answer that says so. */
#ifndef DUET_SESSION_COMPARISON_FAILED_H
#define DUET_SESSION_COMPARISON_FAILED_H

#include "session/comparison/answer.h"

/* Of experiment `id`, whatever runs it has; 0: there is none, and `name` is all that is
 * known (its experiment is empty, with the id 0). Errors: the store's. */
BASE_MUST_USE enum duet_code failed_answer(struct store *store, int64_t id,
                                           const char *name, const char *reason,
                                           struct answer *ret_answer,
                                           struct duet_error *reterr);

/* Of experiment `id`, which is done: answer_make() where there are runs, else that its
 * sides are identical and were not measured. Errors: those of answer_make(). */
BASE_MUST_USE enum duet_code answer_done(struct store *store, int64_t id,
                                         const struct model_analysis *analysis,
                                         struct answer *ret_answer,
                                         struct duet_error *reterr);
/* Keeps that experiment `id` is such a one; its message says why. Errors: the store's.
 */
BASE_MUST_USE enum duet_code identical_save(struct store *store, int64_t id,
                                            struct duet_error *reterr);

#endif
