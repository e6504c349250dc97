/* duet fleet task FOLDER I */
#include "base/field.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_study.h"
#include "cli/options/option.h"
#include "cli/terminal_listener.h"
#include "session/fleet/fleet_task.h"

#include <stdlib.h>

static const struct cli_option task_rows[] = {
    {"attempt", 0, "WORD", CLI_OPTION_SETTING,
     "Name this attempt at the task, as a CI system numbers them. Default: from Slurm's "
     "job, else from the time."},
    CLI_OPTION_END_ROWS};

struct task_request {
    const char *attempt;
};

static const struct field task_fields[] = {
    FIELD_TEXT("--attempt", struct task_request, attempt), FIELD_END};

/* `duet suite` or the study with the task's words; what it leaves is in its file. */
static int measure(const struct fleet_task *task, struct duet_error *ret_wrong)
{
    bool study = task->fleet->plan.study;
    int status = fleet_study_execute(study, &task->args);
    if (status == CLI_EXIT_INTERRUPTED) {
        (void)error_set(ret_wrong, DUET_E_INTERRUPTED, "interrupted");
    } else if (status == CLI_EXIT_USAGE || status == CLI_EXIT_UNSUITABLE ||
               (study && status != CLI_EXIT_OK)) {
        (void)error_set(ret_wrong,
                        status == CLI_EXIT_USAGE ? DUET_E_USAGE : DUET_E_UNSUITABLE,
                        "'duet %s' ended with status %d; the task's log says why",
                        study ? task->fleet->plan.suite : "suite", status);
    }
    return status;
}

static int finish(struct fleet_task *task, const struct duet_error *wrong)
{
    struct duet_error error = {.code = DUET_OK};
    bool decided = false;
    enum duet_code code =
        fleet_task_end(task, wrong->code == DUET_OK ? NULL : wrong, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    cli_say("task %llu: result %s", (unsigned long long)task->state.task,
            task->state.result);
    if (fleet_decide(task->fleet, &decided, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    if (decided) {
        cli_say("every verdict is certain: no further task begins");
    }
    return CLI_EXIT_OK;
}

static int execute(const struct fleet *fleet, uint64_t number, const char *attempt)
{
    struct fleet_task task;
    struct duet_error error = {.code = DUET_OK};
    int status = CLI_EXIT_OK;
    if (fleet_task_begin(fleet, number, attempt, &task, &error) != DUET_OK) {
        status = cli_fail(&error);
    } else if (task.not_wanted[0] != '\0') {
        cli_say("nothing to do: %s", task.not_wanted);
    } else {
        (void)measure(&task, &error);
        status = finish(&task, &error);
    }
    fleet_task_release(&task, terminal_listener(false));
    return status;
}

static int task_main(const struct cli_command *command, int argc, char **argv)
{
    struct task_request request = {.attempt = NULL};
    char **operands = NULL;
    int count = 0;
    uint64_t number = 0;
    struct fleet fleet;
    struct duet_error error = {.code = DUET_OK};
    int status =
        cli_options_parse(command, argc, argv, NULL, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count != 2) {
        return cli_usage(command, "expected a fleet's folder and the number of a task");
    }
    if (parse_whole(operands[1], "the task", 1, MODEL_FLEET_TASKS_MAX, &number,
                    &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    if (fleet_open(operands[0], &fleet, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = execute(&fleet, number, request.attempt);
    fleet_close(&fleet);
    return status;
}

const struct cli_command command_fleet_task = {
    .name = "fleet task",
    .measures = true,
    .synopsis = "[OPTIONS] FOLDER I",
    .summary = "execute one task of a fleet on this machine",
    .description =
        "Measures the fleet's suite with the seed of task I, or computes part I of its study. Works on "
        "this machine's own disk, and puts the result into the folder's results/: one file, whole or not "
        "at all. Its name has the fleet, the task, the attempt and a digest of its content.\n\n"
        "A task that has a result is not executed again, and none begins once the fleet has ended. Exit "
        "status: 0 there is a result, or nothing to do; else there is no result.",
    .options = task_rows,
    .examples = CLI_EXAMPLES({"Execute the third task of a fleet on this machine:",
                              "duet fleet task fleet 3"},
                             {"Name the attempt as the CI system does:",
                              "duet fleet task fleet 3 --attempt 2"}),
    .operand = "DIR",
    .fields = task_fields,
    .main = task_main,
};
