/* duet study detectable: the smallest slowdowns that are found reliably */
#include "cli/commands.h"
#include "cli/study/grid_study.h"

static const struct cli_option detectable_rows[] = {
    GRID_OPTION_ROWS,
    {"slowdowns", 0, "P,...", GRID_OPTION_SLOWDOWNS,
     "Try these slowdowns. Default: 0.1%,0.2%,0.5%,1%,1.5%,2%,5%,10%,50%,100%,1000%."},
    {"found", 0, "P", CLI_OPTION_SETTING,
     "Require that this share of the draws finds a slowdown. Default: 95%."},
    DATASET_OPTION_ROWS,
    STUDY_OPTION_ROWS,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

static int detectable_main(const struct cli_command *command, int argc, char **argv)
{
    return grid_study_main(command, argc, argv, GRID_DETECTABLE, "detectable");
}

const struct cli_command command_study_detectable = {
    .name = "study detectable",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "find the smallest slowdowns that are seen reliably",
    .description =
        "Asks which slowdowns are found in at least 95 % of the draws, with at most "
        "5 % false positives. Multiplies the times of the test group and counts how "
        "often each test sees a change (docs/variability.md).\n\n"
        "Interrupted, it prints what is done; --resume goes on.",
    .options = detectable_rows,
    .examples = CLI_EXAMPLES(
        {"Find the smallest slowdowns that are found on two clouds:",
         "duet study detectable AWS=aws.csv GCE=gce.csv"},
        {"Try three slowdowns with fewer draws:",
         "duet study detectable --slowdowns 1%,5%,10% --draws 50 aws.csv"}),
    .operand = "FILE",
    .fields = grid_fields,
    .main = detectable_main,
};
