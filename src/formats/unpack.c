#include "formats/unpack.h"

#include "base/alloc.h"
#include "base/library.h"

#include <archive.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a file may unpack to: so much whatever its size, and so many times its size.
 * Measurements as text shrink to a tenth. */
#define UNPACKED_BYTES_MAX (UINT64_C(64) << 20)
#define UNPACKED_TIMES_MAX UINT64_C(200)

enum { READ_BYTES = 1 << 16 };

/* Of libarchive. */
#define FUNCTIONS(X)                     \
    X(archive_read_new)                  \
    X(archive_read_free)                 \
    X(archive_read_support_filter_gzip)  \
    X(archive_read_support_filter_xz)    \
    X(archive_read_support_filter_zstd)  \
    X(archive_read_support_filter_bzip2) \
    X(archive_read_support_filter_lz4)   \
    X(archive_read_support_format_raw)   \
    X(archive_read_open)                 \
    X(archive_read_next_header)          \
    X(archive_read_data)                 \
    X(archive_set_error)                 \
    X(archive_error_string)

struct functions {
#define MEMBER(name) __typeof__ (&(name))(name);
    FUNCTIONS(MEMBER)
#undef MEMBER
};

struct unpack {
    struct functions call;
    struct archive *archive;
    FILE *file;            /* borrowed */
    const char *name;      /* of it; borrowed */
    size_t given;          /* bytes that were read before, and lie in `packed` */
    uint64_t packed_bytes; /* read so far, as they lie in the file */
    uint64_t bytes;        /* unpacked so far */
    char failure[200];     /* what is wrong with them; "" */
    size_t size;           /* of `packed` */
    unsigned char packed[];
};

bool unpack_is_compressed(const unsigned char *bytes, size_t length)
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

#ifndef DUET_STATIC

#include <dlfcn.h>

/* With what it needs itself it takes more time than all other libraries of duet's, and
 * few files are compressed. */
static enum duet_code load(struct functions *ret_functions, struct duet_error *reterr)
{
    static const char library[] = "libarchive.so.13";
    const char *why = NULL;
    void *handle = library_load(library, &why);
    if (handle == NULL) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "a compressed file needs libarchive, which cannot be loaded (%s): install it (Debian: apt-get install "
            "libarchive13), or unpack the file",
            why);
    }
    struct functions found;
    bool whole = true;
#define FIND(name)   \
    whole = whole && \
            library_function(handle, #name, (void *)&found.name, sizeof found.name);
    FUNCTIONS(FIND)
#undef FIND
    (void)dlclose(handle);
    if (!whole) {
        return error_set(reterr, DUET_E_UNSUITABLE,
                         "%s lacks functions of libarchive 3.3 and later", library);
    }
    *ret_functions = found;
    return DUET_OK;
}

#else

static enum duet_code load(struct functions *ret_functions, struct duet_error *reterr)
{
    (void)reterr;
#define TAKE(name) .name = name,
    *ret_functions = (struct functions){FUNCTIONS(TAKE)};
#undef TAKE
    return DUET_OK;
}

#endif

/* For libarchive: what was read to recognise the file, then the rest of it. */
static la_ssize_t read_packed(struct archive *archive, void *context,
                              const void **ret_bytes)
{
    struct unpack *unpack = context;
    size_t length = unpack->given;
    if (length == 0) {
        errno = 0;
        length = fread(unpack->packed, 1, unpack->size, unpack->file);
        if (length == 0 && ferror(unpack->file) != 0) {
            unpack->call.archive_set_error(archive, errno != 0 ? errno : EIO,
                                           "reading failed");
            return -1;
        }
    }
    unpack->given = 0;
    unpack->packed_bytes += length;
    *ret_bytes = unpack->packed;
    return (la_ssize_t)length;
}

/* Only filters that libarchive has itself: it executes programs for others. */
static int open_archive(struct unpack *unpack)
{
    const struct functions *call = &unpack->call;
    struct archive *archive = unpack->archive;
    struct archive_entry *entry = NULL;
    if (call->archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
        call->archive_read_support_filter_xz(archive) != ARCHIVE_OK ||
        call->archive_read_support_filter_zstd(archive) != ARCHIVE_OK ||
        call->archive_read_support_filter_bzip2(archive) != ARCHIVE_OK ||
        call->archive_read_support_filter_lz4(archive) != ARCHIVE_OK ||
        call->archive_read_support_format_raw(archive) != ARCHIVE_OK ||
        call->archive_read_open(archive, unpack, NULL, read_packed, NULL) !=
            ARCHIVE_OK) {
        return ARCHIVE_FATAL;
    }
    return call->archive_read_next_header(archive, &entry);
}

static void note_failure(struct unpack *unpack)
{
    const char *why = unpack->call.archive_error_string(unpack->archive);
    (void)snprintf(unpack->failure, sizeof unpack->failure,
                   "its compressed bytes are broken: %s",
                   why != NULL ? why : "it ends too early");
}

enum duet_code unpack_open(FILE *file, const char *name, const void *bytes,
                           size_t length, struct unpack **ret_unpack,
                           struct duet_error *reterr)
{
    size_t packed_bytes = length > READ_BYTES ? length : READ_BYTES;
    struct unpack *unpack = alloc_array(1, sizeof *unpack + packed_bytes);
    if (unpack == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    enum duet_code code = load(&unpack->call, reterr);
    if (code != DUET_OK) {
        free(unpack);
        return code;
    }
    unpack->archive = unpack->call.archive_read_new();
    if (unpack->archive == NULL) {
        free(unpack);
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    unpack->file = file;
    unpack->name = name;
    unpack->given = length;
    unpack->size = packed_bytes;
    memcpy(unpack->packed, bytes, length);
    if (open_archive(unpack) != ARCHIVE_OK) {
        note_failure(unpack);
    }
    *ret_unpack = unpack;
    return DUET_OK;
}

size_t unpack_read(struct unpack *unpack, void *buffer, size_t size)
{
    if (unpack->failure[0] != '\0') {
        return 0;
    }
    la_ssize_t length = unpack->call.archive_read_data(unpack->archive, buffer, size);
    if (length < 0) {
        note_failure(unpack);
        return 0;
    }
    if (unpack->bytes > UNPACKED_BYTES_MAX &&
        unpack->bytes / UNPACKED_TIMES_MAX > unpack->packed_bytes) {
        (void)snprintf(unpack->failure, sizeof unpack->failure,
                       "it unpacks to more than %d times its size; unpack it yourself",
                       (int)UNPACKED_TIMES_MAX);
        return 0;
    }
    unpack->bytes += (uint64_t)length;
    return (size_t)length;
}

enum duet_code unpack_check(const struct unpack *unpack, struct duet_error *reterr)
{
    return unpack->failure[0] == '\0' ? DUET_OK
                                      : error_set(reterr, DUET_E_FORMAT, "'%s': %s",
                                                  unpack->name, unpack->failure);
}

void unpack_close(struct unpack *unpack)
{
    if (unpack != NULL) {
        (void)unpack->call.archive_read_free(unpack->archive);
        free(unpack);
    }
}
