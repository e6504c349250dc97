#include "session/git/submodules.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 16 };
static const char key_begin[] = "submodule.";
static const char key_end[] = ".path";

/* A worktree and where its submodules come from. */
struct level {
    const struct git_repo *repo;
    const struct git_revision *revision;
    const char *folder;  /* of the worktree */
    const char *modules; /* the folder of fetched submodules, by name */
    const char *top;     /* the user's own working tree; NULL: none */
    int depth;
};

static enum duet_code fill(const struct level *level, struct duet_error *reterr);

/* What git says in the worktree; nothing where it refuses. Errors: those of git_call(),
 * an interruption too: else the worktree would be kept without its submodules. */
static enum duet_code ask(const struct level *level, const char *const *words,
                          struct text *output, struct duet_error *reterr)
{
    struct git_words call = {.folder = level->folder, .words = words};
    struct duet_error error = {0};
    enum duet_code code = git_call(level->repo, &call, output, &error);
    if (code == DUET_OK || code == DUET_E_NOT_FOUND) {
        return DUET_OK;
    }
    return error_set(reterr, code, "%s", error.message);
}

/* The submodule's commit there; "": it has none, since .gitmodules may name old ones.
 */
static enum duet_code find_used(const struct level *level, const char *path,
                                char ret_commit[GIT_HASH_BYTES],
                                struct duet_error *reterr)
{
    static const char mode[] = "160000 ";
    const char *const words[] = {"ls-files", "-s", "--", path, NULL};
    struct text entry = {0};
    enum duet_code code = ask(level, words, &entry, reterr);
    const char *line = text_string(&entry);
    const char *commit =
        strncmp(line, mode, strlen(mode)) == 0 ? line + strlen(mode) : "";
    (void)snprintf(ret_commit, GIT_HASH_BYTES, "%.*s", (int)strcspn(commit, " "),
                   commit);
    text_release(&entry);
    return code;
}

static bool has_commit(const struct level *level, const char *source,
                       const char *commit)
{
    const char *const words[] = {"cat-file", "-e", commit, NULL};
    struct git_words call = {.folder = source, .words = words};
    return git_call(level->repo, &call, NULL, NULL) == DUET_OK;
}

/* Where the submodule was fetched to: the repository's own folder, or that of the
 * user's working tree, which is another one in a linked worktree. free(). NULL:
 * nowhere. */
static char *find_source(const struct level *level, const char *name, const char *path,
                         const char *commit)
{
    char *source = alloc_format("%s/%s", level->modules, name);
    char *git =
        level->top == NULL ? NULL : alloc_format("%s/%s/.git", level->top, path);
    bool is_here = source != NULL && access(source, F_OK) == 0;
    bool is_there = git != NULL && access(git, F_OK) == 0;
    if (is_there && !(is_here && has_commit(level, source, commit))) {
        char *other = alloc_string_n(git, strlen(git) - strlen("/.git"));
        if (!is_here || (other != NULL && has_commit(level, other, commit))) {
            free(source);
            source = other;
            is_here = true;
        } else {
            free(other);
        }
    }
    free(git);
    if (!is_here) {
        free(source);
        return NULL;
    }
    return source;
}

static enum duet_code update(const struct level *level, const char *name,
                             const char *path, const char *source,
                             struct duet_error *reterr)
{
    char *settings[] = {alloc_format("submodule.%s.url=%s", name, source),
                        alloc_format("submodule.%s.active=true", name),
                        alloc_format("submodule.%s.update=checkout", name)};
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    if (settings[0] == NULL || settings[1] == NULL || settings[2] == NULL) {
        code = error_no_memory(reterr);
    } else {
        const char *const words[] = {"-c",        "protocol.file.allow=always",
                                     "-c",        settings[0],
                                     "-c",        settings[1],
                                     "-c",        settings[2],
                                     "submodule", "--quiet",
                                     "update",    "--init",
                                     "--",        path,
                                     NULL};
        struct git_words call = {.folder = level->folder, .words = words};
        code = git_call(level->repo, &call, NULL, &error);
    }
    for (size_t i = 0; i < 3; i++) {
        free(settings[i]);
    }
    if (code == DUET_E_NOT_FOUND) {
        return error_set(
            reterr, DUET_E_USAGE,
            "cannot check out the submodule '%s' of %s: %s; fetch its commits: "
            "git submodule foreach git fetch",
            path, level->revision->label, error.message);
    }
    return code == DUET_OK || error.message[0] == '\0'
               ? code
               : error_set(reterr, code, "%s", error.message);
}

static enum duet_code fill_one(const struct level *level, const char *name,
                               const char *path, struct duet_error *reterr)
{
    char commit[GIT_HASH_BYTES];
    enum duet_code code = find_used(level, path, commit, reterr);
    if (code != DUET_OK || commit[0] == '\0') {
        return code;
    }
    char *source = find_source(level, name, path, commit);
    if (source == NULL) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the submodule '%s' of %s is not in this repository: fetch it with "
            "git submodule update --init --recursive, then repeat the command",
            path, level->revision->label);
    }
    char *folder = alloc_format("%s/%s", level->folder, path);
    char *modules = alloc_format("%s/modules", source);
    char *top = level->top != NULL ? alloc_format("%s/%s", level->top, path) : NULL;
    code = folder == NULL || modules == NULL
               ? error_no_memory(reterr)
               : update(level, name, path, source, reterr);
    if (code == DUET_OK && level->depth < DEPTH_MAX) {
        struct level below = {.repo = level->repo,
                              .revision = level->revision,
                              .folder = folder,
                              .modules = modules,
                              .top = top,
                              .depth = level->depth + 1};
        code = fill(&below, reterr);
    }
    free(source);
    free(folder);
    free(modules);
    free(top);
    return code;
}

