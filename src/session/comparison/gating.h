/* Gates of answers: what they come to together, and whether they can fail. */
#ifndef DUET_SESSION_COMPARISON_GATING_H
#define DUET_SESSION_COMPARISON_GATING_H

#include "session/comparison/answers.h"

/* What the gates come to. several: without those of what was interrupted. */
struct model_gate_summary gating_sum_up(const struct answer *answers, size_t count,
                                        bool several);

/* Whose gates count: the experiments of these words, or without any all that was
 * measured last (the benchmarks of a suite, or what else was judged together), with
 * their companions and regions. *ret_ids: *ret_count, free(). *ret_left: of those
 * that were planned together, how many have not come to their end. Errors: those of
 * answers_find(). */
BASE_MUST_USE enum duet_code gating_find(struct store *store, char *const *which,
                                         size_t count, int64_t **ret_ids,
                                         size_t *ret_count, size_t *ret_left,
                                         struct duet_error *reterr);

/* answers_recall(); where nothing was asked of any of them, now (`none` is something)
 * or when it was measured, `slower` fails, which is added to the overrides. Errors: as
 * there. */
BASE_MUST_USE enum duet_code gating_recall(struct store *store, const int64_t *ids,
                                           size_t count,
                                           struct analysis_overrides *overrides,
                                           struct answer *ret_answers,
                                           struct duet_error *reterr);

/* An answer once more, with new slower by *by (NaN: becomes twice its --max-slowdown,
 * else 5 %), and its gate. *ret_noticed: that does not pass. Errors: those of
 * answer_make(). */
BASE_MUST_USE enum duet_code gating_test(struct store *store,
                                         const struct answer *answer, double *by,
                                         struct answer *ret_slowed, bool *ret_noticed,
                                         struct duet_error *reterr);

#endif
