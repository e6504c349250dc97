#include "session/suite/suite_check.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/sha256.h"
#include "measure/search.h"
#include "measure/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What an output is ---- */

static enum duet_code hash_of(int fd, char ret_text[SHA256_TEXT_BYTES],
                              struct duet_error *reterr)
{
    struct sha256 hash;
    unsigned char bytes[65536];
    ssize_t count = 0;
    off_t at = 0;
    sha256_init(&hash);
    while ((count = pread(fd, bytes, sizeof bytes, at)) > 0) {
        sha256_add(&hash, bytes, (size_t)count);
        at += count;
    }
    if (count < 0) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot read an output");
    }
    sha256_finish(&hash, ret_text);
    return DUET_OK;
}

/* Whether a line of the file matches. DUET_E_WORKLOAD: it takes too long to say. */
static enum duet_code has_match(int fd, const char *pattern, int cancel_fd,
                                bool *ret_found, struct duet_error *reterr)
{
    struct stat status;
    struct pattern *compiled = NULL;
    if (fstat(fd, &status) != 0) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot read an output");
    }
    size_t length = (size_t)status.st_size;
    /* An empty file cannot be mapped; one byte more would not be ours to read. */
    void *text = length == 0 ? NULL : mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot read an output");
    }
    enum duet_code code = pattern_compile(pattern, &compiled, reterr);
    if (code == DUET_OK) {
        struct pattern_range range;
        code = measure_search(compiled, text == NULL ? "" : text, length, SEARCH_CPU_S,
                              cancel_fd, &range, 1, ret_found, reterr);
        pattern_free(compiled);
    }
    if (text != NULL) {
        (void)munmap(text, length);
    }
    return code;
}

/* ---- Wrong ones ---- */

/* Says what is wrong with a side. */
static enum duet_code wrong(const struct suite_check *check, enum model_side side,
                            bool after, struct duet_error *reterr, const char *format,
                            ...) BASE_PRINTF(5, 6);

static enum duet_code wrong(const struct suite_check *check, enum model_side side,
                            bool after, struct duet_error *reterr, const char *format,
                            ...)
{
    va_list args;
    va_start(args, format);
    char *what = alloc_format_v(format, args);
    va_end(args);
    enum duet_code code =
        what == NULL
            ? error_no_memory(reterr)
            : error_set(reterr, DUET_E_WORKLOAD,
                        "the check %s the measurement failed, side %s: %s: '%s'",
                        after ? "after" : "before", model_side_name(side), what,
                        check->plan->sides[side].command);
    free(what);
    return code;
}

static enum duet_code check_hash(const struct suite_check *check, enum model_side side,
                                 bool after, int fd, struct duet_error *reterr)
{
    char found[SHA256_TEXT_BYTES];
    enum duet_code code = hash_of(fd, found, reterr);
    return code == DUET_OK && strcmp(found, check->wanted->sha256) != 0
               ? wrong(check, side, after, reterr, "SHA-256 of the output is %s", found)
               : code;
}

static enum duet_code check_match(const struct suite_check *check, enum model_side side,
                                  bool after, int fd, struct duet_error *reterr)
{
    bool found = false;
    struct duet_error error;
    enum duet_code code =
        has_match(fd, check->wanted->matches, check->cancel_fd, &found, &error);
    if (code != DUET_OK) {
        return code == DUET_E_WORKLOAD ? wrong(check, side, after, reterr, "'%s': %s",
                                               check->wanted->matches, error.message)
                                       : error_set(reterr, code, "%s", error.message);
    }
    return found ? DUET_OK
                 : wrong(check, side, after, reterr,
                         "no line of the output matches '%s'", check->wanted->matches);
}

static enum duet_code check_command(const struct suite_check *check,
                                    enum model_side side, bool after, int fd,
                                    struct duet_error *reterr)
{
    int status = 0;
    enum duet_code code =
        measure_trial_judge(check->commands[side], fd, check->plan->timeout_ns,
                            check->cancel_fd, &status, reterr);
    return code == DUET_OK && status != 0 ? wrong(check, side, after, reterr,
                                                  "its check '%s' ended with status %d",
                                                  check->commands[side], status)
                                          : code;
}

