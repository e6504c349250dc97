/* duet version: which duet this is, for people and for programs */
#include "base/version.h"
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/options/option.h"

#include <stdio.h>

enum { OPTION_JSON = CLI_OPTION_FIRST };

static const struct cli_option version_rows[] = {
    {"json", 0, NULL, OPTION_JSON, "Print JSON: schema_version, duet_version."},
    CLI_OPTION_END_ROWS};

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    bool *json = context;
    (void)parsed;
    (void)reterr;
    *json = id == OPTION_JSON;
    return DUET_OK;
}

static int version_main(const struct cli_command *command, int argc, char **argv)
{
    bool json = false;
    int status = cli_options_parse_all(command, argc, argv, take_option, &json);
    if (status >= 0) {
        return status;
    }
    if (!json) {
        (void)printf("duet %s\n", BASE_VERSION);
        return CLI_EXIT_OK;
    }
    struct duet_error error;
    enum duet_code code = file_write_json(
        "-", json_pack("{s:i, s:s}", "schema_version", 1, "duet_version", BASE_VERSION),
        &error);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_version = {
    .name = "version",
    .synopsis = "[OPTIONS]",
    .summary = "print the version",
    .description = "Prints what 'duet --version' prints, or the same as JSON.",
    .options = version_rows,
    .examples = CLI_EXAMPLES({"Print the version:", "duet version"},
                             {"Print it for a script:", "duet version --json"}),
    .main = version_main,
};
