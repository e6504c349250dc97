/* Where worktrees and their builds are kept: $XDG_CACHE_HOME/duet/git, a folder for
 * each repository, in it one for each pair of tree and build command. The repository
 * itself is not touched: git worktree list shows none of them. */
#ifndef DUET_SESSION_GIT_GIT_CACHE_H
#define DUET_SESSION_GIT_GIT_CACHE_H

#include "session/git/git_call.h"
#include "session/listener.h"

#include <stddef.h>

enum { GIT_CACHE_KEEP = 8, GIT_CACHE_KEEP_MAX = 10000 };

struct git_cache {
    char *folder; /* of the repository, absolute; a shell needs no quotes for it */
    size_t keep;  /* builds that stay after git_cache_close() */
    bool fresh;   /* --no-cache: nothing is taken from it or left in it */
    bool told;    /* that what is taken from it has pointers of Git LFS */
    const struct git_repo *repo;
    const struct listener *listener;
};

/* Makes the folder, and removes what killed processes left in it and what belongs to
 * repositories that are gone. Both are borrowed. Errors: DUET_E_USAGE (a path that
 * shells interpret, no home: says to set XDG_CACHE_HOME), DUET_E_IO (also: another user
 * can write there), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code git_cache_open(const struct git_repo *repo,
                                            const struct listener *listener,
                                            struct git_cache *ret_cache,
                                            struct duet_error *reterr);
/* Removes all but the `keep` builds used last, and their old logs; none that another
 * process uses. */
void git_cache_close(struct git_cache *cache);

#endif
