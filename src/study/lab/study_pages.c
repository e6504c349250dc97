#include "study/lab/study_pages.h"

#include "base/alloc.h"
#include "base/file.h"
#include "model/name_table.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "duet-study-2 MARK UNITS RECORDS", a line "UNIT COUNT NUMBER..." each, "end". */
static const char magic[] = "duet-study-2";
static const char last_word[] = "end";
enum { NUMBERS_MAX = 1 << 24 };
static const double whole_most = 9007199254740992.0; /* 2^53 */

/* ---- Reading ---- */

static bool read_whole(FILE *file, uint64_t most, uint64_t *ret_number)
{
    char word[24];
    char *end = NULL;
    if (fscanf(file, "%23s", word) != 1) {
        return false;
    }
    errno = 0;
    *ret_number = strtoull(word, &end, 10);
    return errno == 0 && *end == '\0' && word[0] != '-' && *ret_number <= most;
}

static bool read_double(FILE *file, double *ret_number)
{
    char word[40];
    char *end = NULL;
    if (fscanf(file, "%39s", word) != 1) {
        return false;
    }
    *ret_number = strtod(word, &end);
    return *end == '\0';
}

/* To the last bit; any NaN is the same as any other. */
static bool same_number(double a, double b)
{
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return (isnan(a) && isnan(b)) || bits[0] == bits[1];
}

static bool same_page(const struct study_page *page, const double *numbers,
                      uint64_t count)
{
    bool same = page->count == count;
    for (size_t i = 0; i < count && same; i++) {
        same = same_number(page->numbers[i], numbers[i]);
    }
    return same;
}

static enum duet_code damaged(const char *path, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_FORMAT,
                     "'%s' was cut or changed: remove it, and compute its units again",
                     path);
}

static enum duet_code add_page(const char *path, uint64_t unit, const double *numbers,
                               uint64_t count, struct study_book *book,
                               struct duet_error *reterr)
{
    const struct study_page *known = study_book_find(book, unit);
    if (known == NULL) {
        return study_book_put(book, unit, numbers, (size_t)count, reterr);
    }
    return same_page(known, numbers, count)
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT,
                           "'%s' has other numbers for unit %" PRIu64
                           " than another file: two machines do not compute alike; "
                           "remove one of the files",
                           path, unit);
}

static enum duet_code read_page(const char *path, FILE *file, struct study_book *book,
                                struct duet_error *reterr)
{
    uint64_t unit = 0;
    uint64_t count = 0;
    if (book->units == 0 || !read_whole(file, book->units - 1, &unit) ||
        !read_whole(file, NUMBERS_MAX, &count) || count == 0) {
        return damaged(path, reterr);
    }
    double *numbers = NULL;
    size_t capacity = 0;
    enum duet_code code = DUET_OK;
    /* Grown as numbers come: a damaged count asks for no memory. */
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        void *grown = alloc_grow(numbers, i, &capacity, sizeof *numbers);
        if (grown == NULL) {
            code = error_no_memory(reterr);
        } else {
            numbers = grown;
            code = read_double(file, &numbers[i]) ? DUET_OK : damaged(path, reterr);
        }
    }
    if (code == DUET_OK) {
        code = add_page(path, unit, numbers, count, book, reterr);
    }
    free(numbers);
    return code;
}

static enum duet_code read_all(const char *path, FILE *file, uint64_t mark,
                               struct study_book *book, struct duet_error *reterr)
{
    uint64_t known_mark = 0;
    uint64_t units = 0;
    uint64_t records = 0;
    char word[32];
    if (fscanf(file, "%31s", word) != 1 || strcmp(word, magic) != 0) {
        return error_set(reterr, DUET_E_FORMAT,
                         "'%s' holds no units of a study: name another file", path);
    }
    if (!read_whole(file, UINT64_MAX, &known_mark) ||
        !read_whole(file, STUDY_UNITS_MAX, &units) ||
        !read_whole(file, units, &records)) {
        return damaged(path, reterr);
    }
    if (known_mark != mark || units != book->units) {
        return error_set(reterr, DUET_E_USAGE,
                         "'%s' belongs to another study, other data, other options or "
                         "another version of duet: remove it, or name another file",
                         path);
    }
    enum duet_code code = DUET_OK;
    for (uint64_t i = 0; i < records && code == DUET_OK; i++) {
        code = read_page(path, file, book, reterr);
    }
    return code == DUET_OK &&
                   (fscanf(file, "%31s", word) != 1 || strcmp(word, last_word) != 0)
               ? damaged(path, reterr)
               : code;
}

