#include "cli/export.h"

#include "base/alloc.h"
#include "cli/document.h"
#include "cli/geomean.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum duet_code cannot_write(const char *path, int errnum,
                                   struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_IO, errnum,
                           "cannot write '%s' (the results are in the store: duet show "
                           "last --export-...)",
                           path);
}

/* Through the temporary file, unless the target is something to write into as it is (a
 * pipe, a terminal). */
static enum duet_code write_file(const char *path, const char *bytes, size_t length,
                                 struct duet_error *reterr)
{
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    char *temporary =
        special ? alloc_string(path) : alloc_format("%s.%d.tmp", path, (int)getpid());
    if (temporary == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code = DUET_OK;
    FILE *file = fopen(temporary, "we");
    if (file == NULL) {
        code = cannot_write(path, errno, reterr);
    } else {
        bool written = fwrite(bytes, 1, length, file) == length;
        int errnum = errno;
        if (fclose(file) != 0 || !written) {
            code = cannot_write(path, written ? errno : errnum, reterr);
        } else if (!special && rename(temporary, path) != 0) {
            code = cannot_write(path, errno, reterr);
        }
        if (code != DUET_OK && !special) {
            (void)unlink(temporary);
        }
    }
    free(temporary);
    return code;
}

static enum duet_code write_bytes(const char *path, const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    if (strcmp(path, "-") != 0) {
        return write_file(path, bytes, length, reterr);
    }
    if (fwrite(bytes, 1, length, stdout) != length || fflush(stdout) != 0) {
        return error_set_errno(reterr, DUET_E_IO, errno,
                               "cannot write to standard output");
    }
    return DUET_OK;
}

static enum duet_code write_text(const char *path, struct text *text,
                                 struct duet_error *reterr)
{
    enum duet_code code =
        text_failed(text) ? error_set(reterr, DUET_E_NOMEM, "out of memory")
                          : write_bytes(path, text_string(text), text->length, reterr);
    text_release(text);
    return code;
}

/* The comparisons alone, as the report wants them; NULL: no memory. */
static struct model_comparison *comparisons_of(const struct answer *answers,
                                               size_t count)
{
    struct model_comparison *comparisons = alloc_array(count, sizeof *comparisons);
    for (size_t i = 0; i < count && comparisons != NULL; i++) {
        comparisons[i] = answers[i].comparison;
    }
    return comparisons;
}

enum duet_code export_terminal(const struct answer *answers, size_t count,
                               const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    struct model_comparison geomean;
    struct model_comparison *comparisons = comparisons_of(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    bool several = geomean_of(comparisons, count, &geomean);
    report_terminal(&text, comparisons, count, several ? &geomean : NULL, style);
    free(comparisons);
    return write_text("-", &text, reterr);
}

enum duet_code export_csv(const char *path, const struct answer *answers, size_t count,
                          struct duet_error *reterr)
{
    struct text text = {0};
    struct model_comparison *comparisons = comparisons_of(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    report_csv(&text, comparisons, count);
    free(comparisons);
    return write_text(path, &text, reterr);
}

enum duet_code export_markdown(const char *path, const struct answer *answers,
                               size_t count, const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    struct model_comparison *comparisons = comparisons_of(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    report_markdown(&text, comparisons, count, style);
    free(comparisons);
    return write_text(path, &text, reterr);
}

enum duet_code export_json(const char *path, struct store *store,
                           const struct answer *answers, size_t count,
                           struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = document_make(store, answers, count, &document, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *bytes = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(document);
    if (bytes == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    code = write_bytes(path, bytes, strlen(bytes), reterr);
    if (code == DUET_OK && strcmp(path, "-") == 0) {
        code = write_bytes(path, "\n", 1, reterr);
    }
    free(bytes);
    return code;
}
