/* The commits between two, by first parents: what was merged counts as one. */
#ifndef DUET_SESSION_GIT_GIT_HISTORY_H
#define DUET_SESSION_GIT_GIT_HISTORY_H

#include "session/git/git_revision.h"

#include <stddef.h>

struct git_commit {
    struct git_revision revision;
    char *subject; /* as it was written: any bytes without a line end */
    char *author;
    char *date; /* "2026-11-20" */
};

/* Zeroed storage is none. */
struct git_history {
    struct git_commit *commits; /* oldest first: [0] is `from`, [count - 1] `to` */
    size_t count;
};

/* Errors: DUET_E_USAGE (`from` is no ancestor of `to`, or both are the same), and those
 * of git_revision_find(). */
BASE_MUST_USE enum duet_code git_history_find(const struct git_repo *repo,
                                              const char *from, const char *to,
                                              struct git_history *ret_history,
                                              struct duet_error *reterr);
/* All that lead to `to`, from the first one on. Errors: those of git_revision_find().
 */
BASE_MUST_USE enum duet_code git_history_whole(const struct git_repo *repo,
                                               const char *to,
                                               struct git_history *ret_history,
                                               struct duet_error *reterr);
void git_history_release(struct git_history *history);

#endif
