/* What the commands share: the table, exit statuses, messages. */
#ifndef DUET_CLI_CLI_H
#define DUET_CLI_CLI_H

#include "base/error.h"

#include <stdbool.h>

/* Exit statuses that other people's scripts rely on. */
enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_FAILED = 1,     /* a comparison fell into --fail-on */
    CLI_EXIT_USAGE = 2,      /* wrong usage */
    CLI_EXIT_UNSURE = 3,     /* unsure, and `unsure` is in --fail-on */
    CLI_EXIT_WORKLOAD = 4,   /* a workload failed */
    CLI_EXIT_UNSUITABLE = 5, /* this machine cannot do what was asked */
    CLI_EXIT_INTERRUPTED = 130
};

struct cli_option;
struct field;
struct topic;

/* A row of the EXAMPLES of a command. */
struct cli_example {
    const char *purpose; /* begins with a verb, ends with a colon */
    const char *line;    /* for a shell; at most 76 columns */
};
#define CLI_EXAMPLES(...)        \
    (const struct cli_example[]) \
    {                            \
        __VA_ARGS__,             \
        {                        \
            NULL, NULL           \
        }                        \
    }

struct cli_command {
    const char *name;                   /* one word, or two: "study coverage" */
    const char *synopsis;               /* after the name */
    const char *summary;                /* one line */
    const char *description;            /* paragraphs for --help and the manual page */
    const struct cli_option *options;   /* ended by a row whose name is NULL */
    const struct cli_example *examples; /* ended by a row whose line is NULL */
    /* What the completions offer for an operand, as the argument of an option
     * (cli/options/option.h); NULL: nothing. */
    const char *operand;
    const struct field *fields; /* options that cli_options_parse() takes; or NULL */
    bool measures;              /* starts programs, none of which may outlive it */
    /* argv[0] is the last word of its name; returns an exit status. */
    int (*main)(const struct cli_command *command, int argc, char **argv);
};

/* The table, set by main(); ended by NULL. A command with two words in its name stands
 * behind that of the first. */
extern const struct cli_command *const *cli_commands;

/* The command that the words begin with, the longer name before the shorter, and of how
 * many words its name is; NULL when there is none. */
const struct cli_command *cli_find(int count, char *const *words, int *ret_used);

/* The command that it is a part of: `study` of "study coverage"; NULL: it is none. */
const struct cli_command *cli_whole_of(const struct cli_command *command);
bool cli_has_parts(const struct cli_command *command);

/* What a command does whose parts are commands: says what parts there are. `noun`: what
 * a part is ("study"). Returns an exit status. */
int cli_parts_main(const struct cli_command *command, const char *noun, int argc,
                   char **argv);

/* The exit status that belongs to an error. */
int cli_exit_of(enum duet_code code);

/* Prints "duet: " and the text to standard error. Messages quote files and the output
 * of programs, so that here and below what would control the terminal is replaced
 * (display_append_message()). */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "duet: MESSAGE" to standard error; returns cli_exit_of(error->code). */
int cli_fail(const struct duet_error *error);

/* Prints a warning to standard error. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the command's --help to standard output. */
void cli_help(const struct cli_command *command);

/* Prints a topic's text to standard output, as wide as the terminal. */
void cli_help_topic(const struct topic *topic);

/* As cli_usage() with what an option's error says, but as cli_fail() where memory was
 * short. */
int cli_refuse(const struct cli_command *command, const struct duet_error *error);

/* Prints what is wrong and where help is; returns CLI_EXIT_USAGE. */
int cli_usage(const struct cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Flushes standard output; returns `status`, or a failure's when the output could not
 * be written (a full disk behind a redirection). */
int cli_finish(int status);

#endif