/* `git config -z`: "submodule.NAME.path\nPATH" and a NUL for each. */
static enum duet_code fill(const struct level *level, struct duet_error *reterr)
{
    const char *const words[] = {
        "config", "-z", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$",
        NULL};
    char *file = alloc_format("%s/.gitmodules", level->folder);
    bool any = file != NULL && access(file, F_OK) == 0;
    enum duet_code code = file == NULL ? error_no_memory(reterr) : DUET_OK;
    struct text list = {0};
    free(file);
    if (any) {
        code = ask(level, words, &list, reterr);
    }
    size_t at = 0;
    while (code == DUET_OK && at < list.length) {
        const char *entry = list.bytes + at;
        size_t length = strlen(entry);
        const char *line = strchr(entry, '\n');
        size_t around = strlen(key_begin) + strlen(key_end);
        if (line != NULL && (size_t)(line - entry) > around) {
            char *name = alloc_string_n(entry + strlen(key_begin),
                                        (size_t)(line - entry) - around);
            code = name == NULL ? error_no_memory(reterr)
                                : fill_one(level, name, line + 1, reterr);
            free(name);
        }
        at += length + 1;
    }
    text_release(&list);
    return code;
}

enum duet_code submodules_fill(const struct git_repo *repo,
                               const struct git_revision *revision, const char *folder,
                               struct duet_error *reterr)
{
    char *modules = alloc_format("%s/modules", repo->common);
    if (modules == NULL) {
        return error_no_memory(reterr);
    }
    struct level level = {.repo = repo,
                          .revision = revision,
                          .folder = folder,
                          .modules = modules,
                          .top = repo->top};
    enum duet_code code = fill(&level, reterr);
    free(modules);
    return code;
}

/* ---- Git LFS ---- */

static const char pointer_begin[] = "version https://git-lfs.github.com/spec/";
static const char pointer_size[] = "\nsize ";

static bool is_pointer(const char *bytes)
{
    return strncmp(bytes, pointer_begin, strlen(pointer_begin)) == 0;
}

/* What it points to has so many bytes, as it says itself. */
static bool read_pointer(const char *folder, const char *name, uint64_t *ret_size)
{
    enum { POINTER_BYTES_MAX = 1024 };
    char bytes[POINTER_BYTES_MAX + 1] = "";
    char *path = alloc_format("%s/%s", folder, name);
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    if (file != NULL) {
        bytes[fread(bytes, 1, POINTER_BYTES_MAX, file)] = '\0';
        (void)fclose(file);
    }
    free(path);
    const char *size = strstr(bytes, pointer_size);
    *ret_size =
        size != NULL ? strtoull(size + strlen(pointer_size), NULL, 10) : UINT64_MAX;
    return is_pointer(bytes);
}

char *submodules_warn_of_pointers(const struct git_repo *repo,
                                  const struct git_revision *revision,
                                  const char *folder, const struct listener *listener)
{
    const char *const words[] = {"ls-files", "-z", "--", ":(attr:filter=lfs)", NULL};
    struct git_words call = {.folder = folder, .words = words};
    struct text files = {0};
    size_t count = 0;
    const char *first = NULL;
    const char *least = NULL;
    uint64_t least_bytes = 0;
    if (git_call(repo, &call, &files, NULL) == DUET_OK) {
        for (size_t at = 0; at < files.length; at += strlen(files.bytes + at) + 1) {
            uint64_t bytes = 0;
            if (read_pointer(folder, files.bytes + at, &bytes)) {
                first = first != NULL ? first : files.bytes + at;
                least = least == NULL || bytes < least_bytes ? files.bytes + at : least;
                least_bytes = least == files.bytes + at ? bytes : least_bytes;
                count++;
            }
        }
    }
    if (count > 0) {
        listener_warn(
            listener,
            "%zu file%s of %s (%s, ...) %s of Git LFS, not the content: install git-lfs and run git lfs pull",
            count, count == 1 ? "" : "s", revision->label, first,
            count == 1 ? "is a pointer" : "are pointers");
    }
    char *path = least != NULL ? alloc_string(least) : NULL;
    text_release(&files);
    return path;
}

bool submodules_has_content(const struct git_repo *repo, const char *folder,
                            const char *path)
{
    char *object = alloc_format("HEAD:%s", path);
    const char *const words[] = {"cat-file", "--filters", object, NULL};
    struct git_words call = {.folder = folder, .words = words};
    struct text content = {0};
    bool has = object != NULL && git_call(repo, &call, &content, NULL) == DUET_OK &&
               !is_pointer(text_string(&content));
    text_release(&content);
    free(object);
    return has;
}