static enum duet_code check_output(const struct suite_check *check,
                                   enum model_side side, bool after, int fd,
                                   struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (check->wanted->sha256 != NULL) {
        code = check_hash(check, side, after, fd, reterr);
    }
    if (code == DUET_OK && check->wanted->matches != NULL) {
        code = check_match(check, side, after, fd, reterr);
    }
    if (code == DUET_OK && check->commands[side] != NULL) {
        code = check_command(check, side, after, fd, reterr);
    }
    return code;
}

static enum duet_code check_file(const struct suite_check *check, enum model_side side,
                                 bool after, struct duet_error *reterr)
{
    int fd = -1;
    struct duet_error error;
    enum duet_code code = file_open_plain(check->files[side], &fd, &error);
    if (code != DUET_OK) {
        return wrong(check, side, after, reterr, "%s", error.message);
    }
    code = check_output(check, side, after, fd, reterr);
    (void)close(fd);
    return code;
}

static enum duet_code check_side(const struct suite_check *check, enum model_side side,
                                 bool after, int fd, struct duet_error *reterr)
{
    enum { TAIL_LINES = 5 };
    struct trial_result result;
    enum duet_code code =
        measure_trial(check->plan, side, check->cancel_fd, fd, &result, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (result.status != (int)check->wanted->exit_status) {
        const char *where = "; its last lines on standard error: ";
        const char *lines = stream_tail_lines(&result.tail, TAIL_LINES);
        if (*lines == '\0') {
            where = "; its last lines on standard output: ";
            stream_tail_read_file(&result.tail, fd);
            lines = stream_tail_lines(&result.tail, TAIL_LINES);
        }
        return wrong(check, side, after, reterr, "it ended with status %d, not %u%s%s",
                     result.status, check->wanted->exit_status,
                     *lines == '\0' ? "" : where, lines);
    }
    return check->files[side] != NULL ? check_file(check, side, after, reterr)
                                      : check_output(check, side, after, fd, reterr);
}

/* ---- What was measured ---- */

struct status_visit {
    const struct suite_check *check;
    enum model_side side;
};

static enum duet_code check_status(void *context,
                                   const struct model_iteration *iteration,
                                   struct duet_error *reterr)
{
    const struct status_visit *visit = context;
    const struct suite_check *check = visit->check;
    return iteration->exit_status == (int32_t)check->wanted->exit_status
               ? DUET_OK
               : wrong(check, visit->side, true, reterr,
                       "an execution ended with status %d, not %u",
                       iteration->exit_status, check->wanted->exit_status);
}

static enum duet_code check_run(void *context, struct store_run_reader *reader,
                                const struct model_run *run, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool looked_at = run->mode == MODEL_MODE_COMMAND;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK && looked_at; side++) {
        struct status_visit visit = {context, (enum model_side)side};
        code = store_runs_visit(reader, (enum model_side)side, check_status, &visit,
                                reterr);
    }
    return code;
}

/* Where another status than 0 is wanted, the measurement took any. */
static enum duet_code check_measured(struct suite_check *check,
                                     struct duet_error *reterr)
{
    return store_runs_each(check->store, check->experiment, check_run, check, reterr);
}

enum duet_code suite_check_verify(void *context, bool after, struct duet_error *reterr)
{
    struct suite_check *check = context;
    int fd = memfd_create("duet-output", MFD_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot make a file for an output");
    }
    enum duet_code code = DUET_OK;
    if (after && check->wanted->exit_status != 0) {
        code = check_measured(check, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = check_side(check, (enum model_side)side, after, fd, reterr);
    }
    (void)close(fd);
    return code;
}

void suite_check_release(struct suite_check *check)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(check->commands[side]);
        free(check->files[side]);
        check->commands[side] = check->files[side] = NULL;
    }
}
