#include "session/fleet/fleet_call.h"

#include "measure/launch.h"
#include "session/child.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES_MAX = 64 << 20 };

enum duet_code fleet_words(struct model_words *words, struct duet_error *reterr, ...)
{
    va_list args;
    const char *word = NULL;
    enum duet_code code = DUET_OK;
    va_start(args, reterr);
    while (code == DUET_OK && (word = va_arg(args, const char *)) != NULL) {
        code = model_words_add(words, word, reterr);
    }
    va_end(args);
    return code;
}

/* By its last line, else by its status. */
static enum duet_code failed(const char *program, int said_fd, int status,
                             struct duet_error *reterr)
{
    struct text said = {.bytes = NULL};
    int number = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    child_output_read(said_fd, OUTPUT_BYTES_MAX, &said);
    while (said.length > 0 && said.bytes[said.length - 1] == '\n') {
        said.bytes[--said.length] = '\0';
    }
    const char *line = strrchr(text_string(&said), '\n');
    line = line != NULL ? line + 1 : text_string(&said);
    enum duet_code code = *line != '\0'
                              ? error_set(reterr, DUET_E_WORKLOAD, "%s (status %d): %s",
                                          program, number, line)
                              : error_set(reterr, DUET_E_WORKLOAD,
                                          "%s ended with status %d", program, number);
    text_release(&said);
    return code;
}

static enum duet_code run(const struct child_words *words, int cancel_fd,
                          struct duet_error *reterr)
{
    struct child child;
    int status = 0;
    enum duet_code code = child_start(words, &child, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (child_wait(&child, cancel_fd, &status) != HOOK_ENDED) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    return status == 0 ? DUET_OK
                       : failed(words->argv[0], words->error_fd, status, reterr);
}

/* With these, users choose what they see and cancel; a fleet means all that is its own.
 * NULL: none. */
static const char *choices_of(const char *program)
{
    return strcmp(program, "squeue") == 0    ? "SQUEUE_"
           : strcmp(program, "scancel") == 0 ? "SCANCEL_"
                                             : NULL;
}

enum duet_code fleet_call(const struct model_words *words, int log_fd, int cancel_fd,
                          struct text *ret_output, struct duet_error *reterr)
{
    char *path = NULL;
    const char *const settings[] = {NULL};
    struct child_words child = {.argv = (const char *const *)words->list,
                                .settings = settings,
                                .unset = choices_of(words->list[0])};
    int own = log_fd >= 0 ? -1 : memfd_create("duet-fleet", MFD_CLOEXEC);
    int said = log_fd >= 0 ? -1 : memfd_create("duet-fleet", MFD_CLOEXEC);
    child.output_fd = log_fd >= 0 ? log_fd : own;
    child.error_fd = log_fd >= 0 ? log_fd : said;
    enum duet_code code = DUET_OK;
    if (child.output_fd < 0 || child.error_fd < 0) {
        code = error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot run '%s'",
                               words->list[0]);
    }
    if (code == DUET_OK) {
        code = launch_find(words->list[0], &path, reterr);
    }
    if (code == DUET_E_USAGE) {
        code = error_set(reterr, DUET_E_UNSUITABLE,
                         strchr(words->list[0], '/') != NULL
                             ? "'%s' is not there, or cannot be executed"
                             : "there is no %s in PATH",
                         words->list[0]);
    }
    if (code == DUET_OK) {
        child.path = path;
        code = run(&child, cancel_fd, reterr);
    }
    if (code == DUET_OK && ret_output != NULL && own >= 0) {
        child_output_read(own, OUTPUT_BYTES_MAX, ret_output);
        code = text_failed(ret_output) ? error_no_memory(reterr) : DUET_OK;
    }
    if (own >= 0) {
        (void)close(own);
    }
    if (said >= 0) {
        (void)close(said);
    }
    free(path);
    return code;
}
