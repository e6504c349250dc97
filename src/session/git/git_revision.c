#include "session/git/git_revision.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Questions to git ---- */

/* What git prints for `words`, at most GIT_HASH_BYTES of it: a hash. */
static enum duet_code hash_of(const struct git_repo *repo, const char *const *words,
                              const char *index, char ret_hash[GIT_HASH_BYTES],
                              struct duet_error *reterr)
{
    struct text output = {0};
    struct git_words call = {.folder = repo->top, .index = index, .words = words};
    enum duet_code code = git_call(repo, &call, &output, reterr);
    if (code == DUET_OK) {
        (void)snprintf(ret_hash, GIT_HASH_BYTES, "%s", text_string(&output));
    }
    text_release(&output);
    return code;
}

static enum duet_code verify(const struct git_repo *repo, const char *words,
                             const char *kind, char ret_hash[GIT_HASH_BYTES],
                             struct duet_error *reterr)
{
    char *object = alloc_format("%s^{%s}", words, kind);
    const char *const question[] = {"rev-parse", "--verify", object, NULL};
    enum duet_code code = object == NULL
                              ? error_no_memory(reterr)
                              : hash_of(repo, question, NULL, ret_hash, reterr);
    free(object);
    return code;
}

/* ---- A commit ---- */

void git_revision_release(struct git_revision *revision)
{
    free(revision->asked);
    free(revision->label);
    *revision = (struct git_revision){0};
}

static enum duet_code unknown(const struct git_repo *repo, const char *words,
                              struct duet_error *reterr)
{
    char hash[GIT_HASH_BYTES];
    char *remote = alloc_format("origin/%s", words);
    bool is_remote =
        remote != NULL && verify(repo, remote, "commit", hash, NULL) == DUET_OK;
    free(remote);
    if (is_remote) {
        return error_set(reterr, DUET_E_USAGE,
                         "git knows no commit '%s' here; did you mean 'origin/%s'?",
                         words, words);
    }
    return error_set(
        reterr, DUET_E_USAGE, "git knows no commit '%s' here%s", words,
        repo->shallow
            ? ", and this clone is shallow, so that it may be missing: git fetch --unshallow "
              "(GitHub Actions: fetch-depth: 0)"
            : ": check its name with git log or git branch --all");
}

