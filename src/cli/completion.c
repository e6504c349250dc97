/* Completion scripts for bash, zsh and fish. */
#include "cli/manual.h"

#include "cli/commands.h"
#include "cli/option.h"

#include <string.h>

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
                (void)fprintf(stream, "    %s--%s) COMPREPLY=($(compgen -W '",
                              cli_commands[i]->name, row->name);
                choices_print(stream, row);
                (void)fputs("' -- \"$word\")); return ;;\n", stream);
            }
        }
    }
    (void)fputs("    esac\n", stream);
}

static void bash_print(FILE *stream)
{
    (void)fputs("_duet() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} command=run i\n"
                "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                "        case ${COMP_WORDS[i]} in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "        %s) command=%s; break ;;\n",
                      cli_commands[i]->name, cli_commands[i]->name);
    }
    (void)fputs("        esac\n    done\n    local options=\n    case $command in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "    %s) options='", cli_commands[i]->name);
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
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "%s%s", i == 0 ? "" : " ", cli_commands[i]->name);
    }
    (void)fputs("' -- \"$word\") $(compgen -c -- \"$word\"))\n"
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

static void zsh_print(FILE *stream)
{
    (void)fputs("#compdef duet\n_duet() {\n    local -a commands\n    commands=(\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "        '%s:", cli_commands[i]->name);
        print_quoted(stream, cli_commands[i]->summary, ":");
        (void)fputs("'\n", stream);
    }
    (void)fputs("    )\n"
                "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
                "        _describe command commands\n        _command_names\n"
                "        return\n    fi\n    case $words[2] in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_commands[i] != &command_run) {
            zsh_arguments(stream, cli_commands[i]->name, cli_commands[i]->options);
        }
    }
    zsh_arguments(stream, "*", command_run.options); /* what any other word means */
    (void)fputs("    esac\n}\n_duet \"$@\"\n", stream);
}

static void fish_print(FILE *stream)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct cli_command *command = cli_commands[i];
        (void)fprintf(stream, "complete -c duet -n __fish_use_subcommand -a %s -d '",
                      command->name);
        print_quoted(stream, command->summary, "\\");
        (void)fputs("'\n", stream);
        for (const struct cli_option *row = command->options; row->name != NULL;
             row++) {
            (void)fprintf(stream,
                          "complete -c duet -n '__fish_seen_subcommand_from %s' -l %s",
                          command->name, row->name);
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
