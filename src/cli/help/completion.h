/* What the completion scripts of the shells share: what a value or an operand is, and
 * the names to offer. */
#ifndef DUET_CLI_COMPLETION_H
#define DUET_CLI_COMPLETION_H

#include "cli/options/option.h"

#include <stdio.h>

enum completion_kind {
    COMPLETION_NOTHING, /* a number, a name: nothing is offered */
    COMPLETION_WORDS,
    COMPLETION_FILE,
    COMPLETION_PROGRAM
};

/* What is offered for the argument of an option or the operand of a command, as the
 * tables have it; NULL: nothing. */
enum completion_kind completion_kind_of(const char *argument);

/* Whether the word after the option is its value. */
bool completion_takes_word(const struct cli_option *row);

/* Prints the words of COMPLETION_WORDS, separated by blanks: those without capitals. */
void completion_print_words(FILE *stream, const char *argument);

/* The command `help`, whose operands are commands and topics. */
const struct cli_command *completion_help(void);

/* "coverage" of "study coverage" */
const char *completion_last_word(const struct cli_command *command);

/* Prints the names of the commands, separated by blanks; of: the last words of this
 * command's parts; NULL: those that are no part. */
void completion_print_names(FILE *stream, const struct cli_command *of);

/* The same of the topics of `duet help`, with the word "topics". */
void completion_print_topics(FILE *stream);

/* Prints text for single quotes, with a backslash before each of the characters
 * `special`. */
void completion_print_quoted(FILE *stream, const char *text, const char *special);

void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

#endif
