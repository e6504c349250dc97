/* duet fleet: one suite on many machines. Each part is a command of its own:
 * command_fleet_NAME.c. */
#include "cli/commands.h"
#include "cli/options/option.h"

#include <stddef.h>

static const struct cli_option fleet_rows[] = {CLI_OPTION_END_ROWS};

static int fleet_main(const struct cli_command *command, int argc, char **argv)
{
    return cli_parts_main(command, "fleet command", argc, argv);
}

const struct cli_command command_fleet = {
    .name = "fleet",
    .synopsis = "submit|status|collect|resume|cancel|task [OPTIONS]",
    .summary = "measure a suite on many machines, by Slurm or by files",
    .description =
        "Splits a suite into tasks, one for each machine. Each task measures old and new on its machine, "
        "and leaves one file. The files are merged into one store, and each machine counts as one value. "
        "The tasks run as jobs of Slurm, in any CI matrix or on rented machines, or here in turns. "
        "'duet study NAME --engine' makes a fleet that computes a study.\n\n"
        "A fleet is a folder. Everything about it is in its files; no process has to stay alive. The page "
        "docs/fleet.md explains them.",
    .options = fleet_rows,
    .examples =
        CLI_EXAMPLES({"Measure a suite on 50 nodes of a Slurm cluster:",
                      "duet fleet submit bench.yaml --instances 50 --runs 10"},
                     {"Show how far it is, and what the results say:",
                      "duet fleet status fleet-1a2b3c4d"},
                     {"Merge the results that the jobs of a CI matrix have left:",
                      "duet fleet collect artifacts/"}),
    .main = fleet_main,
};
