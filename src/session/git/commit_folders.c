#include "session/git/commit_folders.h"

#include <string.h>

static void close_slot(struct commit_folders *folders, size_t slot)
{
    if (folders->open[slot]) {
        worktree_close(folders->cache, &folders->worktrees[slot]);
        folders->worktrees[slot] = (struct worktree){0};
        folders->open[slot] = false;
    }
}

void commit_folders_close(struct commit_folders *folders)
{
    for (size_t i = 0; i < COMMIT_FOLDERS; i++) {
        close_slot(folders, i);
    }
}

static enum duet_code open_slot(struct commit_folders *folders, size_t slot,
                                const struct git_revision *revision,
                                struct duet_error *reterr)
{
    enum duet_code code = worktree_open(folders->cache, revision, folders->build,
                                        &folders->worktrees[slot], reterr);
    folders->open[slot] = code == DUET_OK;
    folders->builds += code == DUET_OK && !folders->worktrees[slot].built;
    return code;
}

enum duet_code commit_folders_open(struct commit_folders *folders,
                                   const struct git_revision *first,
                                   const struct git_revision *second,
                                   struct duet_error *reterr)
{
    bool same = strcmp(first->tree, second->tree) == 0;
    bool turned = worktree_is_before(second, first);
    enum duet_code code = turned ? open_slot(folders, 1, second, reterr) : DUET_OK;
    if (code == DUET_OK) {
        code = open_slot(folders, 0, first, reterr);
    }
    if (code == DUET_OK && !same && !turned) {
        code = open_slot(folders, 1, second, reterr);
    }
    return code == DUET_OK ? git_build_all(folders->cache, folders->build,
                                           folders->worktrees, same ? 1 : 2, reterr)
                           : code;
}

/* Of those that hold no end of the history: an empty one, or the one used first. */
static size_t slot_to_give(const struct commit_folders *folders)
{
    size_t slot = 1;
    for (size_t i = 2; i < COMMIT_FOLDERS; i++) {
        slot = folders->used[i] < folders->used[slot] ? i : slot;
    }
    return slot;
}

enum duet_code commit_folders_get(struct commit_folders *folders,
                                  const struct git_revision *revision,
                                  const char **ret_folder, struct duet_error *reterr)
{
    folders->calls++;
    for (size_t i = 0; i < COMMIT_FOLDERS; i++) {
        const struct worktree *worktree = &folders->worktrees[i];
        if (folders->open[i] && strcmp(worktree->revision->tree, revision->tree) == 0) {
            folders->used[i] = folders->calls;
            *ret_folder = worktree->folder;
            return DUET_OK;
        }
    }
    size_t slot = slot_to_give(folders);
    close_slot(folders, slot);
    enum duet_code code = open_slot(folders, slot, revision, reterr);
    if (code == DUET_OK) {
        code = git_build_all(folders->cache, folders->build, &folders->worktrees[slot],
                             1, reterr);
    }
    if (code != DUET_OK) {
        close_slot(folders, slot);
        return code;
    }
    folders->used[slot] = folders->calls;
    *ret_folder = folders->worktrees[slot].folder;
    return DUET_OK;
}
