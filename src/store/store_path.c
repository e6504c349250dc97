/* Where a store lies, and what can be said about that place before SQLite opens it. */
#include "store/store_private.h"

#include "base/alloc.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_folder[] = ".duet";
static const char default_file[] = "results.db";

char *store_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return alloc_string(".");
    }
    return slash == path ? alloc_string("/")
                         : alloc_string_n(path, (size_t)(slash - path));
}

const char *store_scratch_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && *folder != '\0' ? folder : "/tmp";
}

/* FOLDER/.duet/results.db for the first `length` bytes of `folder`. */
static char *default_in(const char *folder, size_t length)
{
    struct text path = {0};
    text_append_n(&path, folder, length);
    if (length == 0 || folder[length - 1] != '/') {
        text_append_char(&path, '/');
    }
    text_append(&path, default_folder);
    text_append_char(&path, '/');
    text_append(&path, default_file);
    return text_take(&path);
}

char *store_default_path(const char *folder)
{
    char *real = realpath(folder, NULL);
    const char *start = real != NULL ? real : folder;
    char *path = NULL;
    for (size_t length = strlen(start); real != NULL;) {
        path = default_in(start, length);
        struct stat status;
        if (path == NULL || (stat(path, &status) == 0 && S_ISREG(status.st_mode))) {
            free(real);
            return path;
        }
        free(path);
        if (length <= 1) {
            break;
        }
        do {
            length--;
        } while (length > 1 && start[length] != '/');
    }
    path = default_in(start, strlen(start));
    free(real);
    return path;
}

static bool looks_like_url(const char *path)
{
    size_t scheme = strspn(path, "abcdefghijklmnopqrstuvwxyz+");
    return scheme > 0 && strncmp(path + scheme, "://", 3) == 0;
}

static bool may_write(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

bool store_may_write(const char *path)
{
    char *folder = store_folder_of(path);
    char *parent = folder == NULL ? NULL : store_folder_of(folder);
    struct stat status;
    bool may = false;
    if (parent != NULL) {
        may = stat(folder, &status) != 0
                  ? may_write(parent)
                  : may_write(folder) && (stat(path, &status) != 0 || may_write(path));
    }
    free(parent);
    free(folder);
    return may;
}

static enum duet_code look_around(const char *path, struct store_path_facts *facts,
                                  struct duet_error *reterr)
{
    char *folder = store_folder_of(path);
    char *log = alloc_format("%s-wal", path);
    enum duet_code code = DUET_OK;
    if (folder == NULL || log == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    } else {
        struct stat status;
        facts->writable = may_write(folder) && (!facts->exists || may_write(path));
        facts->has_log = stat(log, &status) == 0 && status.st_size > 0;
    }
    free(log);
    free(folder);
    return code;
}

enum duet_code store_path_facts_look(const char *path,
                                     struct store_path_facts *ret_facts,
                                     struct duet_error *reterr)
{
    if (path[0] == '\0') {
        return error_set(reterr, DUET_E_USAGE,
                         "the store's path is empty: name a file with --store");
    }
    if (looks_like_url(path)) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "store '%.*s://...': duet keeps results in SQLite files and in PostgreSQL (postgresql://HOST/DATABASE): "
            "name one of these with --store",
            (int)strcspn(path, ":"), path);
    }
    struct store_path_facts facts = {0};
    struct stat status;
    if (stat(path, &status) == 0) {
        facts.exists = true;
        if (!S_ISREG(status.st_mode)) {
            return error_set(reterr, DUET_E_FORMAT,
                             "store '%s' is %s: name a file with --store", path,
                             S_ISDIR(status.st_mode) ? "a folder" : "not a file");
        }
    } else if (errno != ENOENT) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot open store '%s'",
                               path);
    }
    enum duet_code code = look_around(path, &facts, reterr);
    if (code == DUET_OK) {
        *ret_facts = facts;
    }
    return code;
}

/* Results are not source code: keep them out of the repository that `.duet` lies in. A
 * folder without this file works as well, so a failure is not reported. */
static void ignore_in_git(const char *folder)
{
    char *path = alloc_format("%s/.gitignore", folder);
    if (path == NULL) {
        return;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ssize_t written = write(fd, "*\n", 2);
        (void)written;
        close(fd);
    }
    free(path);
}

enum duet_code store_folder_make(const char *path, struct duet_error *reterr)
{
    char *folder = store_folder_of(path);
    if (folder == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    }
    enum duet_code code = DUET_OK;
    if (mkdir(folder, 0700) == 0) {
        ignore_in_git(folder);
    } else if (errno != EEXIST) {
        code = error_set_errno(
            reterr, DUET_E_IO, errno,
            "cannot make folder '%s' for store '%s' (another place: --store)", folder,
            path);
    }
    free(folder);
    return code;
}

enum duet_code store_folder_check(const char *path, struct duet_error *reterr)
{
    char *folder = store_folder_of(path);
    enum duet_code code = DUET_OK;
    struct stat status;
    if (folder == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    } else if (stat(folder, &status) != 0 && errno == ENOENT) {
        code = error_set(
            reterr, DUET_E_NOT_FOUND,
            "cannot make store '%s': there is no folder '%s': make it with mkdir -p '%s', or name another file "
            "with --store",
            path, folder, folder);
    }
    free(folder);
    return code;
}

enum duet_code store_file_make(const char *path, bool *ret_made,
                               struct duet_error *reterr)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int errnum = errno;
    *ret_made = fd >= 0;
    if (fd >= 0) {
        (void)close(fd);
        return DUET_OK;
    }
    if (errnum == EEXIST && stat(path, &status) == 0) {
        return DUET_OK; /* another duet was faster */
    }
    if (errnum == EEXIST) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s' is a dangling link: remove it, or name another file with "
            "--store",
            path);
    }
    return error_set_errno(reterr, DUET_E_IO, errnum, "cannot make store '%s'", path);
}

enum duet_code store_journal_check(const char *path, struct duet_error *reterr)
{
    static const unsigned char mark[] = {0xd9, 0xd5, 0x05, 0xf9,
                                         0x20, 0xa1, 0x63, 0xd7};
    const off_t length = sizeof mark;
    unsigned char end[sizeof mark];
    struct stat status;
    char *journal = alloc_format("%s-journal", path);
    if (journal == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", path);
    }
    int fd = open(journal, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool names_another =
        fd >= 0 && fstat(fd, &status) == 0 && status.st_size >= length &&
        pread(fd, end, sizeof end, status.st_size - length) == (ssize_t)sizeof end &&
        memcmp(end, mark, sizeof end) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    enum duet_code code =
        names_another
            ? error_set(
                  reterr, DUET_E_IO,
                  "store '%s': '%s' names a file that SQLite would remove, and no duet wrote it: "
                  "delete it, or name another store with --store",
                  path, journal)
            : DUET_OK;
    free(journal);
    return code;
}

char *store_uri(const char *path, bool immutable)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-~";
    struct text uri = {0};
    text_append(&uri, path[0] == '/' ? "file://" : "file:./");
    for (const char *c = path; *c != '\0'; c++) {
        if (strchr(plain, *c) != NULL) {
            text_append_char(&uri, *c);
        } else {
            text_append_format(&uri, "%%%02X", (unsigned)(unsigned char)*c);
        }
    }
    if (immutable) {
        text_append(&uri, "?immutable=1");
    }
    return text_take(&uri);
}