enum duet_code study_pages_read(const char *path, uint64_t mark,
                                struct study_book *book, struct duet_error *reterr)
{
    int fd = -1;
    struct duet_error error;
    enum duet_code code = file_open_plain(path, &fd, &error);
    if (code != DUET_OK) { /* only one that is not there is begun */
        return error_set(reterr, code == DUET_E_IO ? DUET_E_FORMAT : code, "%s",
                         error.message);
    }
    FILE *file = fdopen(fd, "r");
    if (file == NULL) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot open '%s'", path);
        (void)close(fd);
        return code;
    }
    code = read_all(path, file, mark, book, reterr);
    (void)fclose(file);
    return code;
}

/* A folder that was looked into already is left out: a few links suffice for billions
 * of ways to the same folders. */
static enum duet_code enter(FTS *walk, FTSENT *entry, struct model_name_table *known,
                            struct duet_error *reterr)
{
    char identity[FILE_IDENTITY_BYTES];
    uint32_t number = 0;
    size_t before = known->count;
    file_identity(entry->fts_statp, identity);
    enum duet_code code =
        model_name_table_find(known, identity, strlen(identity), &number, reterr);
    if (code == DUET_OK && known->count == before) {
        (void)fts_set(walk, entry, FTS_SKIP);
    }
    return code;
}

enum duet_code study_pages_collect(const char *path, uint64_t mark,
                                   struct study_book *book, struct duet_error *reterr)
{
    char *paths[] = {alloc_string(path), NULL};
    FTS *walk =
        paths[0] == NULL ? NULL : fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    enum duet_code code = DUET_OK;
    struct model_name_table known = {.names = NULL};
    FTSENT *entry = NULL;
    if (walk == NULL) {
        free(paths[0]);
        return error_no_memory(reterr);
    }
    while (code == DUET_OK && (entry = fts_read(walk)) != NULL) {
        bool hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR ||
            entry->fts_info == FTS_DNR) {
            code = error_set_errno(
                reterr, entry->fts_errno == ENOENT ? DUET_E_NOT_FOUND : DUET_E_IO,
                entry->fts_errno, "cannot read '%s'", entry->fts_path);
        } else if (entry->fts_info == FTS_D) {
            code = enter(walk, entry, &known, reterr);
        } else if ((entry->fts_info == FTS_F && !hidden) ||
                   (entry->fts_info == FTS_DEFAULT && entry->fts_level == 0)) {
            code = study_pages_read(entry->fts_accpath, mark, book, reterr);
        }
    }
    (void)fts_close(walk);
    model_name_table_release(&known);
    free(paths[0]);
    return code;
}

/* ---- Writing ---- */

static void append_number(struct text *text, double number)
{
    bool whole = !signbit(number) && number < whole_most && !(floor(number) < number);
    text_append_format(text, whole ? " %.0f" : " %a", number);
}

enum duet_code study_pages_write(const char *path, uint64_t mark,
                                 const struct study_book *book,
                                 struct duet_error *reterr)
{
    struct text text = {0};
    text_append_format(&text, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", magic, mark,
                       book->units, book->known);
    for (uint64_t unit = 0; unit < book->units; unit++) {
        const struct study_page *page = study_book_find(book, unit);
        if (page == NULL) {
            continue;
        }
        text_append_format(&text, "%" PRIu64 " %zu", unit, page->count);
        for (size_t i = 0; i < page->count; i++) {
            append_number(&text, page->numbers[i]);
        }
        text_append_char(&text, '\n');
    }
    text_append_format(&text, "%s\n", last_word);
    return file_write_text(path, &text, reterr);
}
