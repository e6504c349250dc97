/* Which commit made a benchmark slower: measurements between a good and a bad commit
 * until one is left (stats/sequential/bisect.h). docs/bisect.md describes it. */
#ifndef DUET_SESSION_GIT_BISECT_SEARCH_H
#define DUET_SESSION_GIT_BISECT_SEARCH_H

#include "session/comparison/answer.h"
#include "session/comparison/run_request.h"
#include "session/git/commit_folders.h"
#include "session/git/git_history.h"
#include "session/session.h"

/* How far it is: after every change of the commit, and at the end. */
struct bisect_step {
    const struct git_history *history;
    const double *weights; /* of candidate b in 1 .. count - 1, adding up to 1 */
    bool fresh;            /* for the first time */
    size_t at;             /* the commit that is measured next; 0: none */
    size_t candidates;     /* that are left */
    size_t builds;         /* so far */
    size_t blocks;         /* so far */
    uint64_t elapsed_ns;
    double builds_left; /* about */
    double left_ns;     /* about; NaN: not known yet */
};

/* Strings are borrowed. */
struct bisect_request {
    const char *good; /* as typed */
    const char *bad;
    const char *build;             /* NULL: none */
    const char *bench;             /* a command line */
    const struct run_request *run; /* how to measure; not settled, without sides */
    double alpha;                  /* at most so often a wrong commit; settled */
    double effect;      /* the least slowdown that counts, a fraction; NaN: half of what
                           bad is surely slower by */
    bool dear_builds;   /* commits are changed less often */
    uint64_t budget_ns; /* for measurements and builds */
    bool resume;        /* go on with what an interrupted search has measured */
    void (*tell)(void *context, const struct bisect_step *step);
    void *context;
};

enum bisect_end {
    BISECT_FOUND,   /* one commit */
    BISECT_GROUP,   /* one of several that cannot be told apart: they do not build */
    BISECT_SEVERAL, /* it was not one step: what is left is surely smaller than half of
                       what was looked for, beside the commit before it */
    BISECT_UNSURE,  /* the time is over: one of those that are left */
    BISECT_NOT_SLOWER /* bad is not surely slower than good */
};
const char *bisect_end_name(enum bisect_end end); /* "found" ... */

/* Zeroed storage is none. */
struct bisect_result {
    struct git_history history;
    enum bisect_end end;
    size_t first; /* candidates that are left: from, to, and how many */
    size_t last;
    size_t count;
    double *weights;  /* by candidate, from 1; NULL before the search */
    bool *skipped;    /* by commit: it cannot be measured */
    double threshold; /* a slowdown as a fraction: what the search told apart */
    size_t builds;
    size_t blocks;
    size_t resumed; /* of the blocks: of an earlier call */
    uint64_t elapsed_ns;
    bool has_whole;
    struct answer whole; /* bad against good */
    bool has_step;
    struct answer step; /* the commit found against the one before it */
    bool step_is_part;  /* surely smaller than the whole, so that there are others */
    bool step_is_small; /* surely smaller than what was looked for */
};

/* What can be known before anything is built. Sets alpha by the confidence. Errors:
 * DUET_E_USAGE, and those of run_request_settle(). */
BASE_MUST_USE enum duet_code bisect_request_settle(struct bisect_request *request,
                                                   struct duet_error *reterr);

/* Carries it out, settled. The session's store keeps the comparisons of `whole` and
 * `step`, and not the blocks. *ret_result: zeroed; release in any case, an interrupted
 * search has what it knew. Errors: DUET_E_USAGE, DUET_E_WORKLOAD (good or bad does not
 * build, or its command fails), DUET_E_INTERRUPTED, and those of measuring. */
BASE_MUST_USE enum duet_code bisect_search(const struct bisect_request *request,
                                           struct git_cache *cache,
                                           const struct session *session,
                                           struct bisect_result *ret_result,
                                           struct duet_error *reterr);
void bisect_result_release(struct bisect_result *result);

#endif
