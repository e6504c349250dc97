/* Two revisions, checked out and built. */
#ifndef DUET_SESSION_GIT_GIT_SIDES_H
#define DUET_SESSION_GIT_GIT_SIDES_H

#include "model/observation.h"
#include "session/git/git_build.h"
#include "session/git/git_stamp.h"

struct git_sides_request {
    const char *revisions[MODEL_SIDES]; /* as typed; NULL: the defaults */
    const char *build;                  /* NULL: none */
    const char *scratch;                /* a folder */
};

/* Zeroed storage is none. */
struct git_sides {
    struct git_revision revisions[MODEL_SIDES];
    struct model_revision stamps[MODEL_SIDES]; /* what is kept of them */
    struct worktree worktrees[MODEL_SIDES];
    size_t count; /* of worktrees: 1 where both trees are equal */
};

/* Finds the revisions (the old one: the merge base with the main branch; the new one:
 * the working tree), checks them out and builds them. The listener of the cache is told
 * which they are. sides: zeroed; close in any case. Errors: those of git_revision.h,
 * worktree_open() and git_build_all(). */
BASE_MUST_USE enum duet_code git_sides_open(struct git_cache *cache,
                                            const struct git_sides_request *request,
                                            struct git_sides *sides,
                                            struct duet_error *reterr);
/* The worktree's folder. */
const char *git_sides_folder(const struct git_sides *sides, enum model_side side);
void git_sides_close(struct git_cache *cache, struct git_sides *sides);

#endif
