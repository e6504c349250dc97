/* duet study: which studies there are. Each is a command of its own:
 * command_study_NAME.c. */
#include "cli/commands.h"
#include "cli/options/option.h"

#include <stddef.h>

static const struct cli_option study_rows[] = {CLI_OPTION_END_ROWS};

static int study_main(const struct cli_command *command, int argc, char **argv)
{
    return cli_parts_main(command, "study", argc, argv);
}

const struct cli_command command_study = {
    .name = "study",
    .synopsis = "NAME [OPTIONS]",
    .summary = "study the method itself, and answer the papers' questions",
    .description =
        "Runs a study of the method. Each has its own options ('duet study NAME "
        "--help'). The results follow from the seed and are the same for any number "
        "of threads.\n\n"
        "Studies that simulate or resample can be computed by many processes or "
        "machines (--engine, --part), with the same result (docs/fleet.md).",
    .options = study_rows,
    .examples = CLI_EXAMPLES(
        {"Show what a study does, and its options:", "duet study coverage --help"},
        {"Execute one:", "duet study coverage --data normal --samples 50"}),
    .main = study_main,
};
