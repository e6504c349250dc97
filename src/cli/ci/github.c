#include "cli/ci/github.h"

#include "base/file.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Below it a summary says nothing worth reading. */
enum { LEAST_SUMMARY = 4096 };

/* A file that a variable names, open at its end: other steps' lines stay. */
struct step_file {
    const char *variable;
    const char *path;
    FILE *file; /* NULL: the variable is not set */
};

static enum duet_code cannot(const struct step_file *step, int errnum,
                             struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_IO, errnum, "cannot write to '%s' ($%s)",
                           step->path, step->variable);
}

static enum duet_code step_open(const char *variable, struct step_file *ret_step,
                                struct duet_error *reterr)
{
    struct step_file step = {.variable = variable, .path = getenv(variable)};
    bool wanted = step.path != NULL && *step.path != '\0';
    step.file = wanted ? fopen(step.path, "ae") : NULL;
    *ret_step = step;
    return !wanted || step.file != NULL ? DUET_OK : cannot(&step, errno, reterr);
}

/* Releases the text. */
static enum duet_code step_finish(const struct step_file *step, struct text *text,
                                  struct duet_error *reterr)
{
    bool failed = text_failed(text);
    size_t length = failed ? 0 : text->length;
    bool whole = fwrite(text_string(text), 1, length, step->file) == length;
    int errnum = errno;
    bool closed = fclose(step->file) == 0;
    errnum = whole ? errno : errnum;
    text_release(text);
    return failed            ? error_no_memory(reterr)
           : whole && closed ? DUET_OK
                             : cannot(step, errnum, reterr);
}

/* A step's summary has a size limit, which several calls share. */
static enum duet_code add_summary(const struct ci_report *report,
                                  struct duet_error *reterr)
{
    struct step_file step;
    struct text text = {0};
    enum duet_code code = step_open("GITHUB_STEP_SUMMARY", &step, reterr);
    if (code != DUET_OK || step.file == NULL) {
        return code;
    }
    long taken = fseek(step.file, 0, SEEK_END) == 0 ? ftell(step.file) : 0;
    long room = CI_SUMMARY_BYTES - (taken < 0 ? 0 : taken);
    if (room < LEAST_SUMMARY) {
        cli_warn("the step summary is full, and this report is not in it; write it "
                 "to a file with --export-markdown");
    } else {
        ci_append_comment(&text, report, (size_t)room);
    }
    return step_finish(&step, &text, reterr);
}

static enum duet_code add_outputs(const struct ci_report *report,
                                  const char *comment_path, struct duet_error *reterr)
{
    struct step_file step;
    struct text text = {0};
    enum duet_code code = step_open("GITHUB_OUTPUT", &step, reterr);
    if (code != DUET_OK || step.file == NULL) {
        return code;
    }
    ci_append_outputs(&text, report, comment_path);
    return step_finish(&step, &text, reterr);
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