static enum duet_code describe(const struct git_repo *repo, const char *asked,
                               const char *commit, struct git_revision *ret_revision,
                               struct duet_error *reterr)
{
    struct git_revision revision = {0};
    char label[GIT_HASH_BYTES];
    const char *const shorten[] = {"rev-parse", "--short", commit, NULL};
    enum duet_code code = verify(repo, commit, "tree", revision.tree, reterr);
    if (code == DUET_OK) {
        code = hash_of(repo, shorten, NULL, label, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    text_copy(revision.commit, sizeof revision.commit, commit);
    revision.asked = alloc_string(asked);
    revision.label = alloc_string(label);
    if (revision.asked == NULL || revision.label == NULL) {
        git_revision_release(&revision);
        return error_no_memory(reterr);
    }
    *ret_revision = revision;
    return DUET_OK;
}

/* The commit of what git finds for the words as they are: behind ":/text" a kind would
 * be part of the text. */
static enum duet_code verify_whole(const struct git_repo *repo, const char *words,
                                   char ret_commit[GIT_HASH_BYTES],
                                   struct duet_error *reterr)
{
    char object[GIT_HASH_BYTES];
    const char *const question[] = {"rev-parse", "--verify", words, NULL};
    enum duet_code code = hash_of(repo, question, NULL, object, reterr);
    return code == DUET_OK ? verify(repo, object, "commit", ret_commit, reterr) : code;
}

enum duet_code git_revision_find(const struct git_repo *repo, const char *words,
                                 struct git_revision *ret_revision,
                                 struct duet_error *reterr)
{
    char commit[GIT_HASH_BYTES];
    bool odd = words[0] == '-' || words[0] == '^' || words[0] == '\0';
    enum duet_code code =
        odd ? DUET_E_NOT_FOUND : verify(repo, words, "commit", commit, reterr);
    if (code == DUET_E_NOT_FOUND && !odd) {
        code = verify_whole(repo, words, commit, reterr);
    }
    if (code == DUET_E_NOT_FOUND) {
        return unknown(repo, words, reterr);
    }
    return code == DUET_OK ? describe(repo, words, commit, ret_revision, reterr) : code;
}

/* ---- The working tree ---- */

/* A copy of the index, which spares git from reading every file again. It is as old as
 * the original: git reads again what was changed in the moment in which the index was
 * written, which it tells by that time (git's technical/racy-git). */
static enum duet_code copy_index(const struct git_repo *repo, const char *path,
                                 struct duet_error *reterr)
{
    char bytes[65536];
    ssize_t got = 0;
    bool fine = true;
    int from = open(repo->index, O_RDONLY | O_CLOEXEC);
    if (from < 0 && errno == ENOENT) {
        return DUET_OK; /* nothing was ever added */
    }
    int into = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (from >= 0 && into >= 0 && fine &&
           (got = read(from, bytes, sizeof bytes)) > 0) {
        fine = write(into, bytes, (size_t)got) == got;
    }
    struct stat status;
    fine = fine && from >= 0 && into >= 0 && got == 0 && fstat(from, &status) == 0 &&
           futimens(into, (struct timespec[2]){status.st_atim, status.st_mtim}) == 0;
    int errnum = errno;
    if (from >= 0) {
        (void)close(from);
    }
    if (into >= 0) {
        (void)close(into);
    }
    return fine ? DUET_OK
                : error_set_errno(reterr, DUET_E_IO, errnum, "cannot copy '%s' to '%s'",
                                  repo->index, path);
}

static enum duet_code refuse_conflicts(const struct git_repo *repo, const char *index,
                                       struct duet_error *reterr)
{
    const char *const words[] = {"diff", "--name-only", "--diff-filter=U", NULL};
    struct git_words call = {.folder = repo->top, .index = index, .words = words};
    struct text files = {0};
    enum duet_code code = git_call(repo, &call, &files, reterr);
    const char *list = text_string(&files);
    if (code == DUET_OK && list[0] != '\0') {
        code = error_set(
            reterr, DUET_E_USAGE,
            "the working tree has conflicts ('%.*s'): resolve them, or compare commits: duet git BASE HEAD",
            (int)strcspn(list, "\n"), list);
    }
    text_release(&files);
    return code;
}

/* Lines of `git status --porcelain=v2`: "1 XY S<c><m><u> mH mI mW hH hI path". */
static void warn_of_submodules(const struct git_repo *repo,
                               const struct listener *listener)
{
    enum { SUBMODULE = 5, MODIFIED = 7, UNTRACKED = 8, SPACES = 8 };
    const char *const words[] = {"status", "--porcelain=v2", "--ignore-submodules=none",
                                 "--untracked-files=no", NULL};
    struct git_words call = {.folder = repo->top, .words = words};
    struct text status = {0};
    const char *line = git_call(repo, &call, &status, NULL) == DUET_OK
                           ? text_string(&status)
                           : ""; /* nothing is lost but the warning */
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        if (line[0] == '1' && length > UNTRACKED && line[SUBMODULE] == 'S' &&
            (line[MODIFIED] == 'M' || line[UNTRACKED] == 'U')) {
            const char *path = line;
            for (int i = 0; i < SPACES && path != NULL; i++) {
                path = strchr(path, ' ');
                path = path != NULL ? path + 1 : NULL;
            }
            if (path != NULL) {
                listener_warn(
                    listener,
                    "changes inside the submodule '%.*s' are not measured: commit them there",
                    (int)(line + length - path), path);
            }
        }
        line += length + (line[length] == '\n');
    }
    text_release(&status);
}

/* Of untracked repositories git takes the commit that they are at, and nobody could
 * check it out. They are what ends in a slash among untracked files. */
static void warn_of_repositories(const struct git_repo *repo,
                                 const struct listener *listener)
{
    const char *const words[] = {"ls-files", "-z", "--others", "--exclude-standard",
                                 NULL};
    struct git_words call = {.folder = repo->top, .words = words};
    struct text files = {0};
    if (git_call(repo, &call, &files, NULL) == DUET_OK) {
        for (size_t at = 0; at < files.length; at += strlen(files.bytes + at) + 1) {
            if (text_ends_with(files.bytes + at, "/")) {
                listener_warn(listener,
                              "'%s' is a repository of its own, and no submodule: its "
                              "files are not measured",
                              files.bytes + at);
            }
        }
    }
    text_release(&files);
}

/* The tree of all files as they are, by way of the index at `index`. */
static enum duet_code write_tree(const struct git_repo *repo, const char *index,
                                 char ret_tree[GIT_HASH_BYTES],
                                 struct duet_error *reterr)
{
    const char *const add[] = {
        "add", "-A", "--", ":/", ":(top,exclude,glob)**/.duet/**", NULL};
    const char *const write[] = {"write-tree", NULL};
    struct git_words call = {.folder = repo->top, .index = index, .words = add};
    struct duet_error error;
    enum duet_code code = refuse_conflicts(repo, index, &error);
    if (code == DUET_OK) {
        code = git_call(repo, &call, NULL, &error);
    }
    if (code == DUET_OK) {
        code = hash_of(repo, write, index, ret_tree, &error);
    }
    if (code == DUET_E_NOT_FOUND) {
        return error_set(
            reterr, DUET_E_USAGE,
            "git cannot take the working tree: %s; to compare commits only: duet git BASE HEAD",
            error.message);
    }
    return code == DUET_OK ? DUET_OK : error_set(reterr, code, "%s", error.message);
}

/* HEAD's revision becomes that of a commit on top of it. */
static enum duet_code commit_tree(const struct git_repo *repo, const char *tree,
                                  struct git_revision *revision,
                                  struct duet_error *reterr)
{
    const char *const words[] = {
        "-c", "user.name=duet", "-c", "user.email=duet",        "commit-tree", tree,
        "-p", revision->commit, "-m", "duet: the working tree", NULL};
    char commit[GIT_HASH_BYTES];
    enum duet_code code = hash_of(repo, words, NULL, commit, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *asked = alloc_string("the working tree");
    char *label = alloc_format("%s+changes", revision->label);
    if (asked == NULL || label == NULL) {
        free(asked);
        free(label);
        return error_no_memory(reterr);
    }
    free(revision->asked);
    free(revision->label);
    revision->asked = asked;
    revision->label = label;
    revision->changed = true;
    memcpy(revision->commit, commit, sizeof commit);
    (void)snprintf(revision->tree, sizeof revision->tree, "%s", tree);
    return DUET_OK;
}

enum duet_code git_revision_take_changes(const struct git_repo *repo,
                                         const char *scratch,
                                         const struct listener *listener,
                                         struct git_revision *ret_revision,
                                         struct duet_error *reterr)
{
    char tree[GIT_HASH_BYTES];
    struct git_revision revision = {0};
    if (repo->top == NULL) {
        return error_set(
            reterr, DUET_E_USAGE,
            "this repository is bare and has no working tree: name both commits: duet git BASE HEAD");
    }
    enum duet_code code = git_revision_find(repo, "HEAD", &revision, reterr);
    char *index = alloc_format("%s/index", scratch);
    if (code == DUET_OK) {
        code =
            index == NULL ? error_no_memory(reterr) : copy_index(repo, index, reterr);
    }
    if (code == DUET_OK) {
        warn_of_submodules(repo, listener);
        warn_of_repositories(repo, listener);
        code = write_tree(repo, index, tree, reterr);
    }
    if (code == DUET_OK && strcmp(tree, revision.tree) != 0) {
        code = commit_tree(repo, tree, &revision, reterr);
    }
    if (index != NULL) {
        (void)unlink(index);
    }
    free(index);
    if (code != DUET_OK) {
        git_revision_release(&revision);
        return code;
    }
    *ret_revision = revision;
    return DUET_OK;
}

/* ---- The base ---- */

static enum duet_code no_common(const struct git_repo *repo, const char *main_branch,
                                struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_USAGE, "HEAD and %s have no common commit here%s", main_branch,
        repo->shallow
            ? ", since this clone is shallow: git fetch --unshallow (GitHub Actions: fetch-depth: 0), "
              "or name a BASE: duet git BASE"
            : ": name a BASE: duet git BASE");
}

/* The main branch is at `head` already. */
static enum duet_code find_before(const struct git_repo *repo,
                                  const struct git_revision *head,
                                  char ret_commit[GIT_HASH_BYTES],
                                  struct duet_error *reterr)
{
    char *words = alloc_format("%s~1", head->commit);
    enum duet_code code = words == NULL
                              ? error_no_memory(reterr)
                              : verify(repo, words, "commit", ret_commit, reterr);
    free(words);
    if (code == DUET_E_NOT_FOUND) {
        return error_set(
            reterr, DUET_E_USAGE, "%s (%s) has no commit before it here%s", head->asked,
            head->label,
            repo->shallow
                ? ", since this clone is shallow: git fetch --unshallow (GitHub Actions: fetch-depth: 0)"
                : ": name a BASE: duet git BASE");
    }
    return code;
}

static enum duet_code find_main_branch(const struct git_repo *repo,
                                       const char **ret_branch,
                                       struct duet_error *reterr)
{
    static const char *const branches[] = {"origin/HEAD", "origin/main",
                                           "origin/master", "main", "master"};
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
        char hash[GIT_HASH_BYTES];
        struct duet_error error;
        enum duet_code code = verify(repo, branches[i], "commit", hash, &error);
        if (code == DUET_OK) {
            *ret_branch = branches[i];
            return DUET_OK;
        }
        if (code != DUET_E_NOT_FOUND) {
            return error_set(reterr, code, "%s", error.message);
        }
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "there is no main branch (origin/HEAD, main or master): name a BASE: duet git BASE");
}

enum duet_code git_revision_find_base(const struct git_repo *repo,
                                      const struct git_revision *head,
                                      struct git_revision *ret_revision,
                                      struct duet_error *reterr)
{
    const char *found = NULL;
    enum duet_code code = find_main_branch(repo, &found, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char commit[GIT_HASH_BYTES];
    char asked[64];
    const char *const words[] = {"merge-base", found, head->commit, NULL};
    (void)snprintf(asked, sizeof asked, "merge base with %s", found);
    code = hash_of(repo, words, NULL, commit, reterr);
    if (code == DUET_E_NOT_FOUND) {
        return no_common(repo, found, reterr);
    }
    if (code == DUET_OK && strcmp(commit, head->commit) == 0) {
        text_copy(asked, sizeof asked, "the commit before HEAD");
        code = find_before(repo, head, commit, reterr);
    }
    return code == DUET_OK ? describe(repo, asked, commit, ret_revision, reterr) : code;
}
