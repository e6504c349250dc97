#include "formats/source.h"

#include "base/alloc.h"
#include "base/file.h"

#include <archive.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char byte_order_mark[] = {0xEF, 0xBB, 0xBF};

/* What a file may unpack to: so much whatever its size, and so many times its size.
 * Measurements as text shrink to a tenth. */
#define UNPACKED_BYTES_MAX (UINT64_C(64) << 20)
#define UNPACKED_TIMES_MAX UINT64_C(200)

/* ---- Compressed files ---- */

/* By their first bytes. */
static bool is_compressed(const unsigned char *bytes, size_t length)
{
    static const struct {
        const char *bytes;
        size_t length;
    } marks[] = {{"\x1F\x8B", 2}, /* gzip */
                 {"\xFD"
                  "7zXZ",
                  5},                      /* xz */
                 {"\x28\xB5\x2F\xFD", 4},  /* zstd */
                 {"BZh", 3},               /* bzip2 */
                 {"\x04\x22\x4D\x18", 4}}; /* lz4 */
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (length >= marks[i].length &&
            memcmp(bytes, marks[i].bytes, marks[i].length) == 0) {
            return true;
        }
    }
    return false;
}

/* For libarchive: what was read to recognise the file, then the rest of it. */
static la_ssize_t read_packed(struct archive *archive, void *context,
                              const void **ret_bytes)
{
    struct formats_source *source = context;
    if (source->packed_bytes > 0) { /* the first buffer was handed over */
        errno = 0;
        source->length = fread(source->packed, 1, sizeof source->buffer, source->file);
        if (source->length == 0 && ferror(source->file) != 0) {
            source->errnum = errno != 0 ? errno : EIO;
            archive_set_error(archive, source->errnum, "reading failed");
            return -1;
        }
    }
    source->packed_bytes += source->length;
    *ret_bytes = source->packed;
    return (la_ssize_t)source->length;
}

/* Only filters that libarchive has itself: it executes programs for others. */
static int open_archive(struct formats_source *source)
{
    struct archive *archive = source->archive;
    struct archive_entry *entry = NULL;
    if (archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
        archive_read_support_filter_xz(archive) != ARCHIVE_OK ||
        archive_read_support_filter_zstd(archive) != ARCHIVE_OK ||
        archive_read_support_filter_bzip2(archive) != ARCHIVE_OK ||
        archive_read_support_filter_lz4(archive) != ARCHIVE_OK ||
        archive_read_support_format_raw(archive) != ARCHIVE_OK ||
        archive_read_open(archive, source, NULL, read_packed, NULL) != ARCHIVE_OK) {
        return ARCHIVE_FATAL;
    }
    return archive_read_next_header(archive, &entry);
}

static void note_failure(struct formats_source *source)
{
    const char *why = archive_error_string(source->archive);
    (void)snprintf(source->failure, sizeof source->failure,
                   "its compressed bytes are broken: %s",
                   why != NULL ? why : "it ends too early");
}

/* The buffer holds the beginning of a compressed file; afterwards it holds none. */
static enum duet_code unpack(struct formats_source *source, struct duet_error *reterr)
{
    source->packed = alloc_array(1, sizeof source->buffer);
    source->archive = source->packed == NULL ? NULL : archive_read_new();
    if (source->archive == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", source->name);
    }
    memcpy(source->packed, source->buffer, source->length);
    source->bytes = 0;
    if (open_archive(source) != ARCHIVE_OK && source->failure[0] == '\0') {
        note_failure(source);
    }
    source->at = source->length = 0;
    return DUET_OK;
}

/* More of a compressed file; 0 at its end and when it is broken. */
static size_t fill_unpacked(struct formats_source *source)
{
    if (source->failure[0] != '\0') {
        return 0;
    }
    la_ssize_t length =
        archive_read_data(source->archive, source->buffer, sizeof source->buffer);
    if (length < 0) {
        note_failure(source);
        return 0;
    }
    if (source->bytes > UNPACKED_BYTES_MAX &&
        source->bytes / UNPACKED_TIMES_MAX > source->packed_bytes) {
        (void)snprintf(source->failure, sizeof source->failure,
                       "it unpacks to more than %d times its size; unpack it yourself",
                       (int)UNPACKED_TIMES_MAX);
        return 0;
    }
    return (size_t)length;
}

