#include "session/fleet/fleet_candidates.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "model/name_table.h"
#include "store/store_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 16 };

/* ---- Finding ---- */

struct finding {
    struct fleet_candidates found;
    const char *ending; /* of files in folders */
    size_t capacity;
    struct model_name_table folders; /* that were looked into, by their identity */
};

static enum duet_code add_file(struct finding *finding, const char *path,
                               const struct stat *status, struct duet_error *reterr)
{
    struct fleet_candidates *found = &finding->found;
    void *grown =
        alloc_grow(found->list, found->count, &finding->capacity, sizeof *found->list);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    found->list = grown;
    struct fleet_candidate candidate = {
        .path = alloc_string(path),
        .moment_ns =
            (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec};
    if (candidate.path == NULL) {
        return error_no_memory(reterr);
    }
    const char *slash = strrchr(candidate.path, '/');
    candidate.name = slash == NULL ? candidate.path : slash + 1;
    candidate.named = fleet_result_parse(candidate.name, &candidate.parsed);
    enum duet_code code =
        candidate.named ? DUET_OK : fleet_file_hash(path, candidate.hash, reterr);
    if (code != DUET_OK) {
        free(candidate.path);
        return code;
    }
    found->list[found->count++] = candidate;
    return DUET_OK;
}

/* The store that a fleet was collected into: it has what the results have. */
static bool is_collected(const char *folder, const char *name)
{
    return strcmp(name, FLEET_STORE) == 0 && fleet_is(folder);
}

static enum duet_code add_folder(struct finding *finding, const char *folder,
                                 unsigned depth, struct duet_error *reterr);

static enum duet_code add_entry(struct finding *finding, const char *folder,
                                const char *name, unsigned depth,
                                struct duet_error *reterr)
{
    struct stat status;
    char *path = alloc_format("%s/%s", folder, name);
    enum duet_code code = path == NULL ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK && stat(path, &status) != 0) {
        /* A link that leads nowhere, or a file that somebody has just removed. */
        code = errno == ENOENT ? DUET_OK
                               : error_set_errno(reterr, DUET_E_IO, errno,
                                                 "cannot look at '%s'", path);
    } else if (code == DUET_OK) {
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
            code = add_folder(finding, path, depth + 1, reterr);
        } else if (S_ISREG(status.st_mode) && text_ends_with(name, finding->ending) &&
                   strcmp(name, finding->ending) != 0 && !is_collected(folder, name)) {
            code = add_file(finding, path, &status, reterr);
        }
    }
    free(path);
    return code;
}

/* *ret_first: the folder was not looked into yet. A few links suffice for billions of
 * ways to the same folders. */
static enum duet_code enter(struct finding *finding, DIR *entries, const char *folder,
                            bool *ret_first, struct duet_error *reterr)
{
    struct stat status;
    char identity[FILE_IDENTITY_BYTES];
    uint32_t number = 0;
    size_t known = finding->folders.count;
    int fd = dirfd(entries);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot look at '%s'", folder);
    }
    file_identity(&status, identity);
    enum duet_code code = model_name_table_find(&finding->folders, identity,
                                                strlen(identity), &number, reterr);
    *ret_first = finding->folders.count > known;
    return code;
}

static enum duet_code add_folder(struct finding *finding, const char *folder,
                                 unsigned depth, struct duet_error *reterr)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    bool first = false;
    if (entries == NULL) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", folder);
    }
    enum duet_code code = enter(finding, entries, folder, &first, reterr);
    while (code == DUET_OK && first &&
           (entry = fleet_next_entry(entries, folder, &code, reterr)) != NULL) {
        code = add_entry(finding, folder, entry->d_name, depth, reterr);
    }
    (void)closedir(entries);
    return code;
}

static enum duet_code add_path(struct finding *finding, const char *path,
                               struct duet_error *reterr)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return error_set_errno(reterr, errno == ENOENT ? DUET_E_NOT_FOUND : DUET_E_IO,
                               errno, "cannot collect from '%s'", path);
    }
    return S_ISDIR(status.st_mode) ? add_folder(finding, path, 0, reterr)
                                   : add_file(finding, path, &status, reterr);
}

/* ---- Order ---- */

static int compare_tasks(const struct fleet_candidate *a,
                         const struct fleet_candidate *b)
{
    if (a->named != b->named) {
        return a->named ? -1 : 1;
    }
    if (!a->named) {
        return strcmp(a->hash, b->hash);
    }
    int by_fleet = strcmp(a->parsed.id, b->parsed.id);
    return by_fleet != 0
               ? by_fleet
               : (a->parsed.task > b->parsed.task) - (a->parsed.task < b->parsed.task);
}

