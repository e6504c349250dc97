/* Several answers, judged together or each by itself, and kept. */
#ifndef DUET_SESSION_COMPARISON_ANSWERS_H
#define DUET_SESSION_COMPARISON_ANSWERS_H

#include "session/comparison/analysis_setting.h"
#include "session/comparison/answer.h"

/* What was just measured together, each analysed by its stored description: judges them
 * when there are several, and keeps that they belong together and their verdicts.
 * Errors: DUET_E_NOMEM, and those of the store. */
BASE_MUST_USE enum duet_code answers_conclude(struct store *store,
                                              struct answer *answers, size_t count,
                                              struct duet_error *reterr);

/* The answers of stored experiments, as when they were measured: each with the
 * experiments that it was judged together with, whether those are among them or not.
 * What `overrides` has (NULL: nothing) is put over every description first; a rule of
 * multiplicity among it judges just these together. ret_answers: `count`, all set or
 * none. Errors: those of answer_make(). */
BASE_MUST_USE enum duet_code answers_recall(struct store *store, const int64_t *ids,
                                            size_t count,
                                            const struct analysis_overrides *overrides,
                                            struct answer *ret_answers,
                                            struct duet_error *reterr);

#endif
