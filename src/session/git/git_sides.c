#include "session/git/git_sides.h"

#include <string.h>

static enum duet_code find(const struct git_cache *cache,
                           const struct git_sides_request *request,
                           struct git_revision *revisions, struct duet_error *reterr)
{
    const struct git_repo *repo = cache->repo;
    const char *base = request->revisions[MODEL_OLD];
    const char *head = request->revisions[MODEL_NEW];
    enum duet_code code =
        head != NULL
            ? git_revision_find(repo, head, &revisions[MODEL_NEW], reterr)
            : git_revision_take_changes(repo, request->scratch, cache->listener,
                                        &revisions[MODEL_NEW], reterr);
    if (code != DUET_OK) {
        return code;
    }
    return base != NULL ? git_revision_find(repo, base, &revisions[MODEL_OLD], reterr)
                        : git_revision_find_base(repo, &revisions[MODEL_NEW],
                                                 &revisions[MODEL_OLD], reterr);
}

static void tell(const struct git_cache *cache, const struct git_revision *revisions)
{
    const struct git_revision *old = &revisions[MODEL_OLD];
    const struct git_revision *new = &revisions[MODEL_NEW];
    listener_tell(cache->listener, "old: %s (%s); new: %s%s (%s)", old->asked,
                  old->label, new->asked,
                  new->changed ? " with its uncommitted changes" : "", new->label);
    if (strcmp(old->tree, new->tree) == 0) {
        listener_warn(
            cache->listener,
            "%s and %s have the same files: any difference is a false alarm; 'duet aa' is made for this",
            old->label, new->label);
    }
}

enum duet_code git_sides_open(struct git_cache *cache,
                              const struct git_sides_request *request,
                              struct git_sides *sides, struct duet_error *reterr)
{
    enum duet_code code = find(cache, request, sides->revisions, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < MODEL_SIDES && code == DUET_OK; i++) {
        code = git_stamp_read(cache->repo, &sides->revisions[i], &sides->stamps[i],
                              reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    tell(cache, sides->revisions);
    const struct git_revision *old = &sides->revisions[MODEL_OLD];
    const struct git_revision *new = &sides->revisions[MODEL_NEW];
    sides->count = strcmp(old->tree, new->tree) == 0 ? 1 : MODEL_SIDES;
    size_t first = worktree_is_before(new, old) ? MODEL_NEW : MODEL_OLD;
    for (size_t i = 0; i < sides->count && code == DUET_OK; i++) {
        size_t side = i == 0 ? first : 1 - first;
        code = worktree_open(cache, &sides->revisions[side], request->build,
                             &sides->worktrees[side], reterr);
    }
    return code == DUET_OK ? git_build_all(cache, request->build, sides->worktrees,
                                           sides->count, reterr)
                           : code;
}

const char *git_sides_folder(const struct git_sides *sides, enum model_side side)
{
    return sides->worktrees[sides->count > 1 ? (size_t)side : 0].folder;
}

void git_sides_close(struct git_cache *cache, struct git_sides *sides)
{
    for (size_t i = 0; i < MODEL_SIDES; i++) {
        worktree_close(cache, &sides->worktrees[i]);
        git_revision_release(&sides->revisions[i]);
        git_stamp_release(&sides->stamps[i]);
    }
    *sides = (struct git_sides){0};
}
