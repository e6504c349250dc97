#include "session/git/bisect_log.h"

#include "base/alloc.h"
#include "base/fnv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char log_name[] = ".bisect-";
static const time_t stale_s = 30L * 24 * 3600;

static bool parse_entry(const char *line, struct bisect_entry *entry)
{
    char *end = NULL;
    unsigned long at = strtoul(line, &end, 10);
    if (end == line || *end != ' ') {
        return false;
    }
    entry->at = at;
    entry->skipped = strcmp(end, " skip\n") == 0;
    if (entry->skipped) {
        return true;
    }
    const char *number = end + 1;
    entry->log_ratio = strtod(number, &end);
    return end != number && *end == '\n' && isfinite(entry->log_ratio);
}

/* What a file holds that begins with the question; *ret_end: behind its last whole
 * line. 0: it is of another one, or empty. */
static enum duet_code read_entries(FILE *file, const char *question,
                                   struct bisect_entry **ret_entries, size_t *ret_count,
                                   long *ret_end, struct duet_error *reterr)
{
    char *line = NULL;
    size_t size = 0;
    size_t capacity = 0;
    size_t length = strlen(question);
    enum duet_code code = DUET_OK;
    *ret_end = 0;
    if (getline(&line, &size, file) == (ssize_t)length + 1 &&
        strncmp(line, question, length) == 0) {
        *ret_end = ftell(file);
        struct bisect_entry entry;
        while (getline(&line, &size, file) > 0 && parse_entry(line, &entry)) {
            struct bisect_entry *entries =
                alloc_grow(*ret_entries, *ret_count, &capacity, sizeof *entries);
            if (entries == NULL) {
                code = error_no_memory(reterr);
                break;
            }
            *ret_entries = entries;
            entries[(*ret_count)++] = entry;
            *ret_end = ftell(file);
        }
    }
    free(line);
    return code;
}

static enum duet_code cannot(const char *path, struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_IO, errno,
                           "cannot keep what is measured in '%s'", path);
}

/* Behind what is to stay of it. */
static enum duet_code begin(struct bisect_log *log, const char *question, long end,
                            struct duet_error *reterr)
{
    if (ftruncate(fileno(log->file), end) != 0 ||
        fseek(log->file, end, SEEK_SET) != 0) {
        return cannot(log->path, reterr);
    }
    if (end == 0 &&
        (fprintf(log->file, "%s\n", question) < 0 || fflush(log->file) != 0)) {
        return cannot(log->path, reterr);
    }
    return DUET_OK;
}

/* Logs that nobody went on with: a month after their last line. */
static void remove_stale(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    int fd = entries == NULL ? -1 : dirfd(entries);
    time_t now = time(NULL);
    while (fd >= 0 && (entry = readdir(entries)) != NULL) {
        struct stat status;
        if (strncmp(entry->d_name, log_name, strlen(log_name)) == 0 &&
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            now - status.st_mtime > stale_s) {
            (void)unlinkat(fd, entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

enum duet_code bisect_log_open(const struct git_cache *cache, const char *question,
                               bool resume, struct bisect_log *ret_log,
                               struct bisect_entry **ret_entries, size_t *ret_count,
                               struct duet_error *reterr)
{
    struct bisect_log log = {0};
    struct bisect_entry *entries = NULL;
    size_t count = 0;
    long end = 0;
    *ret_log = log;
    *ret_entries = NULL;
    *ret_count = 0;
    if (cache->fresh) {
        return DUET_OK;
    }
    remove_stale(cache->folder);
    /* Nobody is to be kept from finding two questions alike, since the question itself
     * is the file's first line. */
    log.path =
        alloc_format("%s/%s%016" PRIx64, cache->folder, log_name, fnv_of(question));
    if (log.path == NULL) {
        return error_no_memory(reterr);
    }
    log.file = fopen(log.path, "a+e"); /* another process may add to it, too */
    enum duet_code code = log.file == NULL ? cannot(log.path, reterr) : DUET_OK;
    if (code == DUET_OK && resume && fseek(log.file, 0, SEEK_SET) != 0) {
        code = cannot(log.path, reterr);
    }
    if (code == DUET_OK && resume) {
        code = read_entries(log.file, question, &entries, &count, &end, reterr);
    }
    if (code == DUET_OK) {
        code = begin(&log, question, end, reterr);
    }
    if (code != DUET_OK) {
        free(entries);
        bisect_log_close(&log, false);
        return code;
    }
    *ret_log = log;
    *ret_entries = entries;
    *ret_count = count;
    return DUET_OK;
}

enum duet_code bisect_log_add(const struct bisect_log *log,
                              const struct bisect_entry *entry,
                              struct duet_error *reterr)
{
    if (log->file == NULL) {
        return DUET_OK;
    }
    int written = entry->skipped
                      ? fprintf(log->file, "%zu skip\n", entry->at)
                      : fprintf(log->file, "%zu %.17g\n", entry->at, entry->log_ratio);
    return written > 0 && fflush(log->file) == 0 ? DUET_OK : cannot(log->path, reterr);
}

void bisect_log_close(struct bisect_log *log, bool concluded)
{
    if (log->file != NULL) {
        (void)fclose(log->file);
    }
    if (concluded && log->path != NULL) {
        (void)unlink(log->path);
    }
    free(log->path);
    *log = (struct bisect_log){0};
}
