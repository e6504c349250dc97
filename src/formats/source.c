#include "formats/source.h"

#include "base/alloc.h"
#include "base/file.h"
#include "formats/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char byte_order_mark[] = {0xEF, 0xBB, 0xBF};

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
    if (first != FORMATS_SOURCE_END &&
        unpack_is_compressed(source->buffer, source->length)) {
        enum duet_code code = unpack_open(source->file, source->name, source->buffer,
                                          source->length, &source->unpack, reterr);
        if (code != DUET_OK) {
            source->file = stdin; /* is not taken over */
            formats_source_close(source);
            return code;
        }
        source->bytes = 0;
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
        unpack_close(source->unpack);
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
        source->unpack != NULL
            ? unpack_read(source->unpack, source->buffer, sizeof source->buffer)
            : fread(source->buffer, 1, sizeof source->buffer, source->file);
    source->bytes += source->length;
    if (source->length == 0) {
        if (ferror(source->file) != 0) {
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
    if (source->errnum != 0) {
        return error_set_errno(reterr, DUET_E_IO, source->errnum, "reading '%s'",
                               source->name);
    }
    return source->unpack == NULL ? DUET_OK : unpack_check(source->unpack, reterr);
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
