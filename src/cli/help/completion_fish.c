#include "cli/commands.h"
#include "cli/help/completion.h"
#include "cli/help/topics.h"

#include <string.h>

/* When a command's options are offered: after each word of its name. */
static void print_condition(FILE *stream, const struct cli_command *command)
{
    const char *space = strchr(command->name, ' ');
    int first =
        space == NULL ? (int)strlen(command->name) : (int)(space - command->name);
    (void)fprintf(stream, "complete -c duet -n '__fish_seen_subcommand_from %.*s",
                  first, command->name);
    if (space != NULL) {
        (void)fprintf(stream, "; and __fish_seen_subcommand_from %s", space + 1);
    }
    (void)fputs("' ", stream);
}

/* "-F": what is offered for a value or an operand. */
static void print_action(FILE *stream, const char *argument)
{
    switch (completion_kind_of(argument)) {
    case COMPLETION_WORDS:
        (void)fputs("-a '", stream);
        completion_print_words(stream, argument);
        (void)fputs("' ", stream);
        break;
    case COMPLETION_FILE:
        (void)fputs("-F ", stream);
        break;
    case COMPLETION_PROGRAM:
        (void)fputs("-F -a '(__fish_complete_command)' ", stream);
        break;
    case COMPLETION_NOTHING:
        break;
    }
}

static void print_description(FILE *stream, const char *text)
{
    (void)fputs("-d '", stream);
    completion_print_quoted(stream, text, "\\");
    (void)fputs("'\n", stream);
}

/* What follows the condition. */
static void print_option(FILE *stream, const struct cli_option *row)
{
    (void)fprintf(stream, "-l %s ", row->name);
    if (row->letter != 0) {
        (void)fprintf(stream, "-s %c ", row->letter);
    }
    if (completion_takes_word(row)) {
        enum completion_kind kind = completion_kind_of(row->argument);
        bool files = kind == COMPLETION_FILE || kind == COMPLETION_PROGRAM;
        (void)fputs(files ? "-r " : "-x ", stream);
        print_action(stream, row->argument);
    }
    print_description(stream, row->help);
}

static void print_command(FILE *stream, const struct cli_command *command)
{
    const struct cli_command *whole = cli_whole_of(command);
    (void)fprintf(stream, "complete -c duet -n '%s%s' -a %s ",
                  whole != NULL ? "__fish_seen_subcommand_from "
                                : "__fish_use_subcommand",
                  whole != NULL ? whole->name : "", completion_last_word(command));
    print_description(stream, command->summary);
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        print_condition(stream, command);
        print_option(stream, row);
    }
    if (command->operand != NULL) {
        print_condition(stream, command);
        print_action(stream, command->operand);
        (void)fputc('\n', stream);
    }
}

/* Without a command's name: the options and the programs of `duet run`. */
static void print_nameless(FILE *stream)
{
    for (const struct cli_option *row = command_run.options; row->name != NULL; row++) {
        (void)fputs("complete -c duet -n '__fish_use_subcommand' ", stream);
        print_option(stream, row);
    }
    (void)fputs("complete -c duet -n '__fish_use_subcommand; "
                "and string length -q -- (commandline -ct)' "
                "-F -a '(__fish_complete_command)'\n"
                "complete -c duet -n 'not __fish_use_subcommand; "
                "and not __fish_seen_subcommand_from ",
                stream);
    completion_print_names(stream, NULL);
    (void)fputs("' -F -a '(__fish_complete_command)'\n", stream);
}

void completion_fish(FILE *stream)
{
    (void)fputs("complete -c duet -f\n", stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        print_command(stream, cli_commands[i]);
    }
    print_nameless(stream);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        print_condition(stream, completion_help());
        (void)fprintf(stream, "-a %s ", topic->name);
        print_description(stream, topic->summary);
    }
    print_condition(stream, completion_help());
    (void)fputs("-a 'topics ", stream);
    completion_print_names(stream, NULL);
    (void)fputs("'\n", stream);
}
