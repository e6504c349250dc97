/* duet fleet status FOLDER */
#include "base/field.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_show.h"
#include "cli/options/option.h"

static const struct cli_option status_rows[] = {
    {"by", 0, "cpu|node|none", CLI_OPTION_SETTING,
     "Show each benchmark by CPU model (the default), by node, or not at all."},
    {"json", 0, NULL, CLI_OPTION_SETTING,
     "Print the status as JSON (docs/schema/duet-fleet-1.schema.json)."},
    {"no-color", 0, NULL, CLI_OPTION_SETTING,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

static const struct field status_fields[] = {
    FIELD_WORD("--by", struct fleet_show, strata, fleet_strata_words),
    FIELD_FLAG("--json", struct fleet_show, json),
    FIELD_FLAG("--no-color", struct fleet_show, no_color), FIELD_END};

static int status_main(const struct cli_command *command, int argc, char **argv)
{
    struct fleet_show show = {.strata = FLEET_STRATA_CPU};
    struct fleet fleet;
    int status = fleet_show_open(command, argc, argv, &show, &fleet);
    if (status >= 0) {
        return status;
    }
    status = fleet_show_status(&fleet, &show, -1);
    fleet_close(&fleet);
    return status;
}

const struct cli_command command_fleet_status = {
    .name = "fleet status",
    .synopsis = "[OPTIONS] FOLDER",
    .summary = "show how far a fleet is, and what its results say so far",
    .description =
        "Reads what the tasks say of themselves, and with Slurm asks squeue. A task is waiting, running, "
        "done, failed, or lost: it has neither a result nor a job. Shows what the results so far say, and "
        "with --until decided whether the verdicts are certain.\n\n"
        "The time left assumes that as many tasks go on working at a time as now, each as long as the "
        "median of those that are done. Writes nothing.",
    .options = status_rows,
    .examples = CLI_EXAMPLES(
        {"Show how far a fleet is:", "duet fleet status fleet-1a2b3c4d"},
        {"Show it for a program:", "duet fleet status fleet-1a2b3c4d --json"}),
    .operand = "DIR",
    .fields = status_fields,
    .main = status_main,
};
