#include "session/sameness/same_output.h"

#include "base/alloc.h"
#include "measure/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHOWN_BYTES = 100 };

/* One side's output, read in lines. */
struct reader {
    int fd;
    FILE *file;
    char *line;
    size_t capacity;
    ssize_t length; /* -1: there is no more */
};

static enum duet_code cannot_read(struct duet_error *reterr)
{
    return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                           "cannot compare what the sides print");
}

static enum duet_code execute(const struct model_plan *plan, enum model_side side,
                              int cancel_fd, struct reader *reader,
                              struct duet_error *reterr)
{
    struct trial_result result;
    reader->fd = memfd_create("duet-output", MFD_CLOEXEC);
    if (reader->fd < 0) {
        return cannot_read(reterr);
    }
    enum duet_code code =
        measure_trial_quiet(plan, side, cancel_fd, reader->fd, &result, reterr);
    if (code == DUET_OK) {
        reader->file = fdopen(reader->fd, "r");
        code = reader->file == NULL ? cannot_read(reterr) : DUET_OK;
    }
    return code;
}

static void reader_release(struct reader *reader)
{
    if (reader->file != NULL) {
        (void)fclose(reader->file);
    } else if (reader->fd >= 0) {
        (void)close(reader->fd);
    }
    free(reader->line);
}

/* "'the line'", cut at a line's end and at SHOWN_BYTES; free(). NULL: no memory. */
static char *quote(const struct reader *reader)
{
    if (reader->length < 0) {
        return alloc_string("nothing more");
    }
    size_t length = (size_t)reader->length;
    bool ended = length > 0 && reader->line[length - 1] == '\n';
    size_t shown = length - ended;
    bool cut = shown > SHOWN_BYTES;
    shown = cut ? SHOWN_BYTES : shown;
    char *text = alloc_string_n(reader->line, shown);
    char *quoted = text == NULL
                       ? NULL
                       : alloc_format("'%s'%s%s", text, cut ? "..." : "",
                                      ended || cut ? "" : " without a line's end");
    free(text);
    return quoted;
}

static enum duet_code differ(const struct reader *old, const struct reader *new,
                             uint64_t line, struct duet_error *reterr)
{
    char *quoted[MODEL_SIDES] = {quote(old), quote(new)};
    enum duet_code code =
        quoted[MODEL_OLD] == NULL || quoted[MODEL_NEW] == NULL
            ? error_no_memory(reterr)
            : error_set(
                  reterr, DUET_E_WORKLOAD,
                  "old and new do not print the same (--same-output): line %" PRIu64
                  " of old is %s, of new %s",
                  line, quoted[MODEL_OLD], quoted[MODEL_NEW]);
    free(quoted[MODEL_OLD]);
    free(quoted[MODEL_NEW]);
    return code;
}

/* Its length is -1 behind the last one. */
static enum duet_code next_line(struct reader *reader, struct duet_error *reterr)
{
    char *line = reader->line;
    size_t capacity = reader->capacity;
    reader->length = getline(&line, &capacity, reader->file);
    reader->line = line;
    reader->capacity = capacity;
    return reader->length < 0 && feof(reader->file) == 0 ? cannot_read(reterr)
                                                         : DUET_OK;
}

static enum duet_code find_difference(struct reader *old, struct reader *new,
                                      struct duet_error *reterr)
{
    for (uint64_t line = 1;; line++) {
        enum duet_code code = next_line(old, reterr);
        if (code == DUET_OK) {
            code = next_line(new, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
        if (old->length != new->length ||
            (old->length > 0 &&
             memcmp(old->line, new->line, (size_t)old->length) != 0)) {
            return differ(old, new, line, reterr);
        }
        if (old->length < 0) {
            return DUET_OK;
        }
    }
}

enum duet_code same_output_check(const struct model_plan *plan, int cancel_fd,
                                 struct duet_error *reterr)
{
    struct reader old = {.fd = -1};
    struct reader new = {.fd = -1};
    enum duet_code code = execute(plan, MODEL_OLD, cancel_fd, &old, reterr);
    if (code == DUET_OK) {
        code = execute(plan, MODEL_NEW, cancel_fd, &new, reterr);
    }
    if (old.file != NULL && new.file != NULL) { /* both were executed */
        code = find_difference(&old, &new, reterr);
    }
    reader_release(&old);
    reader_release(&new);
    return code;
}
