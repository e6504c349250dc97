/* Several answers, judged together or each by itself, kept, and summed up. */
#ifndef DUET_SESSION_COMPARISON_ANSWERS_H
#define DUET_SESSION_COMPARISON_ANSWERS_H

#include "model/geomean.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/answer.h"

/* What was just measured together, each analysed by its stored description: judges them
 * when there are several, and keeps that they belong together and their verdicts.
 * Errors: DUET_E_NOMEM, and those of the store. */
BASE_MUST_USE enum duet_code answers_conclude(struct store *store,
                                              struct answer *answers, size_t count,
                                              struct duet_error *reterr);

/* Judges together, and their gates, what is in no store by itself: each analysed by
 * comparison.analysis, of which the first one's rule and confidence are for all.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code answers_judge(struct answer *answers, size_t count,
                                           struct duet_error *reterr);

/* Judges the gate of each by its own verdict, which must be final. answers_conclude(),
 * answers_judge() and answers_recall() have done that. */
void answers_judge_gates(struct answer *answers, size_t count);

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

/* The same, but one that failed is a row even when it is alone: what is written for
 * programs, as when it was measured. */
BASE_MUST_USE enum duet_code
answers_recall_rows(struct store *store, const int64_t *ids, size_t count,
                    const struct analysis_overrides *overrides,
                    struct answer *ret_answers, struct duet_error *reterr);

/* The experiments of those that have a verdict of their own: measured, and no control.
 * ret_ids: room for `count`. Returns how many. */
size_t answers_judged(const struct answer *answers, size_t count, int64_t *ret_ids);

/* Whether one of them was measured (count >= 1). Errors: DUET_E_WORKLOAD: all failed
 * before their first run had ended; says why the first one did. */
BASE_MUST_USE enum duet_code answers_check_measured(const struct answer *answers,
                                                    size_t count,
                                                    struct duet_error *reterr);

/* What the stored analysis came to, or now comes to: made anew where `overrides` (NULL:
 * nothing) change it or another duet has made it, and then kept unless they do. Not
 * known of an experiment without an answer; answers_recall() says why. Errors:
 * DUET_E_NOMEM, DUET_E_IO, DUET_E_SYSTEM, DUET_E_FORMAT (what is stored of it is
 * damaged). */
BASE_MUST_USE enum duet_code answers_verdict(struct store *store,
                                             const struct store_experiment *experiment,
                                             const struct analysis_overrides *overrides,
                                             struct store_verdict *ret_verdict,
                                             struct duet_error *reterr);

/* Before answers_verdict() of many experiments: store_expect() of those whose verdicts
 * have to be computed. store_settle() comes behind the last one. Errors: those of
 * store_expect(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code answers_expect(struct store *store,
                                            const struct store_experiment *experiments,
                                            size_t count,
                                            const struct analysis_overrides *overrides,
                                            struct duet_error *reterr);

/* The experiments of these words (store_experiment_find()), each with its control and
 * confirmations behind it, where they are not among them. *ret_ids: *ret_count, free().
 * Errors: DUET_E_NOT_FOUND, DUET_E_USAGE (ambiguous), DUET_E_NOMEM, the store's. */
BASE_MUST_USE enum duet_code answers_find(struct store *store, char *const *which,
                                          size_t count, int64_t **ret_ids,
                                          size_t *ret_count, struct duet_error *reterr);

/* The same of experiments by their ids. */
BASE_MUST_USE enum duet_code answers_with_companions(struct store *store,
                                                     const int64_t *named, size_t count,
                                                     int64_t **ret_ids,
                                                     size_t *ret_count,
                                                     struct duet_error *reterr);

/* What answers say together. Release with answers_overall_release(). */
struct answers_overall {
    struct model_comparison *comparisons; /* of all answers; names etc. are theirs */
    size_t count;
    double took_s;    /* all of them */
    bool has_geomean; /* see analysis_geomean() */
    struct model_geomean geomean;
};

/* answers: borrowed, for as long as the result lives. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code answers_sum_up(const struct answer *answers, size_t count,
                                            struct answers_overall *ret_overall,
                                            struct duet_error *reterr);
void answers_overall_release(struct answers_overall *overall);

#endif
