#include "cli/commands.h"
#include "cli/help/completion.h"
#include "cli/help/topics.h"

#include <string.h>

/* ":FILE:_files": what is offered for a value or an operand. */
static void print_action(FILE *stream, const char *argument)
{
    switch (completion_kind_of(argument)) {
    case COMPLETION_WORDS:
        (void)fputs(":value:(", stream);
        completion_print_words(stream, argument);
        (void)fputc(')', stream);
        break;
    case COMPLETION_FILE:
        (void)fputs(":file:_files", stream);
        break;
    case COMPLETION_PROGRAM:
        (void)fputs(":program:_duet_programs", stream);
        break;
    case COMPLETION_NOTHING: /* each word is a value of its own: VAR MIN MAX */
        for (const char *word = argument; *word != '\0';) {
            size_t length = strcspn(word, " ");
            (void)fputc(':', stream);
            (void)fwrite(word, 1, length, stream);
            (void)fputs(": ", stream);
            word += length + (word[length] == ' ');
        }
        break;
    }
}

static void print_option(FILE *stream, const struct cli_option *row)
{
    bool takes = completion_takes_word(row);
    const char *value = takes ? "=" : row->argument != NULL ? "=-" : "";
    (void)fputs(" \\\n        ", stream);
    if (row->letter != 0) {
        (void)fprintf(stream, "'*'{-%c%s,--%s%s}'[", row->letter, takes ? "+" : "",
                      row->name, value);
    } else {
        (void)fprintf(stream, "'*--%s%s[", row->name, value);
    }
    completion_print_quoted(stream, row->help, "[]:");
    (void)fputc(']', stream);
    if (row->argument != NULL) {
        (void)fputs(takes ? "" : ":", stream); /* two colons: it may be left out */
        print_action(stream, row->argument);
    }
    (void)fputc('\'', stream);
}

static void print_command(FILE *stream, const struct cli_command *command)
{
    (void)fprintf(stream, "    '%s') _arguments -s", command->name);
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        print_option(stream, row);
    }
    if (command == completion_help()) {
        (void)fputs(" \\\n        '*:subject:_duet_subjects'", stream);
    } else if (command->operand != NULL) {
        (void)fputs(" \\\n        '*", stream);
        print_action(stream, command->operand);
        (void)fputc('\'', stream);
    }
    (void)fputs(" ;;\n", stream);
}

static void print_entry(FILE *stream, const char *name, const char *summary)
{
    (void)fprintf(stream, "        '%s:", name);
    completion_print_quoted(stream, summary, ":");
    (void)fputs("'\n", stream);
}

/* The array duet_commands, or duet_parts_NAME of what is part of a command. */
static void print_names(FILE *stream, const struct cli_command *of)
{
    const char *array = of == NULL ? "commands" : "parts_";
    const char *name = of == NULL ? "" : of->name;
    (void)fprintf(stream, "    local -a duet_%s%s\n    duet_%s%s=(\n", array, name,
                  array, name);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_whole_of(cli_commands[i]) == of) {
            print_entry(stream, completion_last_word(cli_commands[i]),
                        cli_commands[i]->summary);
        }
    }
    (void)fputs("    )\n", stream);
}

static void print_topics(FILE *stream)
{
    (void)fputs("    local -a duet_topics\n    duet_topics=(\n", stream);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        print_entry(stream, topic->name, topic->summary);
    }
    print_entry(stream, "topics", "list the topics");
    (void)fputs("    )\n", stream);
}

/* The names of the commands that have parts, one after the other. */
static void print_wholes(FILE *stream, void (*print)(FILE *stream, const char *name))
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_has_parts(cli_commands[i])) {
            print(stream, cli_commands[i]->name);
        }
    }
}

static void print_subjects_of(FILE *stream, const char *name)
{
    (void)fprintf(stream,
                  "    if ((CURRENT > 2)) && [[ $words[2] == %s ]]; then\n"
                  "        _describe -t parts command duet_parts_%s\n"
                  "        return\n"
                  "    fi\n",
                  name, name);
}

static void print_parts_of(FILE *stream, const char *name)
{
    (void)fprintf(stream,
                  "if [[ $words[2] == %s && $words[3] != -* ]]; then\n"
                  "        if ((CURRENT == 3)); then\n"
                  "            _describe -t parts command duet_parts_%s\n"
                  "            return\n"
                  "        fi\n"
                  "        duet_command=\"%s $words[3]\"\n"
                  "        shift 2 words\n"
                  "        ((CURRENT -= 2))\n"
                  "    el",
                  name, name, name);
}

/* The names "duet_..." are seen by the functions that are called. None is `commands`,
 * an array of zsh's own. */
void completion_zsh(FILE *stream)
{
    (void)fputs(
        "#compdef duet\n"
        "_duet_programs() {\n"
        "    _alternative 'commands:program:_command_names -e' 'files:file:_files'\n"
        "}\n"
        "_duet_subjects() {\n",
        stream);
    print_wholes(stream, print_subjects_of);
    (void)fputs("    _describe -t commands command duet_commands\n"
                "    _describe -t topics topic duet_topics\n"
                "}\n"
                "_duet() {\n",
                stream);
    print_names(stream, NULL);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_has_parts(cli_commands[i])) {
            print_names(stream, cli_commands[i]);
        }
    }
    print_topics(stream);
    (void)fputs("    local duet_command=run\n"
                "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
                "        _describe -t commands command duet_commands && return\n"
                "        [[ -n $PREFIX ]] && _duet_programs\n"
                "        return\n"
                "    fi\n"
                "    ",
                stream);
    print_wholes(stream, print_parts_of);
    (void)fputs("if [[ \" ", stream);
    completion_print_names(stream, NULL);
    (void)fputs(" \" == *\" $words[2] \"* ]]; then\n"
                "        duet_command=$words[2]\n"
                "        shift words\n"
                "        ((CURRENT -= 1))\n"
                "    fi\n"
                "    case $duet_command in\n",
                stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        print_command(stream, cli_commands[i]);
    }
    (void)fputs("    esac\n}\n_duet \"$@\"\n", stream);
}
