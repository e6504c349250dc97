/* What an experiment that is done came to: its runs analysed, that its sides are
 * identical, or that it failed. */
#ifndef DUET_SESSION_COMPARISON_ANSWER_DONE_H
#define DUET_SESSION_COMPARISON_ANSWER_DONE_H

#include "session/comparison/answer.h"

/* Of experiment `id`: answer_make() where there are runs, else that its sides are
 * identical and were not measured. Errors: those of answer_make(). */
BASE_MUST_USE enum duet_code answer_done(struct store *store, int64_t id,
                                         const struct model_analysis *analysis,
                                         struct answer *ret_answer,
                                         struct duet_error *reterr);

/* Of experiment `id`, whatever runs it has, that it failed; 0: there is none, and
 * `name` is all that is known (its experiment is empty, with the id 0). Errors: the
 * store's. */
BASE_MUST_USE enum duet_code failed_answer(struct store *store, int64_t id,
                                           const char *name, const char *reason,
                                           struct answer *ret_answer,
                                           struct duet_error *reterr);

/* Keeps that experiment `id` has identical sides; its message says why. Errors: the
 * store's. */
BASE_MUST_USE enum duet_code identical_save(struct store *store, int64_t id,
                                            struct duet_error *reterr);

#endif
