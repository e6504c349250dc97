#include "session/fleet/fleet_local.h"

#include "base/alloc.h"
#include "session/fleet/fleet_call.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum duet_code call_task(const struct fleet *fleet, const char *number,
                                int log_fd, int cancel_fd, struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    char *program = fleet_path(fleet, FLEET_PROGRAM);
    enum duet_code code = program == NULL
                              ? error_no_memory(reterr)
                              : fleet_words(&words, reterr, program, "fleet", "task",
                                            fleet->path, number, (char *)NULL);
    if (code == DUET_OK) {
        code = fleet_call(&words, log_fd, cancel_fd, NULL, reterr);
    }
    if (code == DUET_E_UNSUITABLE) {
        code =
            error_set(reterr, code,
                      "the fleet's program '%s' is gone, or cannot be executed: copy "
                      "the duet that made the fleet there again",
                      program);
    }
    model_words_release(&words);
    free(program);
    return code;
}

static enum duet_code do_task(const struct fleet *fleet, size_t task, int cancel_fd,
                              const struct listener *listener,
                              struct duet_error *reterr)
{
    char number[24];
    char *log = alloc_format("%s/%s/%06zu.log", fleet->path, FLEET_LOGS, task);
    if (log == NULL) {
        return error_no_memory(reterr);
    }
    (void)snprintf(number, sizeof number, "%zu", task);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct duet_error error;
    enum duet_code code = DUET_OK;
    if (fd < 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot write '%s'", log);
    } else {
        code = call_task(fleet, number, fd, cancel_fd, &error);
        (void)close(fd);
        if (code == DUET_E_WORKLOAD) {
            listener_warn(listener, "task %zu failed: its log is %s", task, log);
            code = DUET_OK;
        } else if (code != DUET_OK) {
            *reterr = error;
        }
    }
    free(log);
    return code;
}

static void tell(const struct listener *listener, const struct fleet_survey *survey)
{
    const struct session_progress progress = {
        .name = "task",
        .index = survey->phases[MODEL_FLEET_DONE] + 1,
        .count = survey->count,
        .done_ratio = (double)survey->phases[MODEL_FLEET_DONE] / (double)survey->count,
        .left_ns = 1e6 * fleet_survey_left_ms(survey, 1),
        .ratio = (double)NAN,
        .low = (double)NAN,
        .high = (double)NAN};
    if (listener != NULL && listener->progress != NULL) {
        listener->progress(listener->context, &progress);
    }
}

enum duet_code fleet_local(const struct fleet *fleet, int cancel_fd,
                           const struct listener *listener, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool over = false;
    for (size_t i = 0; i < fleet->plan.tasks && code == DUET_OK && !over; i++) {
        struct fleet_survey survey;
        code = fleet_survey_make(fleet, &survey, reterr);
        if (code != DUET_OK) {
            break;
        }
        over = survey.ended[0] != '\0';
        bool wanted = survey.tasks[i].phase != MODEL_FLEET_DONE;
        if (wanted && !over) {
            tell(listener, &survey);
        }
        fleet_survey_release(&survey);
        if (wanted && !over) {
            code = do_task(fleet, i + 1, cancel_fd, listener, reterr);
        }
    }
    if (listener != NULL && listener->progress != NULL) {
        listener->progress(listener->context, NULL);
    }
    return code;
}
