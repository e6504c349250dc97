/* The --help of a command. */
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/terminal.h"
#include "cli/wrap.h"

#include <stdio.h>
#include <string.h>

static size_t help_width(void)
{
    size_t width = terminal_width(stdout);
    return width == 0 || width > 100 ? 80 : width;
}

/* The commands whose names begin with this one's. */
static void parts(const struct cli_command *command)
{
    size_t length = strlen(command->name);
    bool first = true;
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const char *name = cli_commands[i]->name;
        if (strncmp(name, command->name, length) == 0 && name[length] == ' ') {
            (void)printf("%s  %-16s %s\n", first ? "\nThere is:\n" : "",
                         name + length + 1, cli_commands[i]->summary);
            first = false;
        }
    }
}

/* A list of words that is longer than the line goes on below itself, after a '|'.
 * Returns the columns used. */
static int argument(int used, const char *text)
{
    enum { COLUMNS = 80 };
    int indent = used;
    while ((int)strlen(text) > COLUMNS - used) {
        int fits = COLUMNS - used;
        while (fits > 0 && text[fits - 1] != '|') {
            fits--;
        }
        if (fits == 0) {
            break;
        }
        (void)printf("%.*s\n%*s", fits, text, indent, "");
        text += fits;
        used = indent;
    }
    return used + printf("%s", text);
}

void cli_help(const struct cli_command *command)
{
    enum { HELP_COLUMN = 30 };
    size_t width = help_width();
    (void)printf("Usage: duet %s %s\n\n", command->name, command->synopsis);
    wrap_print(stdout, command->description, 0, width);
    parts(command);
    (void)printf("\nOptions:\n");
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        bool optional = row->argument != NULL && row->argument[0] == '[';
        int used = row->letter != 0 ? printf("  -%c, --%s", row->letter, row->name)
                                    : printf("      --%s", row->name);
        if (optional) {
            used += printf("[=%s", row->argument + 1);
        } else if (row->argument != NULL) {
            used = argument(used + printf(" "), row->argument);
        }
        if (used >= HELP_COLUMN - 1) {
            (void)printf("\n");
            used = 0;
        }
        (void)printf("%*s", HELP_COLUMN - used, "");
        wrap_print(stdout, row->help, HELP_COLUMN, width);
    }
}
