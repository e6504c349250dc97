/* Building worktrees, several at a time. */
#ifndef DUET_SESSION_GIT_GIT_BUILD_H
#define DUET_SESSION_GIT_GIT_BUILD_H

#include "session/git/worktree.h"

/* Runs `command` (NULL: none) with /bin/sh in each worktree that is not built, at most
 * as many at a time as there are CPUs; {dir} in it is the worktree. What it prints goes
 * to the worktree's log. Processes that it leaves in its process group are killed. All
 * are waited for, also when one fails.
 * Errors: DUET_E_WORKLOAD (one failed: which revision, its status, its last lines, the
 * log), DUET_E_INTERRUPTED, DUET_E_SYSTEM, DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code git_build_all(struct git_cache *cache, const char *command,
                                           struct worktree *worktrees, size_t count,
                                           struct duet_error *reterr);

#endif
