/* Measures a suite, and answers it: prepare, open, measure, answer, end. */
#ifndef DUET_SESSION_SUITE_SUITE_SESSION_H
#define DUET_SESSION_SUITE_SUITE_SESSION_H

#include "session/comparison/answer.h"
#include "session/session.h"
#include "session/suite/suite_plan.h"

/* What became of an entry. */
enum suite_outcome {
    SUITE_OUTCOME_NONE,
    SUITE_OUTCOME_DONE,
    SUITE_OUTCOME_FAILED,
    SUITE_OUTCOME_CUT /* interrupted; it has finished runs */
};

struct suite_session {
    /* The caller's; `with` has its cancel_fd and listener, machine and store are the
     * session's own. */
    const struct suite_request *request;
    struct suite_plan *plan;
    const char *path; /* of the suite's file, absolute */
    struct session with;
    /* Its own. */
    int64_t run; /* of the store */
    bool set_up; /* the suite's set-up began, and its clean-up did not */
    enum suite_outcome *outcomes;
    int64_t *experiments; /* 0: none */
    char **reasons;       /* of what failed, owned; NULL: did not, or no memory */
    size_t taken;         /* entries that were there already */
    size_t failed;
    size_t found[MODEL_VERDICTS]; /* of the entries that have ended now */
    uint64_t began_ns;
    double done_ns; /* that the measured entries took */
    size_t measured;
    /* Of the entries that have not ended: what their plans take, and how many have no
     * such plan. */
    uint64_t planned_ns;
    size_t unplanned;
};

/* Finds what is wrong with any benchmark before the first is measured. Release in any
 * case. Errors: those of the machine and of suite_entry_make(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_session_prepare(struct suite_session *session,
                                                   struct duet_error *reterr);
/* Opens the store, and its run: a new one, or the last with what of it is done. Errors:
 * DUET_E_USAGE (another process is at the last one), the store's. */
BASE_MUST_USE enum duet_code suite_session_open(struct suite_session *session,
                                                struct duet_error *reterr);
/* Measures what is not in the store yet, one benchmark after the other, with the
 * suite's set-up and clean-up around it; where failing ones are to be confirmed the
 * clean-up is left to suite_session_clean(). A failing benchmark does not keep the
 * others from it, and the listener is told at once. Errors: what ended all of it; the
 * listener knows already. */
BASE_MUST_USE enum duet_code suite_session_measure(struct suite_session *session,
                                                   struct duet_error *reterr);
/* The answers of what is done or failed, and of the finished runs of the one that was
 * interrupted if they have one, in the file's order, judged together and kept.
 * ret_answers: zeroed, MODEL_ROLES for each of plan->count, since a control is one,
 * too; *ret_count are set, also on failure. Errors: those of answer_make() and
 * answers_conclude(). */
BASE_MUST_USE enum duet_code suite_session_answer(const struct suite_session *session,
                                                  struct answer *ret_answers,
                                                  size_t *ret_count,
                                                  struct duet_error *reterr);
/* Measures those again that fail their gate and are to be confirmed, behind the suite's
 * set-up: confirm_failing(). Where the set-up fails, none is. */
BASE_MUST_USE enum duet_code suite_session_confirm(struct suite_session *session,
                                                   struct answer **answers,
                                                   size_t *count,
                                                   struct duet_error *reterr);
/* The suite's clean-up, where it is due. Errors: DUET_E_WORKLOAD, DUET_E_NOMEM; the
 * listener knows already. */
BASE_MUST_USE enum duet_code suite_session_clean(struct suite_session *session,
                                                 struct duet_error *reterr);
/* Keeps how it has ended: with `code`. Errors: the store's. */
BASE_MUST_USE enum duet_code suite_session_end(const struct suite_session *session,
                                               enum duet_code code,
                                               struct duet_error *reterr);
void suite_session_release(struct suite_session *session);

#endif
