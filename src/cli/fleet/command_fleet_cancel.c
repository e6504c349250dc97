/* duet fleet cancel FOLDER */
#include "cli/commands.h"
#include "cli/fleet/fleet_show.h"
#include "cli/options/option.h"
#include "session/fleet/fleet_slurm.h"
#include "session/fleet/fleet_task.h"

#include <stddef.h>

static const struct cli_option cancel_rows[] = {CLI_OPTION_END_ROWS};

static int cancel_main(const struct cli_command *command, int argc, char **argv)
{
    struct fleet fleet;
    struct duet_error error = {.code = DUET_OK};
    int status = fleet_show_open(command, argc, argv, NULL, &fleet);
    if (status >= 0) {
        return status;
    }
    enum duet_code code = fleet_end(&fleet, "cancelled", &error);
    if (code == DUET_OK && fleet.plan.engine == MODEL_FLEET_SLURM) {
        code = fleet_slurm_cancel(&fleet, -1, &error);
    }
    fleet_close(&fleet);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    cli_say(
        "no further task begins; 'duet fleet collect' takes the results that are there, "
        "'duet fleet resume' goes on");
    return CLI_EXIT_OK;
}

const struct cli_command command_fleet_cancel = {
    .name = "fleet cancel",
    .synopsis = "FOLDER",
    .summary = "end a fleet; finished results stay",
    .description =
        "Lets no task begin any more, wherever it is started, and cancels Slurm's jobs, running tasks, "
        "too. Results stay. The job that collects runs as planned.",
    .options = cancel_rows,
    .examples = CLI_EXAMPLES(
        {"End a fleet, and keep what it has measured:",
         "duet fleet cancel fleet-1a2b3c4d"},
        {"Take what it has measured:", "duet fleet collect fleet-1a2b3c4d"}),
    .operand = "DIR",
    .main = cancel_main,
};
