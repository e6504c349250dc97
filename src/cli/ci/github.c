#include "cli/ci/github.h"

#include "base/file.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Below it a summary says nothing worth reading. */
enum { LEAST_SUMMARY = 4096 };

static const char *path_of(const char *variable)
{
    const char *path = getenv(variable);
    return path == NULL || *path == '\0' ? NULL : path;
}

/* To the end of the file that a variable names: other steps' lines stay. Releases the
 * text. */
static enum duet_code append_to(FILE *file, const char *path, const char *variable,
                                struct text *text, struct duet_error *reterr)
{
    if (text_failed(text)) {
        (void)fclose(file);
        text_release(text);
        return error_no_memory(reterr);
    }
    size_t written = fwrite(text_string(text), 1, text->length, file);
    bool whole = written == text->length;
    int errnum = errno;
    bool closed = fclose(file) == 0;
    errnum = whole ? errno : errnum;
    text_release(text);
    return whole && closed
               ? DUET_OK
               : error_set_errno(reterr, DUET_E_IO, errnum,
                                 "cannot write to '%s' ($%s)", path, variable);
}

static enum duet_code open_end(const char *path, const char *variable, FILE **ret_file,
                               struct duet_error *reterr)
{
    *ret_file = fopen(path, "ae");
    return *ret_file != NULL
               ? DUET_OK
               : error_set_errno(reterr, DUET_E_IO, errno, "cannot write to '%s' ($%s)",
                                 path, variable);
}

/* A step's summary has a size limit, which several calls share. */
static enum duet_code add_summary(const struct ci_report *report,
                                  struct duet_error *reterr)
{
    static const char variable[] = "GITHUB_STEP_SUMMARY";
    const char *path = path_of(variable);
    FILE *file = NULL;
    struct text text = {0};
    if (path == NULL) {
        return DUET_OK;
    }
    enum duet_code code = open_end(path, variable, &file, reterr);
    if (code != DUET_OK) {
        return code;
    }
    long taken = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    long room = CI_SUMMARY_BYTES - (taken < 0 ? 0 : taken);
    if (room < LEAST_SUMMARY) {
        cli_warn("the step summary is full: this report is not in it");
    } else {
        ci_append_comment(&text, report, (size_t)room);
    }
    return append_to(file, path, variable, &text, reterr);
}

static enum duet_code add_outputs(const struct ci_report *report,
                                  const char *comment_path, struct duet_error *reterr)
{
    static const char variable[] = "GITHUB_OUTPUT";
    const char *path = path_of(variable);
    FILE *file = NULL;
    struct text text = {0};
    if (path == NULL) {
        return DUET_OK;
    }
    enum duet_code code = open_end(path, variable, &file, reterr);
    if (code != DUET_OK) {
        return code;
    }
    ci_append_outputs(&text, report, comment_path);
    return append_to(file, path, variable, &text, reterr);
}

enum duet_code github_write(const struct ci_report *report, const char *comment_path,
                            struct duet_error *reterr)
{
    struct text text = {0};
    ci_append_annotations(&text, report);
    enum duet_code code = file_write_text("/dev/stderr", &text, reterr);
    if (code == DUET_OK) {
        code = add_summary(report, reterr);
    }
    return code == DUET_OK ? add_outputs(report, comment_path, reterr) : code;
}
