/* Options as data: one table a command, from which parsing, --help, the manual pages
 * and the shells' completions are made. */
#ifndef DUET_CLI_OPTION_H
#define DUET_CLI_OPTION_H

#include "cli/cli.h"

struct cli_option {
    const char *name; /* long, without dashes */
    char letter;      /* 0: none */
    /* Its name in the help, or the words to choose from ("a|b|N"), of which the
     * completions offer those without capitals; FILE, PATH, DIR, DATA, SERIES and WHERE
     * are files to them, CMD and SHELL programs. NULL: takes none; "[X]": optional. */
    const char *argument;
    /* What cli_options_next() returns; unique in the table, but for CLI_OPTION_SETTING.
     */
    int id;
    const char *help; /* what it does, with the default */
};

/* Ids that every table may have; a command's own begin with CLI_OPTION_FIRST. */
enum {
    CLI_OPTION_HELP = 256,
    CLI_OPTION_SETTING, /* known by the row's name: a field of the command's context, or
                           a setting of session/comparison */
    CLI_OPTION_FIRST
};
enum { CLI_OPTIONS_END = -1, CLI_OPTIONS_WRONG = -2 };

/* Every table ends so. */
#define CLI_OPTION_END_ROWS                                           \
    {"help", 'h', NULL, CLI_OPTION_HELP, "Show this help and exit."}, \
    {                                                                 \
        NULL, 0, NULL, 0, NULL                                        \
    }

struct cli_options {
    const struct cli_command *command;
    int argc;
    char **argv;
    const char *name;  /* of the option just returned */
    const char *value; /* the same; NULL: none given */
    int status;        /* to exit with after CLI_OPTIONS_WRONG */
    void *table;       /* private */
};

void cli_options_begin(struct cli_options *options, const struct cli_command *command,
                       int argc, char **argv);
/* The next option's id; CLI_OPTIONS_END when only operands are left; CLI_OPTIONS_WRONG
 * after a message about a wrong one, or one that does nothing without another
 * (cli/options/option_needs.h). Options may stand anywhere; "--" ends them. */
int cli_options_next(struct cli_options *options);
/* The word after the option's value, for options that take several; NULL after a
 * message when there is none. */
const char *cli_options_word(struct cli_options *options);
/* The next word, for options that take any number: NULL when there is none or it begins
 * with '-' and is not just that. */
const char *cli_options_more(struct cli_options *options);
/* After the end: operands, in order. */
int cli_options_operands(struct cli_options *options, char ***ret_operands);

/* The whole of it, for a command that keeps its options in *context: takes those in
 * command->fields, gives each other option to `take` (its value is parsed->value; NULL:
 * there are no others), answers --help, and tells what is wrong.
 * Returns -1 to go on, with the operands, else the status to exit with. An error of
 * `take` without a message was told already. */
int cli_options_parse(const struct cli_command *command, int argc, char **argv,
                      enum duet_code (*take)(void *context, struct cli_options *parsed,
                                             int id, struct duet_error *reterr),
                      void *context, char ***ret_operands, int *ret_count);

/* The same for a command that takes options only: an operand is refused. */
int cli_options_parse_all(const struct cli_command *command, int argc, char **argv,
                          enum duet_code (*take)(void *context,
                                                 struct cli_options *parsed, int id,
                                                 struct duet_error *reterr),
                          void *context);

#endif
