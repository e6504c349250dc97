#include "store/store_older.h"

#include "base/alloc.h"
#include "store/store_private.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the database's header. Source: https://sqlite.org/fileformat2.html, section 1.3 */
enum { HEADER_BYTES = 100, VERSION_AT = 60, APPLICATION_AT = 68 };
static const char magic[] = "SQLite format 3";

static uint32_t number_at(const unsigned char *header, size_t at)
{
    uint32_t number = 0;
    memcpy(&number, header + at, sizeof number);
    return be32toh(number);
}

static bool is_older(int fd)
{
    unsigned char header[HEADER_BYTES];
    size_t newest = 0;
    (void)store_schema_steps(&newest);
    return pread(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
           memcmp(header, magic, sizeof magic) == 0 &&
           number_at(header, APPLICATION_AT) == STORE_APPLICATION_ID &&
           number_at(header, VERSION_AT) < newest;
}

/* Whether something of it is in a log beside it. A log that cannot be looked at is
 * there. */
static enum duet_code has_log(const char *path, bool *ret_has,
                              struct duet_error *reterr)
{
    static const char *const endings[] = {"-wal", "-journal"};
    *ret_has = false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct stat status;
        char *log = alloc_format("%s%s", path, endings[i]);
        if (log == NULL) {
            return error_no_memory(reterr);
        }
        *ret_has = *ret_has ||
                   (stat(log, &status) == 0 ? status.st_size > 0 : errno != ENOENT);
        free(log);
    }
    return DUET_OK;
}

static enum duet_code copy_all(int fd, const char *path, const char *to,
                               struct duet_error *reterr)
{
    char piece[65536];
    ssize_t got = 0;
    FILE *file = fopen(to, "wxe");
    bool fine = file != NULL;
    while (fine && (got = read(fd, piece, sizeof piece)) > 0) {
        fine = fwrite(piece, 1, (size_t)got, file) == (size_t)got;
    }
    int errnum = errno;
    bool closed = file == NULL || fclose(file) == 0;
    errnum = fine && got >= 0 ? errno : errnum;
    return fine && closed && got >= 0
               ? DUET_OK
               : error_set_errno(reterr, DUET_E_IO, errnum, "cannot copy '%s' to '%s'",
                                 path, to);
}

static enum duet_code copy(int fd, const char *path, char **ret_copy,
                           struct duet_error *reterr)
{
    char *made = NULL;
    enum duet_code code = store_make_scratch(&made, reterr);
    if (code == DUET_OK) {
        code = copy_all(fd, path, made, reterr);
    }
    if (code != DUET_OK) {
        store_remove_scratch(made);
        return code;
    }
    *ret_copy = made;
    return DUET_OK;
}

enum duet_code store_older_copy(const char *path, char **ret_copy,
                                struct duet_error *reterr)
{
    bool logged = false;
    enum duet_code code = DUET_OK;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *ret_copy = NULL;
    if (fd >= 0 && is_older(fd)) {
        code = has_log(path, &logged, reterr);
        if (code == DUET_OK && !logged) {
            code = copy(fd, path, ret_copy, reterr);
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return code;
}

void store_older_remove(char *take_copy)
{
    store_remove_scratch(take_copy);
}
