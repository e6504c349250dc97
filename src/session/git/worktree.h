/* A revision's files in a folder of their own, at the same place each time, so that
 * what was built there can be used again. */
#ifndef DUET_SESSION_GIT_WORKTREE_H
#define DUET_SESSION_GIT_WORKTREE_H

#include "session/git/git_cache.h"
#include "session/git/git_revision.h"

/* Zeroed storage is none. */
struct worktree {
    char *entry;  /* in the cache: the folder that holds all of it, and its lock */
    char *folder; /* the files: {dir} */
    char *log;    /* what the build printed; stays when the build has failed */
    int lock_fd;  /* held until worktree_close(), by the kernel's grace also no longer
                     than the process lives; 0: none */
    bool built;   /* by an earlier call, or git_build_all() */
    const struct git_revision *revision; /* borrowed */
};

enum { WORKTREE_NAME_BYTES = 32 };
/* What it is made of, as the name of its entry: the revision's tree, the command that
 * builds it (NULL: none), and the compilers that this finds. */
void worktree_name(const struct git_revision *revision, const char *build,
                   char ret_name[WORKTREE_NAME_BYTES]);

/* Checks the revision out, submodules and LFS files too, unless it is there, built with
 * the same command (NULL: none) by the same compilers (compilers.h), and not with
 * pointers of Git LFS in place of files whose content has come since. Waits while
 * another process builds it. Within one process a tree is opened once: revisions of
 * equal trees share their worktree, and of several that are opened before one is built,
 * the first by worktree_is_before() is opened first. Errors: DUET_E_USAGE (a submodule
 * that is not here: says what to do), DUET_E_IO, and those of git_call().
 */
BASE_MUST_USE enum duet_code worktree_open(struct git_cache *cache,
                                           const struct git_revision *revision,
                                           const char *build,
                                           struct worktree *ret_worktree,
                                           struct duet_error *reterr);
/* The order in which every process opens worktrees: two that open the same ones the
 * other way round would wait for each other for ever. */
bool worktree_is_before(const struct git_revision *a, const struct git_revision *b);
/* It is built: the next call may take it as it is. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code worktree_keep(const struct git_cache *cache,
                                           struct worktree *worktree,
                                           struct duet_error *reterr);
/* Keeps it for the next call when it is built, else removes it; the log of a failed
 * build stays. */
void worktree_close(struct git_cache *cache, struct worktree *worktree);

#endif
