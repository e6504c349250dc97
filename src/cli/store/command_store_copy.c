/* duet store copy [FROM] TO */
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "session/storage.h"

static const struct cli_option copy_rows[] = {SHARED_OPTION_STORE_READ_ROW,
                                              CLI_OPTION_END_ROWS};

static int copy_main(const struct cli_command *command, int argc, char **argv)
{
    const char *from = NULL;
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, shared_option_take_store, &from,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count == 0) {
        return cli_usage(command, "expected the file to copy to: TO");
    }
    if (count > 2 || (count == 2 && from != NULL)) {
        return cli_usage(command, "unexpected argument '%s'", operands[count - 1]);
    }
    struct store *store = NULL;
    struct duet_error error;
    enum duet_code code =
        storage_open(count == 2 ? operands[0] : from, false, &store, &error);
    if (code == DUET_OK) {
        code = store_copy(store, operands[count - 1], &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_store_copy = {
    .name = "store copy",
    .synopsis = "[OPTIONS] [FROM] TO",
    .summary = "copy a store into a new file, or to PostgreSQL and back",
    .description =
        "Copies the store FROM, by default the one of --store, into the new file TO, which is closed to "
        "other users. The copy is as the store is at one moment, also while duet measures into it, and "
        "has no unused space. FROM and TO may be URLs, such as postgresql://ci@db.example/bench; the "
        "database TO must be there, without experiments. "
        "To add to a store that is there, see 'duet store merge'.",
    .options = copy_rows,
    .examples = CLI_EXAMPLES(
        {"Copy the store, also while duet writes to it:", "duet store copy backup.db"},
        {"Copy another one:", "duet store copy other.db copy.db"}),
    .operand = "FILE",
    .main = copy_main,
};
