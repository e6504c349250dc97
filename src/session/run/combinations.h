/* The comparisons of a `duet run`: one for each combination of its parameters, from the
 * request to concluded answers. */
#ifndef DUET_SESSION_RUN_COMBINATIONS_H
#define DUET_SESSION_RUN_COMBINATIONS_H

#include "session/comparison/answer.h"
#include "session/comparison/resume.h"
#include "session/session.h"

/* Zeroed but for the caller's. */
struct combinations {
    /* The caller's, borrowed. */
    const struct run_request *request;
    const struct session *session;
    bool tells_failure; /* a single command that fails has an answer, too */
    /* Its own. */
    struct answer *answers; /* concluded: see combinations_conclude() */
    size_t count;
    int64_t cut_short; /* the experiment that did not end well; 0: none */
    uint64_t kept;     /* its finished runs */
    /* For its functions only. */
    int64_t *experiments; /* of the combinations; 0: none */
    struct resume resume;
};

/* Finds what is wrong with any combination before the first is measured and before
 * there is a store, and warns the session's listener of what is probably not meant.
 * Errors: those of benchmark_make(), benchmark_pick_cpus() and measure_check(). */
BASE_MUST_USE enum duet_code combinations_check(const struct run_request *request,
                                                const struct session *session,
                                                struct duet_error *reterr);

/* Measures and analyses one combination after the other, or the experiment that goes
 * on. What was answered before an error stays; so does what the finished runs of an
 * interrupted experiment say, and that a command failed, where there are several or
 * tells_failure. Errors: DUET_E_NOMEM, DUET_E_INTERRUPTED, those of
 * combinations_check() and resume_open(), and what a measurement fails with. */
BASE_MUST_USE enum duet_code combinations_answer(struct combinations *all,
                                                 struct duet_error *reterr);

/* Judges the answers together, puts those of regions behind theirs, and where `whole`
 * measures again what fails its gate (--confirm). Errors: those of answers_conclude(),
 * regions_conclude() and confirm_failing(). */
BASE_MUST_USE enum duet_code combinations_conclude(struct combinations *all, bool whole,
                                                   struct duet_error *reterr);

void combinations_release(struct combinations *all);

#endif
