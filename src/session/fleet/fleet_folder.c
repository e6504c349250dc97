#include "session/fleet/fleet_folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/fleet/fleet_json.h"
#include "session/locked_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const folders[] = {FLEET_FILES, FLEET_RESULTS, FLEET_STATES,
                                      FLEET_LOGS, FLEET_JOBS};
enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* ---- Paths ---- */

char *fleet_path(const struct fleet *fleet, const char *name)
{
    return name[0] == '/' ? alloc_string(name)
                          : alloc_format("%s/%s", fleet->path, name);
}

char *fleet_path_in(const struct fleet *fleet, const char *folder, const char *name)
{
    return alloc_format("%s/%s/%s", fleet->path, folder, name);
}

enum duet_code fleet_go_to_folder(const struct fleet *fleet, struct duet_error *reterr)
{
    char *folder = fleet_path(fleet, fleet->plan.folder);
    if (folder == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code =
        chdir(folder) == 0
            ? DUET_OK
            : error_set_errno(reterr, DUET_E_IO, errno,
                              "cannot go to '%s', where the %s was submitted", folder,
                              fleet->plan.study ? "study" : "fleet");
    free(folder);
    return code;
}

int64_t fleet_now_utc_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum duet_code cannot_write(const char *path, struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_IO, errno, "cannot write '%s'", path);
}

/* ---- Files that are whole ---- */

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* The name of a file is on the disk when its folder is. */
static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

static enum duet_code write_whole(const char *folder, const char *path,
                                  const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    char *temporary = alloc_format("%s/.new-XXXXXX", folder);
    if (temporary == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = DUET_OK;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        code = cannot_write(temporary, reterr);
    } else {
        mode_t mask = umask(0);
        (void)umask(mask);
        (void)!fchmod(fd, 0666 & ~mask);
        bool written = write_all(fd, bytes, length) && fsync(fd) == 0;
        written = close(fd) == 0 && written;
        if (!written || rename(temporary, path) != 0) {
            code = cannot_write(path, reterr);
            (void)unlink(temporary);
        }
        sync_folder(folder);
    }
    free(temporary);
    return code;
}

enum duet_code fleet_write(const struct fleet *fleet, const char *folder,
                           const char *name, const char *bytes, size_t length,
                           struct duet_error *reterr)
{
    char *where =
        folder == NULL ? alloc_string(fleet->path) : fleet_path(fleet, folder);
    char *path = where == NULL ? NULL : alloc_format("%s/%s", where, name);
    enum duet_code code = path == NULL
                              ? error_no_memory(reterr)
                              : write_whole(where, path, bytes, length, reterr);
    free(where);
    free(path);
    return code;
}

/* ---- Listing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const struct dirent *fleet_next_entry(DIR *entries, const char *path,
                                      enum duet_code *ret_code,
                                      struct duet_error *reterr)
{
    const struct dirent *entry = NULL;
    do {
        errno = 0;
        entry = readdir(entries);
    } while (entry != NULL && entry->d_name[0] == '.');
    if (entry == NULL && errno != 0) {
        *ret_code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    return entry;
}

enum duet_code fleet_list(const struct fleet *fleet, const char *folder,
                          const char *ending, struct model_words *ret_names,
                          struct duet_error *reterr)
{
    char *path = fleet_path(fleet, folder);
    struct model_words names = {.list = NULL};
    DIR *entries = path == NULL ? NULL : opendir(path);
    enum duet_code code = DUET_OK;
    if (path == NULL) {
        code = error_no_memory(reterr);
    } else if (entries == NULL && errno != ENOENT) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    const struct dirent *entry = NULL;
    while (code == DUET_OK && entries != NULL &&
           (entry = fleet_next_entry(entries, path, &code, reterr)) != NULL) {
        if (text_ends_with(entry->d_name, ending)) {
            code = model_words_add(&names, entry->d_name, reterr);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    free(path);
    if (code != DUET_OK) {
        model_words_release(&names);
        return code;
    }
    if (names.count > 0) {
        qsort((void *)names.list, names.count, sizeof(char *), by_name);
    }
    *ret_names = names;
    return DUET_OK;
}

enum duet_code fleet_ended(const struct fleet *fleet, char ret_why[32],
                           struct duet_error *reterr)
{
    char *path = fleet_path(fleet, FLEET_ENDED);
    int fd = -1;
    struct duet_error error;
    enum duet_code code =
        path == NULL ? error_no_memory(&error) : file_open_plain(path, &fd, &error);
    ssize_t got = fd < 0 ? 0 : read(fd, ret_why, 31);
    if (got < 0) {
        code = error_set_errno(&error, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    code = code == DUET_E_NOT_FOUND ? DUET_OK : code;
    if (code != DUET_OK) {
        (void)error_set(reterr, code, "%s", error.message);
    }
    ret_why[got > 0 ? got : 0] = '\0';
    ret_why[strcspn(ret_why, "\n")] = '\0';
    if (fd >= 0) {
        (void)close(fd);
    }
    free(path);
    return code;
}

/* ---- Making and opening ---- */

static bool is_empty(const char *path)
{
    DIR *entries = opendir(path);
    const struct dirent *entry = NULL;
    bool empty = entries != NULL;
    errno = 0;
    while (empty && (entry = readdir(entries)) != NULL) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    empty = empty && errno == 0;
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return empty;
}

