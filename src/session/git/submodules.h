/* What a worktree needs besides the files that git checks out. */
#ifndef DUET_SESSION_GIT_SUBMODULES_H
#define DUET_SESSION_GIT_SUBMODULES_H

#include "session/git/git_revision.h"

/* Fills the submodules of the worktree in `folder` from those that the repository has
 * fetched: neither the network nor the repository's configuration is touched. Errors:
 * DUET_E_USAGE (one is not here: says what to do), and those of git_call(). */
BASE_MUST_USE enum duet_code submodules_fill(const struct git_repo *repo,
                                             const struct git_revision *revision,
                                             const char *folder,
                                             struct duet_error *reterr);

/* Warns when files are pointers of Git LFS instead of their content. Returns the path
 * of the one with the least content, free(); NULL: there are none, or no memory. */
char *submodules_warn_of_pointers(const struct git_repo *repo,
                                  const struct git_revision *revision,
                                  const char *folder, const struct listener *listener);
/* Whether git, asked to check out that file now, would write its content. */
bool submodules_has_content(const struct git_repo *repo, const char *folder,
                            const char *path);

#endif
