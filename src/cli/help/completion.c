#include "cli/help/completion.h"

#include "cli/commands.h"
#include "cli/help/topics.h"

#include <ctype.h>
#include <string.h>

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

enum completion_kind completion_kind_of(const char *argument)
{
    static const char *const files[] = {"FILE", "[FILE]", "PATH",  "DIR",
                                        "DATA", "SERIES", "WHERE", NULL};
    static const char *const programs[] = {"CMD", "SHELL", NULL};
    if (argument == NULL) {
        return COMPLETION_NOTHING;
    }
    if (is_one_of(argument, files)) {
        return COMPLETION_FILE;
    }
    if (is_one_of(argument, programs)) {
        return COMPLETION_PROGRAM;
    }
    const char *first = argument + (argument[0] == '[');
    return strchr(argument, '|') != NULL || islower((unsigned char)*first)
               ? COMPLETION_WORDS
               : COMPLETION_NOTHING;
}

bool completion_takes_word(const struct cli_option *row)
{
    return row->argument != NULL && row->argument[0] != '[';
}

void completion_print_words(FILE *stream, const char *argument)
{
    const char *blank = "";
    for (const char *word = argument + strspn(argument, "[|"); *word != '\0';) {
        size_t length = strcspn(word, "|]");
        size_t capital = strcspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (capital >= length) {
            (void)fputs(blank, stream);
            (void)fwrite(word, 1, length, stream);
            blank = " ";
        }
        word += length;
        word += strspn(word, "|]");
    }
}

const char *completion_last_word(const struct cli_command *command)
{
    const char *space = strchr(command->name, ' ');
    return space == NULL ? command->name : space + 1;
}

void completion_print_names(FILE *stream, const struct cli_command *of)
{
    const char *blank = "";
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_whole_of(cli_commands[i]) == of) {
            (void)fprintf(stream, "%s%s", blank, completion_last_word(cli_commands[i]));
            blank = " ";
        }
    }
}

void completion_print_topics(FILE *stream)
{
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        (void)fprintf(stream, "%s ", topic->name);
    }
    (void)fputs("topics", stream);
}

void completion_print_quoted(FILE *stream, const char *text, const char *special)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            (void)fputs("'\\''", stream);
        } else {
            (void)fprintf(stream, strchr(special, *c) != NULL ? "\\%c" : "%c", *c);
        }
    }
}

const struct cli_command *completion_help(void)
{
    size_t i = 0;
    while (strcmp(cli_commands[i]->name, "help") != 0) {
        i++;
    }
    return cli_commands[i];
}
