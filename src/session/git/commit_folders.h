/* The folders of a few commits at a time, checked out and built when they are wanted.
 */
#ifndef DUET_SESSION_GIT_COMMIT_FOLDERS_H
#define DUET_SESSION_GIT_COMMIT_FOLDERS_H

#include "session/git/git_build.h"

#include <stdint.h>

enum { COMMIT_FOLDERS = 3 };

/* Zeroed, but for the first two. */
struct commit_folders {
    struct git_cache *cache;
    const char *build; /* NULL: none */
    struct worktree worktrees[COMMIT_FOLDERS];
    bool open[COMMIT_FOLDERS];
    uint64_t used[COMMIT_FOLDERS]; /* when, counted in calls */
    uint64_t calls;
    size_t builds; /* made so far, those of the cache not counted */
};

/* The folder of a revision. Where no slot has the same files, it takes the place of
 * what was used longest ago; slot 0 stays. *ret_folder: borrowed, until two other
 * revisions were asked for. revision: borrowed for as long. Errors: DUET_E_WORKLOAD (it
 * does not build: says why), and those of worktree_open(). */
BASE_MUST_USE enum duet_code commit_folders_get(struct commit_folders *folders,
                                                const struct git_revision *revision,
                                                const char **ret_folder,
                                                struct duet_error *reterr);

/* Both at once into slots 0 and 1, which are empty: built side by side. */
BASE_MUST_USE enum duet_code commit_folders_open(struct commit_folders *folders,
                                                 const struct git_revision *first,
                                                 const struct git_revision *second,
                                                 struct duet_error *reterr);
void commit_folders_close(struct commit_folders *folders);

#endif
