/* The measurements of a search: two commits against each other. */
#ifndef DUET_SESSION_GIT_BISECT_MEASURE_H
#define DUET_SESSION_GIT_BISECT_MEASURE_H

#include "session/git/bisect_search.h"

struct bisect_measure {
    const struct bisect_request *request;
    const struct session *session;
    struct store *scratch; /* for blocks, which nobody asks for again */
    struct commit_folders folders;
    const struct git_history *history;
    enum model_schedule schedule; /* of the blocks, and of what is decided later */
    bool schedule_known;          /* false: what is decided chooses one */
    uint64_t count;               /* measurements so far: each has a seed of its own */
    bool leaves; /* it has been said that commands leave processes running */
};

/* commits[0] against commits[1], numbers in the history, until it is decided and a
 * slowdown's size is known to a factor of three, or budget_ns are over, at this
 * confidence, into the session's store. Errors: DUET_E_WORKLOAD (a commit does not
 * build, or its command fails), and those of measuring. */
BASE_MUST_USE enum duet_code
bisect_measure_decide(struct bisect_measure *measure, const size_t commits[2],
                      double confidence, uint64_t budget_ns, struct answer *ret_answer,
                      struct duet_error *reterr);

/* A block of two runs of commit `at` against the first: ln(its time / that of the
 * first). Of the first itself (0) its runs one after the other, since two at once in
 * its worktree could be in each other's way, and 0. Errors: as above. */
BASE_MUST_USE enum duet_code bisect_measure_block(struct bisect_measure *measure,
                                                  size_t at, double *ret_log_ratio,
                                                  struct duet_error *reterr);

#endif
