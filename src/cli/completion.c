/* Completion scripts for bash, zsh and fish. */
#include "cli/manual.h"

#include "cli/commands.h"
#include "cli/option.h"

#include <string.h>

/* "coverage" of "study coverage" */
static const char *last_word(const struct cli_command *command)
{
    const char *space = strchr(command->name, ' ');
    return space == NULL ? command->name : space + 1;
}

/* The words that an option's value can be, parted by spaces; "": anything. */
static void choices_print(FILE *stream, const struct cli_option *row)
{
    if (row->argument == NULL || strchr(row->argument, '|') == NULL) {
        return;
    }
    for (const char *c = row->argument; *c != '\0'; c++) {
        (void)fputc(*c == '|' ? ' ' : *c, stream);
    }
}

static bool has_choices(const struct cli_option *row)
{
    return row->argument != NULL && strchr(row->argument, '|') != NULL;
}

/* What follows --schedule and the like, in any command that has it. */
static void bash_values_print(FILE *stream)
{
    (void)fputs("    case $command${COMP_WORDS[COMP_CWORD - 1]} in\n", stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        for (const struct cli_option *row = cli_commands[i]->options; row->name != NULL;
             row++) {
            if (has_choices(row)) {
                (void)fprintf(stream, "    '%s--%s') COMPREPLY=($(compgen -W '",
                              cli_commands[i]->name, row->name);
                choices_print(stream, row);
                (void)fputs("' -- \"$word\")); return ;;\n", stream);
            }
        }
    }
    (void)fputs("    esac\n", stream);
}

/* The commands, or a command's parts, parted by spaces. */
static void words_print(FILE *stream, const struct cli_command *of)
{
    const char *space = "";
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_is_part(cli_commands[i]) == (of != NULL)) {
            (void)fprintf(stream, "%s%s", space, last_word(cli_commands[i]));
            space = " ";
        }
    }
}

static void bash_print(FILE *stream)
{
    (void)fputs("_duet() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} command=run i\n"
                "    for i in 1 2; do\n"
                "        ((i < COMP_CWORD)) || break\n"
                "        case \"${COMP_WORDS[*]:1:i}\" in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "        '%s') command='%s' ;;\n", cli_commands[i]->name,
                      cli_commands[i]->name);
    }
    (void)fputs("        esac\n    done\n    local options=\n    case $command in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "    '%s') options='", cli_commands[i]->name);
        for (const struct cli_option *row = cli_commands[i]->options; row->name != NULL;
             row++) {
            (void)fprintf(stream, "%s--%s", row == cli_commands[i]->options ? "" : " ",
                          row->name);
        }
        (void)fputs("' ;;\n", stream);
    }
    (void)fputs("    esac\n", stream);
    bash_values_print(stream);
    (void)fputs("    if [[ $word == -* ]]; then\n"
                "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                "    elif ((COMP_CWORD == 1)); then\n"
                "        COMPREPLY=($(compgen -W '",
                stream);
    words_print(stream, NULL);
    (void)fputs("' -- \"$word\") $(compgen -c -- \"$word\"))\n"
                "    elif ((COMP_CWORD == 2)) && [[ $command == study ]]; then\n"
                "        COMPREPLY=($(compgen -W '",
                stream);
    words_print(stream, &command_study);
    (void)fputs("' -- \"$word\"))\n"
                "    else\n"
                "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                "    fi\n"
                "}\n"
                "complete -F _duet duet\n",
                stream);
}

/* Text inside single quotes; brackets and colons mean something to zsh. */
static void print_quoted(FILE *stream, const char *text, const char *special)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            (void)fputs("'\\''", stream);
        } else {
            (void)fprintf(stream, strchr(special, *c) != NULL ? "\\%c" : "%c", *c);
        }
    }
}

