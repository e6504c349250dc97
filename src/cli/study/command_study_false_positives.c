/* duet study false-positives: how often unchanged programs look changed */
#include "cli/commands.h"
#include "cli/study/grid_study.h"

static const struct cli_option false_positives_rows[] = {
    GRID_OPTION_ROWS, DATASET_OPTION_ROWS, STUDY_OPTION_ROWS, STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

static int false_positives_main(const struct cli_command *command, int argc,
                                char **argv)
{
    return grid_study_main(command, argc, argv, GRID_FALSE_POSITIVES,
                           "false-positives");
}

const struct cli_command command_study_false_positives = {
    .name = "study false-positives",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "count how often unchanged programs look changed",
    .description =
        "Asks how often tests find a difference between equal programs. Draws test "
        "and control groups of many sizes from measurements of the same program, "
        "and counts how often each test sees a change. Does so for each benchmark, "
        "environment, number of instances and number of trials "
        "(docs/variability.md).\n\n"
        "Interrupted, it prints what is done; --resume goes on.",
    .options = false_positives_rows,
    .examples = CLI_EXAMPLES(
        {"Count false alarms as the paper does:",
         "duet study false-positives --paper aws.csv"},
        {"Compare two clouds, and draw the answer:",
         "duet study false-positives --export-svg clouds.svg AWS=aws.csv GCE=gce.csv"}),
    .operand = "FILE",
    .fields = grid_fields,
    .main = false_positives_main,
};
