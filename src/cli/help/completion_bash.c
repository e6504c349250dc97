#include "cli/help/completion.h"

#include <string.h>

/* "kind=words list='a b'": what is offered. */
static void print_kind(FILE *stream, const char *argument)
{
    static const char *const names[] = {[COMPLETION_NOTHING] = "nothing",
                                        [COMPLETION_WORDS] = "words",
                                        [COMPLETION_FILE] = "file",
                                        [COMPLETION_PROGRAM] = "program"};
    enum completion_kind kind = completion_kind_of(argument);
    (void)fprintf(stream, "kind=%s", names[kind]);
    if (kind == COMPLETION_WORDS) {
        (void)fputs(" list='", stream);
        completion_print_words(stream, argument);
        (void)fputc('\'', stream);
    }
    (void)fputs(" ;;\n", stream);
}

/* Behind `duet help study`. */
static void print_parts(FILE *stream, const struct cli_command *command)
{
    if (cli_has_parts(command)) {
        (void)fprintf(stream, "        if [[ ${COMP_WORDS[2]} == %s ]]; then list='",
                      command->name);
        completion_print_names(stream, command);
        (void)fputs("'; fi\n", stream);
    }
}

static void print_operand(FILE *stream, const struct cli_command *command)
{
    if (cli_has_parts(command)) {
        (void)fputs("kind=words list='", stream);
        completion_print_names(stream, command);
        (void)fputs("' ;;\n", stream);
    } else if (command == completion_help()) {
        (void)fputs("kind=words list='", stream);
        completion_print_names(stream, NULL);
        (void)fputc(' ', stream);
        completion_print_topics(stream);
        (void)fputs("'\n", stream);
        for (size_t i = 0; cli_commands[i] != NULL; i++) {
            print_parts(stream, cli_commands[i]);
        }
        (void)fputs("        ;;\n", stream);
    } else {
        print_kind(stream, command->operand);
    }
}

/* The options and the operands of each command. */
static void print_commands(FILE *stream)
{
    (void)fputs("    case $command in\n", stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct cli_option *rows = cli_commands[i]->options;
        (void)fprintf(stream, "    '%s') options='", cli_commands[i]->name);
        for (const struct cli_option *row = rows; row->name != NULL; row++) {
            (void)fprintf(stream, "%s--%s", row == rows ? "" : " ", row->name);
        }
        (void)fputs("' ", stream);
        print_operand(stream, cli_commands[i]);
    }
    (void)fputs("    esac\n", stream);
}

/* What follows --schedule and the like, in any command that has it. */
static void print_values(FILE *stream)
{
    (void)fputs("    case $command$previous in\n", stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const char *name = cli_commands[i]->name;
        for (const struct cli_option *row = cli_commands[i]->options; row->name != NULL;
             row++) {
            if (completion_takes_word(row)) {
                (void)fprintf(stream, "    '%s--%s'", name, row->name);
                if (row->letter != 0) {
                    (void)fprintf(stream, " | '%s-%c'", name, row->letter);
                }
                (void)fputs(") ", stream);
                print_kind(stream, row->argument);
            }
        }
    }
    (void)fputs("    esac\n", stream);
}

void completion_bash(FILE *stream)
{
    (void)fputs("_duet_programs() {\n"
                "    compopt -o filenames 2>/dev/null\n"
                "    mapfile -t COMPREPLY < <(\n"
                "        if [[ -n $1 ]]; then compgen -c -- \"$1\"; fi\n"
                "        compgen -f -- \"$1\")\n"
                "}\n"
                "_duet() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]}\n"
                "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                "    local command=run options= kind=nothing list= i\n"
                "    if [[ $word == = ]]; then\n"
                "        word=\n"
                "    elif [[ $previous == = ]]; then\n"
                "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                "    fi\n"
                "    for i in 1 2; do\n"
                "        ((i < COMP_CWORD)) || break\n"
                "        case \"${COMP_WORDS[*]:1:i}\" in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, "        '%s') command='%s' ;;\n", cli_commands[i]->name,
                      cli_commands[i]->name);
    }
    (void)fputs("        esac\n    done\n", stream);
    print_commands(stream);
    print_values(stream);
    (void)fputs("    COMPREPLY=()\n"
                "    if [[ $word == -* ]]; then\n"
                "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                "    elif ((COMP_CWORD == 1)); then\n"
                "        COMPREPLY=($(compgen -W '",
                stream);
    completion_print_names(stream, NULL);
    (void)fputs("' -- \"$word\"))\n"
                "        ((${#COMPREPLY[@]})) || _duet_programs \"$word\"\n"
                "    elif [[ $kind == words ]]; then\n"
                "        COMPREPLY=($(compgen -W \"$list\" -- \"$word\"))\n"
                "    elif [[ $kind == program ]]; then\n"
                "        _duet_programs \"$word\"\n"
                "    elif [[ $kind == file ]]; then\n"
                "        compopt -o filenames 2>/dev/null\n"
                "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                "    fi\n"
                "}\n"
                "complete -F _duet duet\n",
                stream);
}