/* ---- Opening ---- */

enum duet_code formats_source_of(FILE *take_file, const char *name,
                                 struct formats_source **ret_source,
                                 struct duet_error *reterr)
{
    struct formats_source *source = alloc_array(1, sizeof *source);
    if (source == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    source->file = take_file;
    source->line = 1;
    source->column = 1;
    (void)snprintf(source->name, sizeof source->name, "%s", name);
    int first = formats_source_fill(source);
    if (first != FORMATS_SOURCE_END && is_compressed(source->buffer, source->length)) {
        enum duet_code code = unpack(source, reterr);
        if (code != DUET_OK) {
            source->file = stdin; /* is not taken over */
            formats_source_close(source);
            return code;
        }
        first = formats_source_fill(source);
    }
    if (first != FORMATS_SOURCE_END && source->length >= sizeof byte_order_mark &&
        memcmp(source->buffer, byte_order_mark, sizeof byte_order_mark) == 0) {
        source->at = sizeof byte_order_mark;
    }
    *ret_source = source;
    return DUET_OK;
}

enum duet_code formats_source_open(const char *path, struct formats_source **ret_source,
                                   struct duet_error *reterr)
{
    if (strcmp(path, "-") == 0) {
        return formats_source_of(stdin, "standard input", ret_source, reterr);
    }
    struct stat status;
    FILE *file = fopen(path, "re");
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        int errnum = errno;
        if (file != NULL) {
            (void)fclose(file);
        }
        return error_set_errno(reterr, file_input_code(errnum), errnum,
                               "cannot open '%s'", path);
    }
    if (S_ISDIR(status.st_mode)) {
        (void)fclose(file);
        return error_set(reterr, DUET_E_FORMAT, "'%s' is a folder; name a file", path);
    }
    enum duet_code code = formats_source_of(file, path, ret_source, reterr);
    if (code != DUET_OK) {
        (void)fclose(file);
    }
    return code;
}

enum duet_code formats_source_open_plain(const char *path,
                                         struct formats_source **ret_source,
                                         struct duet_error *reterr)
{
    int fd = -1;
    enum duet_code code = file_open_plain(path, &fd, reterr);
    if (code != DUET_OK) {
        return code;
    }
    FILE *file = fdopen(fd, "r");
    if (file == NULL) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot open '%s'", path);
        (void)close(fd);
        return code;
    }
    code = formats_source_of(file, path, ret_source, reterr);
    if (code != DUET_OK) {
        (void)fclose(file);
    }
    return code;
}

void formats_source_close(struct formats_source *source)
{
    if (source != NULL) {
        if (source->archive != NULL) {
            (void)archive_read_free(source->archive);
        }
        free(source->packed);
        if (source->file != stdin) {
            (void)fclose(source->file);
        }
        free(source);
    }
}

int formats_source_fill(struct formats_source *source)
{
    source->at = 0;
    errno = 0;
    source->length =
        source->archive != NULL
            ? fill_unpacked(source)
            : fread(source->buffer, 1, sizeof source->buffer, source->file);
    source->bytes += source->length;
    if (source->length == 0) {
        if (source->archive == NULL && ferror(source->file) != 0) {
            source->errnum = errno != 0 ? errno : EIO;
        }
        return FORMATS_SOURCE_END;
    }
    return source->buffer[0];
}

const unsigned char *formats_source_look(struct formats_source *source,
                                         size_t *ret_length)
{
    (void)formats_source_peek(source);
    *ret_length = source->length - source->at;
    return source->buffer + source->at;
}

enum duet_code formats_source_check(const struct formats_source *source,
                                    struct duet_error *reterr)
{
    if (source->errnum == 0 && source->failure[0] != '\0') {
        return error_set(reterr, DUET_E_FORMAT, "'%s': %s", source->name,
                         source->failure);
    }
    return source->errnum == 0 ? DUET_OK
                               : error_set_errno(reterr, DUET_E_IO, source->errnum,
                                                 "reading '%s'", source->name);
}

enum duet_code formats_source_error(const struct formats_source *source, uint64_t line,
                                    uint64_t column, struct duet_error *reterr,
                                    const char *format, ...)
{
    char message[sizeof reterr->message];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_set(reterr, DUET_E_FORMAT, "%s:%" PRIu64 ":%" PRIu64 ": %s",
                     source->name, line, column, message);
}
