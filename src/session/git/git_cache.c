#include "session/git/git_cache.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/trust.h"
#include "session/locked_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_DIGITS = 16, KEPT_LOGS = 16 };
/* In a repository's folder: whose it is. In an entry's: that it is built. */
static const char owner_name[] = "repository";
static const char built_name[] = "built";

/* ---- Folders ---- */

static enum duet_code make_folders(char *path, struct duet_error *reterr)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL) {
            *slash = '\0';
        }
        int errnum = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
        if (errnum != 0) {
            struct stat status; /* a read-only file system says so of what is there */
            errnum = stat(path, &status) == 0 ? 0 : errnum;
        }
        if (errnum != 0) {
            return error_set_errno(
                reterr, DUET_E_IO, errnum,
                "cannot make the folder '%s' for builds; set XDG_CACHE_HOME to another place",
                path);
        }
        if (slash == NULL) {
            return DUET_OK;
        }
        *slash = '/';
    }
}

static enum duet_code check_one(const char *path, struct duet_error *reterr)
{
    uid_t owner = 0;
    switch (trust_look(path, &owner)) {
    case TRUST_OTHERS_OWN:
        return error_set(
            reterr, DUET_E_IO,
            "'%s' belongs to another user (number %lu), and duet runs what is built in it: "
            "set XDG_CACHE_HOME to a folder of your own",
            path, (unsigned long)owner);
    case TRUST_OTHERS_WRITE:
        return error_set(
            reterr, DUET_E_IO,
            "other users can write '%s', and duet runs what is built in it: "
            "close it with chmod go-w '%s', or set XDG_CACHE_HOME to another folder",
            path, path);
    case TRUST_UNKNOWN:
        return error_set_errno(
            reterr, DUET_E_IO, errno,
            "cannot look at '%s'; set XDG_CACHE_HOME to another folder", path);
    case TRUST_FINE:
        break;
    }
    return DUET_OK;
}

/* home: of all repositories. The outermost first: once it is closed to others, nobody
 * can put anything into it between a look and its use. */
static enum duet_code check_folders(const char *home, const char *folder,
                                    struct duet_error *reterr)
{
    char *top = alloc_format("%.*s", (int)(strlen(home) - strlen("/git")), home);
    enum duet_code code =
        top == NULL ? error_no_memory(reterr) : check_one(top, reterr);
    if (code == DUET_OK) {
        code = check_one(home, reterr);
    }
    if (code == DUET_OK) {
        code = check_one(folder, reterr);
    }
    free(top);
    return code;
}

/* The folder of all repositories; free(). */
static enum duet_code find_home(char **ret_home, struct duet_error *reterr)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path = NULL;
    if (cache != NULL && *cache == '/') {
        path = alloc_format("%s/duet/git", cache);
    } else if (home != NULL && *home == '/') {
        path = alloc_format("%s/.cache/duet/git", home);
    } else {
        return error_set(
            reterr, DUET_E_USAGE,
            "there is no place for builds: set XDG_CACHE_HOME to a folder that may be written to");
    }
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    if (!locked_folder_is_plain(path)) {
        enum duet_code code = error_set(
            reterr, DUET_E_USAGE,
            "'%s': commands get this path, and it has a character that shells interpret: "
            "set XDG_CACHE_HOME to another folder",
            path);
        free(path);
        return code;
    }
    *ret_home = path;
    return DUET_OK;
}

static bool has_file(const char *folder, const char *name)
{
    char *path = alloc_format("%s/%s", folder, name);
    bool found = path == NULL || access(path, F_OK) == 0;
    free(path);
    return found;
}

/* ---- What nobody uses ---- */

/* Removes it unless another process holds its lock. */
static void remove_unused(const char *path)
{
    int fd = locked_folder_open(path);
    if (fd >= 0) {
        (void)locked_folder_remove(path);
        (void)close(fd);
    }
}

/* Calls `visit` for each entry but "." and "..". */
static void each(const char *folder, void *context,
                 void (*visit)(void *context, const char *path, const char *name))
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        char *path = entry->d_name[0] == '.'
                         ? NULL
                         : alloc_format("%s/%s", folder, entry->d_name);
        if (path != NULL) {
            visit(context, path, entry->d_name);
        }
        free(path);
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

/* What was never finished: of a process that was killed, or at work. */
static void remove_unfinished(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    if (!has_file(path, built_name)) {
        remove_unused(path);
    }
}

static void remove_entry(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    remove_unused(path);
}

static bool is_gone(const char *folder)
{
    char *owner = NULL; /* all of the file: the path may have several lines */
    size_t size = 0;
    char *path = alloc_format("%s/%s", folder, owner_name);
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    bool known = file != NULL && getdelim(&owner, &size, '\0', file) > 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    bool gone = known && access(owner, F_OK) != 0 && errno == ENOENT;
    free(owner);
    free(path);
    return gone;
}

