/* duet study: which studies there are. Each is a command of its own:
 * command_study_NAME.c. */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/option.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option study_rows[] = {CLI_OPTION_HELP_ROW,
                                               CLI_OPTION_LAST_ROW};

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    (void)context;
    (void)parsed;
    (void)id;
    (void)reterr;
    return DUET_OK;
}

/* "coverage, sequential" */
static char *names(void)
{
    struct text text = {0};
    const char *prefix = "study ";
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (strncmp(cli_commands[i]->name, prefix, strlen(prefix)) == 0) {
            text_append_format(&text, "%s%s", text.length == 0 ? "" : ", ",
                               cli_commands[i]->name + strlen(prefix));
        }
    }
    return text_take(&text);
}

static int study_main(const struct cli_command *command, int argc, char **argv)
{
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take, NULL, &operands, &count);
    if (status >= 0) {
        return status;
    }
    char *known = names();
    const char *list = known == NULL ? "" : known;
    status = count == 0 ? cli_usage(command, "expected the name of a study: %s", list)
                        : cli_usage(command, "unknown study '%s': expected %s",
                                    operands[0], list);
    free(known);
    return status;
}

static const struct cli_example study_examples[] = {
    {"Show what a study does, and its options:", "duet study coverage --help"},
    {"Execute one:", "duet study coverage --data normal --samples 50"},
    {NULL, NULL}};

const struct cli_command command_study = {
    .name = "study",
    .synopsis = "NAME [OPTIONS]",
    .summary = "study the method itself, and answer the papers' questions",
    .description =
        "Runs a study of the method. Each has its own options ('duet study NAME "
        "--help'). The results follow from the seed and are the same for any number "
        "of threads.",
    .options = study_rows,
    .examples = study_examples,
    .main = study_main,
};
