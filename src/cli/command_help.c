/* duet help [COMMAND] */
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/terminal.h"
#include "cli/wrap.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option help_rows[] = {CLI_OPTION_HELP_ROW, CLI_OPTION_LAST_ROW};

static size_t help_width(void)
{
    size_t width = terminal_width(stdout);
    return width == 0 || width > 100 ? 80 : width;
}

void cli_help(const struct cli_command *command)
{
    enum { HELP_COLUMN = 30 };
    size_t width = help_width();
    (void)printf("Usage: duet %s %s\n\n", command->name, command->synopsis);
    wrap_print(stdout, command->description, 0, width);
    (void)printf("\nOptions:\n");
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        bool optional = row->argument != NULL && row->argument[0] == '[';
        int used = row->letter != 0 ? printf("  -%c, --%s", row->letter, row->name)
                                    : printf("      --%s", row->name);
        if (optional) {
            used += printf("[=%s", row->argument + 1);
        } else if (row->argument != NULL) {
            used += printf(" %s", row->argument);
        }
        if (used >= HELP_COLUMN - 1) {
            (void)printf("\n");
            used = 0;
        }
        (void)printf("%*s", HELP_COLUMN - used, "");
        wrap_print(stdout, row->help, HELP_COLUMN, width);
    }
}

static void overview(void)
{
    (void)printf(
        "duet compares the speed of two programs on noisy, shared machines.\n\n"
        "Usage: duet [run] [OPTIONS] OLD NEW\n"
        "       duet COMMAND [OPTIONS] ...\n\n"
        "Commands:\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    }
    (void)printf("\nExample: duet 'xz -6 -k -c old.tar' 'xz -6 -k -c new.tar'\n"
                 "'duet COMMAND --help' tells more; 'duet --version' the version.\n");
}

static int help_main(const struct cli_command *command, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        overview();
        return CLI_EXIT_OK;
    }
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (strcmp(cli_commands[i]->name, argv[1]) == 0) {
            cli_help(cli_commands[i]);
            return CLI_EXIT_OK;
        }
    }
    return cli_usage(command, "there is no command '%s'", argv[1]);
}

const struct cli_command command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "show what a command does and its options",
    .description = "Shows the commands, or the options of one.",
    .options = help_rows,
    .main = help_main,
};
