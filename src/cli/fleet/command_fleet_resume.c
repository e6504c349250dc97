/* duet fleet resume FOLDER */
#include "base/field.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_show.h"
#include "cli/fleet/fleet_study.h"
#include "cli/interrupt.h"
#include "cli/options/option.h"
#include "session/fleet/fleet_slurm.h"

#include <stdlib.h>
#include <unistd.h>

static const struct cli_option resume_rows[] = {
    {"quiet", 'q', NULL, CLI_OPTION_SETTING, "Draw no line of progress."},
    CLI_OPTION_END_ROWS};

static const struct field resume_fields[] = {
    FIELD_FLAG("--quiet", struct fleet_show, quiet), FIELD_END};

/* What has neither a result nor a job. */
static enum duet_code find_missing(const struct fleet *fleet, int cancel_fd,
                                   struct text *tasks, struct duet_error *reterr)
{
    struct fleet_survey survey;
    bool slurm = fleet->plan.engine == MODEL_FLEET_SLURM;
    enum duet_code code = fleet_survey_make(fleet, &survey, reterr);
    if (code != DUET_OK) {
        return code;
    }
    unsigned missing = 1U << MODEL_FLEET_FAILED | 1U << MODEL_FLEET_LOST;
    if (slurm) {
        code = fleet_slurm_look(fleet, cancel_fd, &survey, reterr);
    } else {
        missing |= 1U << MODEL_FLEET_WAITING | 1U << MODEL_FLEET_RUNNING;
    }
    if (code == DUET_OK) {
        fleet_survey_list(&survey, missing, tasks);
        code = text_failed(tasks) ? error_no_memory(reterr) : DUET_OK;
    }
    fleet_survey_release(&survey);
    return code;
}

/* Tasks may begin again. */
static void reopen(const struct fleet *fleet)
{
    char *path = fleet_path(fleet, FLEET_ENDED);
    (void)(path != NULL && unlink(path));
    free(path);
}

static int resume(const struct fleet *fleet, const struct fleet_show *show,
                  int cancel_fd)
{
    struct text tasks = {.bytes = NULL};
    struct duet_error error = {.code = DUET_OK};
    int status = CLI_EXIT_OK;
    if (find_missing(fleet, cancel_fd, &tasks, &error) != DUET_OK) {
        status = cli_fail(&error);
    } else if (tasks.length == 0) {
        cli_say("no task is missing");
    } else {
        reopen(fleet);
        status = fleet_show_start(fleet, text_string(&tasks), show, cancel_fd);
    }
    text_release(&tasks);
    return status;
}

static int resume_main(const struct cli_command *command, int argc, char **argv)
{
    struct fleet_show show = {.strata = FLEET_STRATA_CPU};
    struct fleet fleet;
    struct interrupt interrupt;
    struct duet_error error = {.code = DUET_OK};
    int status = fleet_show_open(command, argc, argv, &show, &fleet);
    if (status >= 0) {
        return status;
    }
    if (interrupt_open(&interrupt, &error) == DUET_OK) {
        status = resume(&fleet, &show, interrupt.cancel_fd);
        interrupt_close(&interrupt);
        if (status == CLI_EXIT_OK && fleet.plan.study &&
            fleet.plan.engine == MODEL_FLEET_LOCAL) {
            status = fleet_study_collect(&fleet, NULL, 0);
        }
    } else {
        status = cli_fail(&error);
    }
    fleet_close(&fleet);
    return status;
}

const struct cli_command command_fleet_resume = {
    .name = "fleet resume",
    .measures = true,
    .synopsis = "[OPTIONS] FOLDER",
    .summary = "measure what is missing in a fleet",
    .description =
        "Submits the tasks again that have no result and no job: failed, lost and cancelled ones. Results "
        "that are there are not measured again. With --engine files it lists them.",
    .options = resume_rows,
    .examples =
        CLI_EXAMPLES({"Measure what is missing:", "duet fleet resume fleet-1a2b3c4d"},
                     {"See first what that is:", "duet fleet status fleet-1a2b3c4d"}),
    .operand = "DIR",
    .fields = resume_fields,
    .main = resume_main,
};
