/* The benchmarks of a store over their commits: what `duet history` shows. */
#ifndef DUET_SESSION_HISTORY_SET_H
#define DUET_SESSION_HISTORY_SET_H

#include "analysis/history/history.h"
#include "session/git/git_call.h"
#include "store/store_revision.h"

struct history_request {
    const char *benchmark; /* its name, a part of it or a shell pattern; NULL: all */
    const char *reference; /* a commit; NULL: the oldest */
    const char *branch;    /* whose commits are shown; NULL: HEAD */
    struct analysis_history_options options; /* without the reference */
};

/* What can be known before a store is opened. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code
history_request_check(const struct history_request *request, struct duet_error *reterr);

struct history_commit {
    char hash[MODEL_HASH_BYTES];
    char label[MODEL_HASH_BYTES]; /* short */
    const char *subject;          /* borrowed from the set's links */
    int64_t committed_utc_ms;
    size_t line; /* number among all commits of the branch; SIZE_MAX: none of it */
};

struct history_benchmark {
    char *name;
    bool named;  /* that is a name, and no command line */
    bool region; /* ... of a part of the benchmark's iterations */
    const char
        *suite; /* the file that it is of, or ""; borrowed from the set's links */
    struct analysis_history answer; /* one commit for each of the set's */
    size_t comparisons;
    size_t open; /* comparisons that are left out, since their interval is open */
    size_t
        equal; /* commits with the program of an earlier one, which stands for them */
    size_t *last; /* by commit: the last one that it stands for; NULL: none */
};

/* Zeroed storage is none. */
struct history_set {
    struct history_commit *commits; /* those shown first, in order */
    size_t count;
    size_t shown;
    struct history_benchmark *benchmarks; /* by name */
    size_t benchmark_count;
    bool by_branch;    /* in the order of the branch; else by the commits' times */
    bool shallow;      /* of the branch not all commits are here */
    size_t dropped;    /* commits, the oldest, that are too many */
    size_t changed;    /* comparisons left out: of uncommitted changes */
    size_t unanswered; /* ... and without an answer */
    size_t cpu_models; /* that they were measured on */
    struct store_link *links; /* all that the store has, ... */
    size_t link_count;
    size_t used; /* ... the first of which are part of it, by benchmark */
};

/* repo: the one that this is in; NULL: none, and the order is that of the commits'
 * times; so it is where none of the commits is one of the branch. Errors: DUET_E_USAGE
 * (nothing measured, no such benchmark or commit: says what there is), those of the
 * store and of git_call(). */
BASE_MUST_USE enum duet_code history_set_load(struct store *store,
                                              const struct git_repo *repo,
                                              const struct history_request *request,
                                              struct history_set *ret_set,
                                              struct duet_error *reterr);
void history_set_release(struct history_set *set);

#endif
