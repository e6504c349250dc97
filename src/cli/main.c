/* The program: finds the command and hands over. One file per command: command_NAME.c.
 */
#include "base/version.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help/suggest.h"
#include "cli/inherited.h"
#include "cli/options/option.h"
#include "measure/environment.h"
#include "measure/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_command *const commands[] = {
    &command_run,
    &command_aa,
    &command_suite,
    &command_git,
    &command_go_test,
    &command_cargo_bench,
    &command_pytest,
    &command_bisect,
    &command_history,
    &command_log,
    &command_baseline,
    &command_gate,
    &command_compare,
    &command_doctor,
    &command_import,
    &command_list,
    &command_show,
    &command_report,
    &command_rm,
    &command_prune,
    &command_fleet,
    &command_fleet_submit,
    &command_fleet_status,
    &command_fleet_collect,
    &command_fleet_resume,
    &command_fleet_cancel,
    &command_fleet_task,
    &command_store,
    &command_store_merge,
    &command_store_copy,
    &command_store_check,
    &command_store_prune,
    &command_plan,
    &command_study,
    &command_study_accuracy,
    &command_study_coverage,
    &command_study_detectable,
    &command_study_false_positives,
    &command_study_planning,
    &command_study_prediction,
    &command_study_ratio,
    &command_study_samples,
    &command_study_sequential,
    &command_study_sharing,
    &command_study_shuffle,
    &command_study_stopping,
    &command_study_variability,
    &command_watch,
    &command_workload,
    &command_stress,
    &command_sync,
    &command_version,
    &command_help,
    NULL,
};

static int execute_command(const struct cli_command *command, int argc, char **argv)
{
    struct guard guard = {.fd = -1};
    if (command->measures) {
        environment_detach();
        guard_start(&guard);
    }
    int status = command->main(command, argc, argv);
    guard_stop(&guard);
    return status;
}

static int execute(int argc, char **argv)
{
    if (argc >= 2 &&
        (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        (void)printf("duet %s\n", BASE_VERSION);
        return cli_finish(CLI_EXIT_OK);
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        char *words[] = {argv[0], NULL};
        int status = command_help.main(&command_help, 1, words);
        return cli_finish(argc < 2 ? CLI_EXIT_USAGE : status);
    }
    int used = 0;
    const struct cli_command *command = cli_find(argc - 1, argv + 1, &used);
    if (command != NULL) {
        return cli_finish(execute_command(command, argc - used, argv + used));
    }
    /* `duet OLD NEW`: the command's name may be left out. */
    int status = execute_command(&command_run, argc, argv);
    if (status == CLI_EXIT_USAGE) {
        suggest_commands(argc - 1, argv + 1);
    }
    return cli_finish(status);
}

int main(int argc, char **argv)
{
    int status = -1;
    cli_commands = commands;
    inherited_settle(&status);
    status = inherited_is_fit() ? execute(argc, argv) : CLI_EXIT_UNSUITABLE;
    exit(status); /* not `return`: the status is looked at once more */
}