bool fleet_candidate_same_task(const struct fleet_candidate *a,
                               const struct fleet_candidate *b)
{
    return compare_tasks(a, b) == 0;
}

static int by_task(const void *a, const void *b)
{
    const struct fleet_candidate *left = a;
    const struct fleet_candidate *right = b;
    int order = compare_tasks(left, right);
    if (order == 0) {
        order =
            (left->moment_ns > right->moment_ns) - (left->moment_ns < right->moment_ns);
    }
    order = order == 0 ? strcmp(left->name, right->name) : order;
    return order == 0 ? strcmp(left->path, right->path) : order;
}

/* What has no name of its own is known by its content. */
static void drop_copies(struct fleet_candidates *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct fleet_candidate *candidate = &found->list[i];
        if (!candidate->named && kept > 0 &&
            fleet_candidate_same_task(&found->list[kept - 1], candidate)) {
            free(candidate->path);
        } else {
            found->list[kept++] = *candidate;
        }
    }
    found->count = kept;
}

enum duet_code fleet_candidates_find(const struct fleet *fleet,
                                     const char *const *paths, size_t path_count,
                                     struct fleet_candidates *ret_candidates,
                                     struct duet_error *reterr)
{
    struct finding finding = {.ending = fleet == NULL ? FLEET_STORE_ENDING
                                                      : fleet_result_ending(fleet)};
    enum duet_code code = DUET_OK;
    if (fleet != NULL) {
        char *results = fleet_path(fleet, FLEET_RESULTS);
        code = results == NULL ? error_no_memory(reterr) : DUET_OK;
        /* It is missing where there is none yet, and nobody may make it. */
        if (code == DUET_OK && (access(results, F_OK) == 0 || errno != ENOENT)) {
            code = add_path(&finding, results, reterr);
        }
        free(results);
    }
    for (size_t i = 0; i < path_count && code == DUET_OK; i++) {
        code = add_path(&finding, paths[i], reterr);
    }
    model_name_table_release(&finding.folders);
    if (code != DUET_OK) {
        fleet_candidates_release(&finding.found);
        return code;
    }
    if (finding.found.count > 0) {
        qsort(finding.found.list, finding.found.count, sizeof *finding.found.list,
              by_task);
    }
    drop_copies(&finding.found);
    *ret_candidates = finding.found;
    return DUET_OK;
}

void fleet_candidates_release(struct fleet_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->list[i].path);
    }
    free(candidates->list);
    *candidates = (struct fleet_candidates){.list = NULL};
}

/* ---- Judging ---- */

static void keep_first(void *context, const char *line)
{
    char *first = context;
    if (first[0] == '\0') {
        text_copy(first, 256, line);
    }
}

static enum duet_code check_store(const char *path, struct duet_error *reterr)
{
    struct store *store = NULL;
    struct store_checked checked = {.faults = 0};
    char first[256] = "";
    enum duet_code code = store_open(path, false, &store, reterr);
    if (code == DUET_OK) {
        code = store_check(store, keep_first, first, &checked, reterr);
    }
    if (code == DUET_OK && checked.faults > 0) {
        code = error_set(reterr, DUET_E_FORMAT, "it is damaged: %s", first);
    }
    store_close(store);
    return code;
}

enum duet_code fleet_candidate_check(const struct fleet_candidate *candidate,
                                     struct duet_error *reterr)
{
    char hash[65];
    if (!candidate->named) {
        return check_store(candidate->path, reterr);
    }
    enum duet_code code = fleet_file_hash(candidate->path, hash, reterr);
    return code == DUET_OK &&
                   strncmp(hash, candidate->parsed.hash, FLEET_RESULT_HASH_DIGITS) != 0
               ? error_set(
                     reterr, DUET_E_FORMAT,
                     "it was cut or changed: its content is not what its name says")
               : code;
}

enum duet_code fleet_taken_read(const struct fleet *fleet,
                                struct model_words *ret_names,
                                struct duet_error *reterr)
{
    char line[256];
    struct duet_error error;
    int fd = -1;
    char *path = fleet_path(fleet, FLEET_TAKEN);
    enum duet_code code =
        path == NULL ? error_no_memory(&error) : file_open_plain(path, &fd, &error);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && file == NULL) {
        (void)close(fd);
        code = error_no_memory(&error);
    }
    code = code == DUET_E_NOT_FOUND ? DUET_OK : code;
    if (code != DUET_OK) {
        (void)error_set(reterr, code, "%s", error.message);
    }
    while (code == DUET_OK && file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        code = model_words_add(ret_names, line, reterr);
    }
    if (code == DUET_OK && file != NULL && ferror(file) != 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(path);
    return code;
}
