/* Answers for the regions of benchmark programs' iterations: each is an experiment of
 * its own in the store, measured with the one that it is a region of. */
#ifndef DUET_SESSION_COMPARISON_REGIONS_H
#define DUET_SESSION_COMPARISON_REGIONS_H

#include "session/comparison/answer.h"

/* What was just measured, concluded: puts behind each answer those of its regions,
 * which are judged together as a family of their own and kept. *answers is replaced,
 * *count grows. Errors: those of answer_make() and answers_conclude(); both are as
 * before. */
BASE_MUST_USE enum duet_code regions_conclude(struct store *store,
                                              struct answer **answers, size_t *count,
                                              struct duet_error *reterr);

/* Those of an experiment that was measured to confirm another one: analysed as one of
 * `family` and kept, not judged. *ret_answers: answers_free(). Errors: as above. */
BASE_MUST_USE enum duet_code regions_answer(struct store *store, int64_t experiment,
                                            size_t family, struct answer **ret_answers,
                                            size_t *ret_count,
                                            struct duet_error *reterr);

/* The ids, each with those of its regions behind it; free() the list. Errors: the
 * store's, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code regions_expand(struct store *store, const int64_t *ids,
                                            size_t count, int64_t **ret_ids,
                                            size_t *ret_count,
                                            struct duet_error *reterr);

#endif
