/* duet help [COMMAND] */
#include "cli/commands.h"
#include "cli/manual.h"
#include "cli/option.h"
#include "cli/suggest.h"
#include "report/columns.h"

#include <stdio.h>

enum help_option { OPTION_MAN = CLI_OPTION_FIRST, OPTION_COMPLETION };

static const struct cli_option help_rows[] = {
    {"man", 0, NULL, OPTION_MAN,
     "Print the manual page of COMMAND, or of the program, in man(7) format."},
    {"completion", 0, "bash|zsh|fish", OPTION_COMPLETION,
     "Print the completion script for this shell."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

static void overview(void)
{
    static const int columns[] = {-13, 0};
    struct text text = {0};
    (void)printf("duet compares the speed of two programs on noisy, shared machines.\n"
                 "\n"
                 "Usage: duet [run] [OPTIONS] OLD NEW\n"
                 "       duet COMMAND [OPTIONS] ...\n"
                 "\n"
                 "Commands:\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (!cli_is_part(cli_commands[i])) {
            columns_append(&text, columns, "  %s\t%s\n", cli_commands[i]->name,
                           cli_commands[i]->summary);
        }
    }
    (void)printf("%s\n"
                 "Example: duet 'xz -6 -k -c old.tar' 'xz -6 -k -c new.tar'\n"
                 "'duet COMMAND --help' tells more; 'duet --version' the version.\n",
                 text_string(&text));
    text_release(&text);
}

static int completion(const struct cli_command *command, const char *shell)
{
    return completion_print(stdout, shell)
               ? CLI_EXIT_OK
               : cli_usage(command, "no completion for '%s'; bash, zsh or fish", shell);
}

static int help_main(const struct cli_command *command, int argc, char **argv)
{
    struct cli_options parsed;
    const char *shell = NULL;
    bool manual = false;
    int id = 0;
    cli_options_begin(&parsed, command, argc, argv);
    while ((id = cli_options_next(&parsed)) >= 0) {
        manual = manual || id == OPTION_MAN;
        shell = id == OPTION_COMPLETION ? parsed.value : shell;
    }
    if (id == CLI_OPTIONS_WRONG) {
        return CLI_EXIT_USAGE;
    }
    char **operands = NULL;
    int count = cli_options_operands(&parsed, &operands);
    if (shell != NULL) {
        return completion(command, shell);
    }
    int used = 0;
    const struct cli_command *subject = cli_find(count, operands, &used);
    if (used < count) {
        const char *meant = suggest_command(operands[used]);
        return cli_usage(command, "unknown command '%s'%s%s%s", operands[used],
                         meant == NULL ? "" : "; did you mean '",
                         meant == NULL ? "" : meant, meant == NULL ? "" : "'?");
    }
    if (manual) {
        manual_print(stdout, subject);
    } else if (subject != NULL) {
        cli_help(subject);
    } else {
        overview();
    }
    return CLI_EXIT_OK;
}

const struct cli_command command_help = {
    .name = "help",
    .synopsis = "[OPTIONS] [COMMAND...]",
    .summary = "show what a command does and its options",
    .description =
        "Shows the commands, or what one does and its options. "
        "Manual pages and the shells' completions come from the same tables.",
    .options = help_rows,
    .main = help_main,
};
