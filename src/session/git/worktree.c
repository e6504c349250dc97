#include "session/git/worktree.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "session/git/compilers.h"
#include "session/git/submodules.h"
#include "session/locked_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_DIGITS = 12, WAIT_MS = 100 };

/* In an entry: a file that is a pointer of Git LFS there, by its path. */
static const char pointer_name[] = "pointer";

static void hash_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text) + 1);
}

void worktree_name(const struct git_revision *revision, const char *build,
                   char ret_name[WORKTREE_NAME_BYTES])
{
    struct sha256 hash;
    char digits[SHA256_TEXT_BYTES];
    sha256_init(&hash);
    hash_text(&hash, revision->tree);
    hash_text(&hash, build != NULL ? build : "");
    if (build != NULL) {
        compilers_add(&hash);
    }
    sha256_finish(&hash, digits);
    (void)snprintf(ret_name, WORKTREE_NAME_BYTES, "%.*s-%.*s", NAME_DIGITS,
                   revision->tree, NAME_DIGITS, digits);
}

/* ---- The lock ---- */

/* Whether the folder still has its name. Errors: errno's value in *ret_errno, but for a
 * name that is gone. */
static bool is_same_folder(int fd, const char *path, int *ret_errno)
{
    struct stat held;
    struct stat named;
    if (fstat(fd, &held) != 0 || stat(path, &named) != 0) {
        *ret_errno = errno == ENOENT ? 0 : errno;
        return false;
    }
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* One attempt: the lock's descriptor, -1: another process has it. Errors: errno's value
 * in *ret_errno. */
static int try_lock(const char *entry, const char *built, int *ret_errno)
{
    *ret_errno = mkdir(entry, 0700) == 0 || errno == EEXIST ? 0 : errno;
    int fd = *ret_errno != 0
                 ? -1
                 : open(entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) { /* ENOENT: another process has just removed it */
        *ret_errno = *ret_errno != 0 || errno == ENOENT ? *ret_errno : errno;
        return -1;
    }
    bool is_built = access(built, F_OK) == 0;
    bool held = flock(fd, (is_built ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 ||
                errno != EWOULDBLOCK; /* where there are no locks there is one user */
    if (!held || !is_same_folder(fd, entry, ret_errno) ||
        (access(built, F_OK) == 0) != is_built) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static enum duet_code lock(const struct git_cache *cache, struct worktree *worktree,
                           const char *built, struct duet_error *reterr)
{
    struct pollfd cancel = {.fd = cache->repo->cancel_fd, .events = POLLIN};
    int errnum = 0;
    int fd = -1;
    for (int i = 0; fd < 0; i++) {
        fd = try_lock(worktree->entry, built, &errnum);
        if (errnum != 0) {
            return error_set_errno(reterr, DUET_E_IO, errnum,
                                   "cannot use '%s' as a folder", worktree->entry);
        }
        if (fd < 0 && i == 1) {
            listener_tell(cache->listener,
                          "another duet uses the worktree of %s: waiting for it",
                          worktree->revision->label);
        }
        if (fd < 0 && poll(&cancel, 1, WAIT_MS) > 0) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
    }
    worktree->lock_fd = fd;
    return DUET_OK;
}

/* ---- The files ---- */

static enum duet_code write_line(const char *folder, const char *name, const char *line,
                                 struct duet_error *reterr)
{
    char *path = alloc_format("%s/%s", folder, name);
    FILE *file = path != NULL ? fopen(path, "we") : NULL;
    bool fine = file != NULL && fputs(line, file) >= 0 && fputc('\n', file) >= 0;
    int errnum = errno;
    if (file != NULL && fclose(file) != 0) {
        fine = false;
        errnum = errno;
    }
    enum duet_code code =
        fine ? DUET_OK
             : error_set_errno(reterr, DUET_E_IO, errnum, "cannot write '%s' in '%s'",
                               name, folder);
    free(path);
    return code;
}

/* A folder of git's own for the worktree, as `git worktree add` makes one, but here:
 * the repository's list of worktrees does not have it. */
static enum duet_code link_git(const struct git_cache *cache,
                               const struct worktree *worktree,
                               struct duet_error *reterr)
{
    char *git = alloc_format("%s/git", worktree->entry);
    char *back = alloc_format("%s/.git", worktree->folder);
    char *link = alloc_format("gitdir: %s/git", worktree->entry);
    enum duet_code code = DUET_OK;
    if (git == NULL || back == NULL || link == NULL) {
        code = error_no_memory(reterr);
    } else if (mkdir(git, 0700) != 0 || mkdir(worktree->folder, 0755) != 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot make a folder in '%s'",
                               worktree->entry);
    }
    if (code == DUET_OK) {
        code = write_line(git, "HEAD", worktree->revision->commit, reterr);
    }
    if (code == DUET_OK) {
        code = write_line(git, "commondir", cache->repo->common, reterr);
    }
    if (code == DUET_OK) {
        code = write_line(git, "gitdir", back, reterr);
    }
    if (code == DUET_OK) {
        code = write_line(worktree->folder, ".git", link, reterr);
    }
    free(git);
    free(back);
    free(link);
    return code;
}

/* Warns of files that are pointers, and notes one of them for the next call. */
static enum duet_code note_pointer(const struct git_cache *cache,
                                   const struct worktree *worktree,
                                   struct duet_error *reterr)
{
    char *path = submodules_warn_of_pointers(cache->repo, worktree->revision,
                                             worktree->folder, cache->listener);
    enum duet_code code = path != NULL
                              ? write_line(worktree->entry, pointer_name, path, reterr)
                              : DUET_OK;
    free(path);
    return code;
}

static enum duet_code check_out(const struct git_cache *cache,
                                const struct worktree *worktree,
                                struct duet_error *reterr)
{
    const struct git_revision *revision = worktree->revision;
    const char *const words[] = {"read-tree", "--reset", "-u", revision->commit, NULL};
    struct duet_error error = {0};
    enum duet_code code = link_git(cache, worktree, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct git_words call = {.folder = worktree->folder, .words = words};
    code = git_call(cache->repo, &call, NULL, &error);
    if (code == DUET_E_NOT_FOUND) {
        return error_set(reterr, DUET_E_IO, "cannot check out %s (%s): %s%s",
                         revision->asked, revision->label, error.message,
                         strstr(error.message, "lfs") != NULL
                             ? "; install git-lfs and run: git lfs pull"
                             : "");
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    code = submodules_fill(cache->repo, revision, worktree->folder, reterr);
    return code == DUET_OK ? note_pointer(cache, worktree, reterr) : code;
}

/* Removes what a process that was killed has left in it. */
static enum duet_code clear(const struct worktree *worktree, struct duet_error *reterr)
{
    char *git = alloc_format("%s/git", worktree->entry);
    char *pointer = alloc_format("%s/%s", worktree->entry, pointer_name);
    const char *paths[] = {worktree->folder, git, pointer};
    enum duet_code code =
        git == NULL || pointer == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t i = 0; i < 3 && code == DUET_OK; i++) {
        if (access(paths[i], F_OK) == 0 && !locked_folder_remove(paths[i])) {
            code = error_set_errno(reterr, DUET_E_IO, errno, "cannot remove '%s'",
                                   paths[i]);
        }
    }
    free(git);
    free(pointer);
    return code;
}

/* ---- What is built ---- */

/* Whether it was checked out with pointers whose content git has by now. Warns, once,
 * where they are still pointers. */
static bool is_outdated(struct git_cache *cache, const struct worktree *worktree)
{
    char *name = alloc_format("%s/%s", worktree->entry, pointer_name);
    FILE *file = name != NULL ? fopen(name, "re") : NULL;
    char *path = NULL;
    size_t size = 0;
    ssize_t length = file != NULL ? getdelim(&path, &size, '\0', file) : -1;
    bool outdated = false;
    if (length > 0) {
        path[length - 1] = '\0'; /* the end of the line */
        outdated = submodules_has_content(cache->repo, worktree->folder, path);
        if (!outdated && !cache->told) {
            cache->told = true;
            free(submodules_warn_of_pointers(cache->repo, worktree->revision,
                                             worktree->folder, cache->listener));
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(path);
    free(name);
    return outdated;
}

/* What is outdated is not built any more, unless another process uses it. */
static enum duet_code renew(struct git_cache *cache, struct worktree *worktree,
                            const char *built, struct duet_error *reterr)
{
    if (access(built, F_OK) != 0 || !is_outdated(cache, worktree)) {
        return DUET_OK;
    }
    int ignored = 0; /* lock() meets it again */
    if (flock(worktree->lock_fd, LOCK_EX | LOCK_NB) == 0 &&
        is_same_folder(worktree->lock_fd, worktree->entry, &ignored)) {
        (void)unlink(built);
        return DUET_OK;
    }
    (void)close(worktree->lock_fd); /* the attempt may have cost the lock */
    worktree->lock_fd = 0;
    return lock(cache, worktree, built, reterr);
}

/* ---- All of it ---- */

static enum duet_code name_paths(const struct git_cache *cache, const char *name,
                                 struct worktree *worktree, struct duet_error *reterr)
{
    worktree->entry = cache->fresh
                          ? alloc_format("%s/%s-%d", cache->folder, name, (int)getpid())
                          : alloc_format("%s/%s", cache->folder, name);
    if (worktree->entry == NULL) {
        return error_no_memory(reterr);
    }
    worktree->folder = alloc_format("%s/tree", worktree->entry);
    worktree->log = alloc_format("%s.log", worktree->entry);
    return worktree->folder != NULL && worktree->log != NULL ? DUET_OK
                                                             : error_no_memory(reterr);
}

static void release(struct worktree *worktree)
{
    if (worktree->lock_fd > 0) {
        (void)close(worktree->lock_fd);
    }
    free(worktree->entry);
    free(worktree->folder);
    free(worktree->log);
    *worktree = (struct worktree){0};
}

bool worktree_is_before(const struct git_revision *a, const struct git_revision *b)
{
    return strcmp(a->tree, b->tree) < 0;
}

enum duet_code worktree_open(struct git_cache *cache,
                             const struct git_revision *revision, const char *build,
                             struct worktree *ret_worktree, struct duet_error *reterr)
{
    struct worktree worktree = {.revision = revision};
    char name[WORKTREE_NAME_BYTES];
    worktree_name(revision, build, name);
    enum duet_code code = name_paths(cache, name, &worktree, reterr);
    char *built = code == DUET_OK ? alloc_format("%s/built", worktree.entry) : NULL;
    if (code == DUET_OK) {
        code = built == NULL ? error_no_memory(reterr)
                             : lock(cache, &worktree, built, reterr);
    }
    if (code == DUET_OK) {
        code = renew(cache, &worktree, built, reterr);
    }
    if (code == DUET_OK && access(built, F_OK) == 0) {
        worktree.built = true;
        (void)utimensat(AT_FDCWD, built, NULL, 0);
    } else if (code == DUET_OK) {
        code = clear(&worktree, reterr);
        code = code == DUET_OK ? check_out(cache, &worktree, reterr) : code;
    }
    free(built);
    if (code != DUET_OK) {
        worktree_close(cache, &worktree);
        return code;
    }
    *ret_worktree = worktree;
    return DUET_OK;
}

enum duet_code worktree_keep(const struct git_cache *cache, struct worktree *worktree,
                             struct duet_error *reterr)
{
    worktree->built = true;
    if (cache->fresh) {
        return DUET_OK;
    }
    enum duet_code code =
        write_line(worktree->entry, "built", worktree->revision->label, reterr);
    (void)flock(worktree->lock_fd, LOCK_SH | LOCK_NB);
    return code;
}

void worktree_close(struct git_cache *cache, struct worktree *worktree)
{
    bool keep = worktree->built && !cache->fresh;
    if (worktree->lock_fd > 0 && !keep) {
        if (!locked_folder_remove(worktree->entry)) {
            listener_warn(cache->listener, "cannot remove '%s': remove it by hand",
                          worktree->entry);
        }
        if (worktree->built) {
            (void)unlink(worktree->log);
        }
    }
    release(worktree);
}
