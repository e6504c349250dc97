/* The manual pages, docs/options.md and the shells' completions, made from the tables
 * of options, of examples and of topics, so that they cannot disagree with --help. */
#ifndef DUET_CLI_MANUAL_H
#define DUET_CLI_MANUAL_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* The manual page duet-NAME(1) of a command, or of the program itself (NULL), in man(7)
 * format. */
void manual_print(FILE *stream, const struct cli_command *command);

/* The manual page duet-NAME(7) of a topic. */
void manual_print_topic(FILE *stream, const struct topic *topic);

/* The options of all commands in Markdown: docs/options.md. */
void reference_print(FILE *stream);

/* The completion script for "bash", "zsh" or "fish"; false: another shell. */
bool completion_print(FILE *stream, const char *shell);

#endif
