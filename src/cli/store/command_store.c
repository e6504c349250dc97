/* duet store: what can be done to a store as a whole. Each is a command of its own:
 * command_store_NAME.c, and command_prune.c. */
#include "cli/commands.h"
#include "cli/options/option.h"

#include <stddef.h>

static const struct cli_option store_rows[] = {CLI_OPTION_END_ROWS};

static int store_main(const struct cli_command *command, int argc, char **argv)
{
    return cli_parts_main(command, "store command", argc, argv);
}

const struct cli_command command_store = {
    .name = "store",
    .synopsis = "merge|copy|check|prune [OPTIONS]",
    .summary = "merge, copy, check and prune stores",
    .description =
        "Works on whole stores, the files in which duet keeps its measurements. Each part "
        "has its own options ('duet store merge --help'). 'duet help data' says what "
        "a store is and how to read one with other programs.",
    .options = store_rows,
    .examples = CLI_EXAMPLES(
        {"Bring the measurements of two machines together:",
         "duet store merge a.db b.db --into all.db"},
        {"Copy a store, also while duet writes to it:", "duet store copy backup.db"},
        {"See whether a store is whole:", "duet store check"}),
    .main = store_main,
};