static void zsh_arguments(FILE *stream, const char *pattern,
                          const struct cli_option *rows)
{
    (void)fprintf(stream, "    %s) _arguments", pattern);
    for (const struct cli_option *row = rows; row->name != NULL; row++) {
        (void)fprintf(stream, " \\\n        '--%s[", row->name);
        print_quoted(stream, row->help, "[]:");
        if (has_choices(row)) {
            (void)fputs("]:value:(", stream);
            choices_print(stream, row);
            (void)fputs(")'", stream);
        } else {
            (void)fprintf(stream, "]%s'", row->argument != NULL ? ":value:_files" : "");
        }
    }
    (void)fputs(" ;;\n", stream);
}

static void zsh_words(FILE *stream, const char *array, bool parts)
{
    (void)fprintf(stream, "    local -a %s\n    %s=(\n", array, array);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_is_part(cli_commands[i]) == parts) {
            (void)fprintf(stream, "        '%s:", last_word(cli_commands[i]));
            print_quoted(stream, cli_commands[i]->summary, ":");
            (void)fputs("'\n", stream);
        }
    }
    (void)fputs("    )\n", stream);
}

static void zsh_options(FILE *stream, bool parts)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_is_part(cli_commands[i]) == parts && cli_commands[i] != &command_run) {
            char pattern[64];
            (void)snprintf(pattern, sizeof pattern, "'%s '*", cli_commands[i]->name);
            zsh_arguments(stream, pattern, cli_commands[i]->options);
        }
    }
}

static void zsh_print(FILE *stream)
{
    (void)fputs("#compdef duet\n_duet() {\n", stream);
    zsh_words(stream, "commands", false);
    zsh_words(stream, "studies", true);
    (void)fputs("    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
                "        _describe command commands\n"
                "        _command_names\n"
                "        return\n"
                "    fi\n"
                "    if ((CURRENT == 3)) && [[ $words[2] == study ]]; then\n"
                "        _describe study studies\n"
                "        return\n"
                "    fi\n"
                "    case \"$words[2] $words[3] \" in\n",
                stream);
    zsh_options(stream, true);
    zsh_options(stream, false);
    zsh_arguments(stream, "*", command_run.options); /* what any other word means */
    (void)fputs("    esac\n}\n_duet \"$@\"\n", stream);
}

/* When a command's options are offered: after each word of its name. */
static void fish_condition(FILE *stream, const struct cli_command *command)
{
    const char *space = strchr(command->name, ' ');
    int first =
        space == NULL ? (int)strlen(command->name) : (int)(space - command->name);
    (void)fprintf(stream, "__fish_seen_subcommand_from %.*s", first, command->name);
    if (space != NULL) {
        (void)fprintf(stream, "; and __fish_seen_subcommand_from %s", space + 1);
    }
}

static void fish_option(FILE *stream, const struct cli_command *command,
                        const struct cli_option *row)
{
    (void)fputs("complete -c duet -n '", stream);
    fish_condition(stream, command);
    (void)fprintf(stream, "' -l %s", row->name);
    if (row->letter != 0) {
        (void)fprintf(stream, " -s %c", row->letter);
    }
    if (has_choices(row)) {
        (void)fputs(" -x -a '", stream);
        choices_print(stream, row);
        (void)fputs("'", stream);
    }
    (void)fprintf(stream, "%s -d '", row->argument != NULL ? " -r" : "");
    print_quoted(stream, row->help, "\\");
    (void)fputs("'\n", stream);
}

static void fish_print(FILE *stream)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct cli_command *command = cli_commands[i];
        (void)fprintf(stream, "complete -c duet -n '%s' -a %s -d '",
                      cli_is_part(command) ? "__fish_seen_subcommand_from study"
                                           : "__fish_use_subcommand",
                      last_word(command));
        print_quoted(stream, command->summary, "\\");
        (void)fputs("'\n", stream);
        for (const struct cli_option *row = command->options; row->name != NULL;
             row++) {
            fish_option(stream, command, row);
        }
    }
}

bool completion_print(FILE *stream, const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(FILE *stream);
    } shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(stream);
            return true;
        }
    }
    return false;
}
