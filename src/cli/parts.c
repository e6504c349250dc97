/* A command that only has parts, each a command of its own. */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/option.h"

#include <stdlib.h>
#include <string.h>

/* "coverage, sequential" */
static char *names(const struct cli_command *command)
{
    struct text text = {0};
    size_t length = strlen(command->name);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const char *name = cli_commands[i]->name;
        if (strncmp(name, command->name, length) == 0 && name[length] == ' ') {
            text_append_format(&text, "%s%s", text.length == 0 ? "" : ", ",
                               name + length + 1);
        }
    }
    return text_take(&text);
}

int cli_parts_main(const struct cli_command *command, const char *noun, int argc,
                   char **argv)
{
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, NULL, NULL, &operands, &count);
    if (status >= 0) {
        return status;
    }
    char *known = names(command);
    const char *list = known == NULL ? "" : known;
    status = count == 0
                 ? cli_usage(command, "expected the name of a %s: %s", noun, list)
                 : cli_usage(command, "unknown %s '%s': expected %s", noun, operands[0],
                             list);
    free(known);
    return status;
}
