/* duet study samples: the fewest instances and trials without false alarms */
#include "cli/commands.h"
#include "cli/study/grid_study.h"

static const struct cli_option samples_rows[] = {GRID_OPTION_ROWS, DATASET_OPTION_ROWS,
                                                 STUDY_OPTION_ROWS, STUDY_SHARE_ROWS,
                                                 CLI_OPTION_END_ROWS};

static int samples_main(const struct cli_command *command, int argc, char **argv)
{
    return grid_study_main(command, argc, argv, GRID_SAMPLES, "samples");
}

const struct cli_command command_study_samples = {
    .name = "study samples",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "find the fewest instances and trials without false alarms",
    .description =
        "Asks how many instances and trials each benchmark needs, so that unchanged "
        "programs look changed in at most 5 % of the draws. Among equal totals, "
        "more trials on the same instance are preferred (docs/variability.md).\n\n"
        "Interrupted, it prints what is done; --resume goes on.",
    .options = samples_rows,
    .examples = CLI_EXAMPLES(
        {"Ask how many instances and trials each benchmark needs:",
         "duet study samples aws.csv"},
        {"Ask with fewer draws, for groups of different machines:",
         "duet study samples --draws 50 --sampling ibs AWS=aws.csv GCE=gce.csv"}),
    .operand = "FILE",
    .fields = grid_fields,
    .main = samples_main,
};