static void remove_orphan(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    if (is_gone(path)) {
        each(path, NULL, remove_entry);
        remove_unused(path);
    }
}

/* ---- Opening ---- */

static enum duet_code note_owner(const struct git_cache *cache,
                                 struct duet_error *reterr)
{
    char *path = alloc_format("%s/%s", cache->folder, owner_name);
    FILE *file = path != NULL ? fopen(path, "we") : NULL;
    bool fine = file != NULL && fputs(cache->repo->common, file) >= 0;
    fine = file != NULL && fclose(file) == 0 && fine;
    free(path);
    return fine ? DUET_OK
                : error_set_errno(
                      reterr, DUET_E_IO, errno,
                      "cannot write to '%s'; set XDG_CACHE_HOME to another folder",
                      cache->folder);
}

enum duet_code git_cache_open(const struct git_repo *repo,
                              const struct listener *listener,
                              struct git_cache *ret_cache, struct duet_error *reterr)
{
    struct git_cache cache = {
        .keep = GIT_CACHE_KEEP, .repo = repo, .listener = listener};
    char digits[SHA256_TEXT_BYTES];
    char *home = NULL;
    struct sha256 hash;
    enum duet_code code = find_home(&home, reterr);
    if (code != DUET_OK) {
        return code;
    }
    sha256_init(&hash);
    sha256_add(&hash, repo->common, strlen(repo->common));
    sha256_finish(&hash, digits);
    cache.folder = alloc_format("%s/%.*s", home, NAME_DIGITS, digits);
    code = cache.folder == NULL ? error_no_memory(reterr)
                                : make_folders(cache.folder, reterr);
    if (code == DUET_OK) {
        code = check_folders(home, cache.folder, reterr);
    }
    if (code == DUET_OK) {
        code = note_owner(&cache, reterr);
    }
    if (code == DUET_OK) {
        each(home, NULL, remove_orphan);
        each(cache.folder, NULL, remove_unfinished);
    }
    free(home);
    if (code != DUET_OK) {
        free(cache.folder);
        return code;
    }
    *ret_cache = cache;
    return DUET_OK;
}

/* ---- Closing ---- */

struct aged {
    char *path;
    struct timespec used;
};

struct aged_list {
    struct aged *items;
    size_t count;
    size_t capacity;
};

static void add_aged(struct aged_list *list, const char *path, const char *dated)
{
    struct stat status;
    struct aged *grown =
        stat(dated, &status) != 0
            ? NULL
            : alloc_grow(list->items, list->count, &list->capacity, sizeof *grown);
    char *copy = grown != NULL ? alloc_string(path) : NULL;
    list->items = grown != NULL ? grown : list->items;
    if (copy != NULL) {
        list->items[list->count++] =
            (struct aged){.path = copy, .used = status.st_mtim};
    }
}

static void add_built(void *context, const char *path, const char *name)
{
    (void)name;
    char *built = alloc_format("%s/%s", path, built_name);
    if (built != NULL) {
        add_aged(context, path, built);
    }
    free(built);
}

/* A log whose build is gone. */
static void add_log(void *context, const char *path, const char *name)
{
    size_t length = strlen(name);
    char *entry = length > 4 && strcmp(name + length - 4, ".log") == 0
                      ? alloc_string_n(path, strlen(path) - 4)
                      : NULL;
    if (entry != NULL && access(entry, F_OK) != 0) {
        add_aged(context, path, path);
    }
    free(entry);
}

/* The one used last first. */
static int compare_ages(const void *a, const void *b)
{
    const struct timespec *left = &((const struct aged *)a)->used;
    const struct timespec *right = &((const struct aged *)b)->used;
    if (left->tv_sec != right->tv_sec) {
        return left->tv_sec > right->tv_sec ? -1 : 1;
    }
    return (left->tv_nsec < right->tv_nsec) - (left->tv_nsec > right->tv_nsec);
}

static void thin_out(struct aged_list *list, size_t keep, bool logs)
{
    if (list->count > 0) {
        qsort(list->items, list->count, sizeof *list->items, compare_ages);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (i >= keep && logs) {
            (void)unlink(list->items[i].path);
        } else if (i >= keep) {
            remove_unused(list->items[i].path);
        }
        free(list->items[i].path);
    }
    free(list->items);
}

void git_cache_close(struct git_cache *cache)
{
    if (cache->folder == NULL) {
        return;
    }
    struct aged_list built = {0};
    each(cache->folder, &built, add_built);
    thin_out(&built, cache->keep, false);
    struct aged_list logs = {0};
    each(cache->folder, &logs, add_log);
    thin_out(&logs, KEPT_LOGS, true);
    free(cache->folder);
    *cache = (struct git_cache){0};
}
