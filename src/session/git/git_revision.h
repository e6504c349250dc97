/* What is compared: commits, and the working tree with its uncommitted changes. */
#ifndef DUET_SESSION_GIT_GIT_REVISION_H
#define DUET_SESSION_GIT_GIT_REVISION_H

#include "session/git/git_call.h"
#include "session/listener.h"

enum { GIT_HASH_BYTES = 65 }; /* of SHA-256, with the NUL */

/* Zeroed storage is none. Strings are its own. */
struct git_revision {
    char *asked; /* as it was typed, or what it was derived from; for messages */
    char *label; /* short: "1a2b3c4", "1a2b3c4+changes" */
    char commit[GIT_HASH_BYTES];
    char tree[GIT_HASH_BYTES];
    bool changed; /* the working tree, with changes that are in no commit */
};

/* The commit that `words` mean to git: a branch, tag, hash, "HEAD~3". Errors:
 * DUET_E_USAGE (there is none: says what to do, in a shallow clone too), and those of
 * git_call(). */
BASE_MUST_USE enum duet_code git_revision_find(const struct git_repo *repo,
                                               const char *words,
                                               struct git_revision *ret_revision,
                                               struct duet_error *reterr);

/* The working tree: tracked files with their changes, and untracked ones that are not
 * ignored, but for duet's own .duet folders. Without changes it is HEAD. With changes
 * it is a commit that no ref names: neither the index nor a file is touched. scratch: a
 * folder for the index that is used instead. Warns of changes inside submodules, and
 * of untracked repositories, which are not in it. Errors: DUET_E_USAGE (a bare
 * repository; unresolved conflicts), and those of git_call(). */
BASE_MUST_USE enum duet_code
git_revision_take_changes(const struct git_repo *repo, const char *scratch,
                          const struct listener *listener,
                          struct git_revision *ret_revision, struct duet_error *reterr);

/* Where `head` left the main branch: the merge base with origin/HEAD, else origin/main,
 * origin/master, main or master; the commit before `head` where that is `head` itself.
 * Errors: DUET_E_USAGE (no main branch, no common commit, a first commit), and those of
 * git_call(). */
BASE_MUST_USE enum duet_code git_revision_find_base(const struct git_repo *repo,
                                                    const struct git_revision *head,
                                                    struct git_revision *ret_revision,
                                                    struct duet_error *reterr);

void git_revision_release(struct git_revision *revision);

#endif
