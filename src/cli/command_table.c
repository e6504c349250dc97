/* Finds a command by its name. */
#include "cli/cli.h"

#include <string.h>

const struct cli_command *const *cli_commands;

const struct cli_command *cli_whole_of(const struct cli_command *command)
{
    size_t length = strcspn(command->name, " ");
    for (size_t i = 0; cli_commands[i] != NULL && command->name[length] == ' '; i++) {
        const char *name = cli_commands[i]->name;
        if (strncmp(name, command->name, length) == 0 && name[length] == '\0') {
            return cli_commands[i];
        }
    }
    return NULL;
}

bool cli_has_parts(const struct cli_command *command)
{
    size_t i = 0;
    while (cli_commands[i] != NULL && cli_whole_of(cli_commands[i]) != command) {
        i++;
    }
    return cli_commands[i] != NULL;
}

/* Of how many of the words the command's name is; 0: it is another one. */
static int words_of(const struct cli_command *command, int count, char *const *words)
{
    const char *rest = command->name;
    int used = 0;
    while (*rest != '\0') {
        size_t length = strcspn(rest, " ");
        if (used == count || strlen(words[used]) != length ||
            strncmp(words[used], rest, length) != 0) {
            return 0;
        }
        rest += length + (rest[length] == ' ');
        used++;
    }
    return used;
}

const struct cli_command *cli_find(int count, char *const *words, int *ret_used)
{
    const struct cli_command *found = NULL;
    *ret_used = 0;
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        int used = words_of(cli_commands[i], count, words);
        if (used > *ret_used) {
            found = cli_commands[i];
            *ret_used = used;
        }
    }
    return found;
}