static enum duet_code make_folder(const char *path, struct duet_error *reterr)
{
    int errnum = mkdir(path, 0700) == 0 ? 0 : errno;
    if (errnum == 0 || (errnum == EEXIST && is_empty(path))) {
        return DUET_OK;
    }
    return errnum == EEXIST
               ? error_set(reterr, DUET_E_USAGE,
                           "'%s' is there and not empty: name a new folder with --to",
                           path)
               : error_set_errno(reterr, DUET_E_IO, errnum,
                                 "cannot make the folder '%s'", path);
}

static enum duet_code copy_program(const struct fleet *fleet, const char *program,
                                   struct duet_error *reterr)
{
    struct text bytes = {.bytes = NULL};
    char piece[65536];
    ssize_t got = 0;
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0) {
        text_append_n(&bytes, piece, (size_t)got);
    }
    enum duet_code code = DUET_OK;
    if (fd < 0 || got < 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", program);
    } else if (text_failed(&bytes)) {
        code = error_no_memory(reterr);
    } else {
        code = fleet_write(fleet, NULL, FLEET_PROGRAM, text_string(&bytes),
                           bytes.length, reterr);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    text_release(&bytes);
    char *path = fleet_path(fleet, FLEET_PROGRAM);
    if (code == DUET_OK && path == NULL) {
        code = error_no_memory(reterr);
    } else if (code == DUET_OK && chmod(path, 0755) != 0) {
        code = cannot_write(FLEET_PROGRAM, reterr);
    }
    free(path);
    return code;
}

static enum duet_code write_plan(const struct fleet *fleet, struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    enum duet_code code = formats_fleet_plan_write(&fleet->plan, &text, reterr);
    if (code == DUET_OK) {
        code = fleet_write(fleet, NULL, FLEET_PLAN, text_string(&text), text.length,
                           reterr);
    }
    text_release(&text);
    return code;
}

static enum duet_code fill(const struct fleet *fleet, const char *program,
                           struct duet_error *reterr)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        char *path = fleet_path(fleet, folders[i]);
        if (path == NULL) {
            return error_no_memory(reterr);
        }
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        enum duet_code code = made ? DUET_OK : cannot_write(folders[i], reterr);
        free(path);
        if (code != DUET_OK) {
            return code;
        }
    }
    return copy_program(fleet, program, reterr);
}

/* The folder of a fleet that failed; where it stays, *reterr says that, too. */
static void remove_failed(const char *path, struct duet_error *reterr)
{
    if (!locked_folder_remove(path) && reterr != NULL) {
        int errnum = errno;
        const struct duet_error why = *reterr;
        (void)error_set_errno(reterr, why.code, errnum,
                              "%s; remove it by hand, since duet cannot remove '%s'",
                              why.message, path);
    }
}

enum duet_code fleet_make(const char *path, const char *program,
                          struct model_fleet_plan *take_plan, struct fleet *ret_fleet,
                          struct duet_error *reterr)
{
    enum duet_code code = make_folder(path, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct fleet fleet = {.path = realpath(path, NULL), .plan = *take_plan};
    if (fleet.path == NULL) {
        code = cannot_write(path, reterr);
        (void)rmdir(path);
        return code;
    }
    code = fill(&fleet, program, reterr);
    if (code == DUET_OK) { /* last: a folder with a plan is a fleet */
        code = write_plan(&fleet, reterr);
    }
    if (code != DUET_OK) {
        remove_failed(fleet.path, reterr);
        free(fleet.path);
        return code;
    }
    *take_plan = (struct model_fleet_plan){.suite = NULL};
    *ret_fleet = fleet;
    return DUET_OK;
}

void fleet_discard(struct fleet *fleet, struct duet_error *reterr)
{
    remove_failed(fleet->path, reterr);
    fleet_close(fleet);
}

bool fleet_is(const char *path)
{
    char plan[PATH_MAX];
    int length = snprintf(plan, sizeof plan, "%s/%s", path, FLEET_PLAN);
    /* Where nobody can tell, whoever opens it says why. */
    return length >= (int)sizeof plan || access(plan, F_OK) == 0 ||
           (errno != ENOENT && errno != ENOTDIR);
}

/* Artifacts of CI systems and repositories of git hold no empty folder. Where one
 * cannot be made, whoever writes into it says so. */
static void restore_folders(const struct fleet *fleet)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        char *path = fleet_path(fleet, folders[i]);
        if (path != NULL) {
            (void)mkdir(path, 0777);
        }
        free(path);
    }
}

enum duet_code fleet_open(const char *path, struct fleet *ret_fleet,
                          struct duet_error *reterr)
{
    struct fleet fleet = {.path = realpath(path, NULL)};
    int errnum = fleet.path == NULL ? errno : 0;
    char *plan = fleet.path == NULL ? NULL : fleet_path(&fleet, FLEET_PLAN);
    enum duet_code code = DUET_OK;
    if (plan == NULL && (errnum == 0 || errnum == ENOMEM)) {
        code = error_no_memory(reterr);
    } else if (plan == NULL || !fleet_is(path)) {
        code =
            error_set(reterr, DUET_E_NOT_FOUND,
                      "'%s' is no fleet: it has no %s; 'duet fleet submit' makes one",
                      path, FLEET_PLAN);
    } else {
        code = formats_fleet_plan_read(plan, &fleet.plan, reterr);
    }
    free(plan);
    if (code != DUET_OK) {
        free(fleet.path);
        return code;
    }
    restore_folders(&fleet);
    *ret_fleet = fleet;
    return DUET_OK;
}

void fleet_close(struct fleet *fleet)
{
    free(fleet->path);
    model_fleet_plan_release(&fleet->plan);
    *fleet = (struct fleet){.path = NULL};
}
