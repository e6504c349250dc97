/* duet store check [PATH...] */
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "session/storage.h"
#include "store/store_check.h"

#include <inttypes.h>
#include <stdio.h>

static const struct cli_option check_rows[] = {SHARED_OPTION_STORE_READ_ROW,
                                               CLI_OPTION_END_ROWS};

static void say(void *context, const char *line)
{
    cli_say("'%s': %s", store_path(context), line);
}

static int check_one(const char *path)
{
    struct store *store = NULL;
    struct store_checked checked = {0};
    struct duet_error error;
    enum duet_code code = storage_open(path, false, &store, &error);
    if (code == DUET_OK) {
        code = store_check(store, say, store, &checked, &error);
    }
    if (code == DUET_OK && checked.faults == 0) {
        (void)printf("%s is whole: %" PRIu64 " experiment%s, %" PRIu64 " run%s\n",
                     store_path(store), checked.experiments,
                     checked.experiments == 1 ? "" : "s", checked.runs,
                     checked.runs == 1 ? "" : "s");
    } else if (code == DUET_OK) {
        code = error_set(
            &error, DUET_E_FORMAT,
            "'%s' is damaged: keep a copy; measure anew, or take what is whole "
            "with sqlite3 FILE .recover",
            store_path(store));
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static int check_main(const struct cli_command *command, int argc, char **argv)
{
    const char *path = NULL;
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, shared_option_take_store, &path,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 0 && path != NULL) {
        return cli_usage(command, "unexpected argument '%s': name the stores once",
                         operands[0]);
    }
    status = count == 0 ? check_one(path) : CLI_EXIT_OK;
    for (int i = 0; i < count; i++) {
        int one = check_one(operands[i]);
        status = status == CLI_EXIT_OK ? one : status;
    }
    return status;
}

const struct cli_command command_store_check = {
    .name = "store check",
    .synopsis = "[OPTIONS] [PATH...]",
    .summary = "check whether a store is whole",
    .description =
        "Reads the whole of each store and says what is wrong. It looks at pages and indexes, and for rows that "
        "refer to nothing. Each experiment must have its sides and its machine, and each run the iterations "
        "that it says. Words that this duet does not know are reported, too.\n\n"
        "Exit status: 0 whole; 2 damaged, or no store; 5 it cannot be read.",
    .options = check_rows,
    .examples = CLI_EXAMPLES(
        {"Check the store:", "duet store check"},
        {"Check what several jobs have left:", "duet store check job-1.db job-2.db"}),
    .operand = "FILE",
    .main = check_main,
};
