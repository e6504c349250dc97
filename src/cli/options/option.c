#include "cli/options/option.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/text.h"
#include "cli/help/suggest.h"
#include "cli/options/option_needs.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for the first row; letters are below. Options of one value
 * would be one option to it, of which an abbreviation may mean either. */
enum { FIRST_ROW = 256 };

/* getopt_long's own tables, made from ours. */
struct getopt_tables {
    struct option *longs;
    char *shorts;
    bool *given; /* by row */
};

static size_t rows_count(const struct cli_option *rows)
{
    size_t count = 0;
    while (rows[count].name != NULL) {
        count++;
    }
    return count;
}

static int argument_kind(const struct cli_option *row)
{
    if (row->argument == NULL) {
        return no_argument;
    }
    return row->argument[0] == '[' ? optional_argument : required_argument;
}

void cli_options_begin(struct cli_options *options, const struct cli_command *command,
                       int argc, char **argv)
{
    *options = (struct cli_options){
        .command = command, .argc = argc, .argv = argv, .status = CLI_EXIT_USAGE};
    size_t count = rows_count(command->options);
    struct getopt_tables *tables = alloc_array(1, sizeof *tables);
    struct option *longs = alloc_array(count + 1, sizeof *longs);
    char *shorts = alloc_array(3 * count + 2, 1);
    bool *given = alloc_array(count + 1, sizeof *given);
    if (tables == NULL || longs == NULL || shorts == NULL || given == NULL) {
        free(tables);
        free(longs);
        free(shorts);
        free(given);
        return;
    }
    char *next = shorts;
    *next++ = ':'; /* report a missing argument as ':' */
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *row = &command->options[i];
        longs[i] =
            (struct option){row->name, argument_kind(row), NULL, FIRST_ROW + (int)i};
        if (row->letter != 0) {
            *next++ = row->letter;
            for (int kind = argument_kind(row); kind > 0; kind--) {
                *next++ = ':';
            }
        }
    }
    tables->longs = longs;
    tables->shorts = shorts;
    tables->given = given;
    options->table = tables;
    optind = 0; /* glibc: start over, with a new vector */
    opterr = 0;
}

/* The row of what getopt returned: a letter, or FIRST_ROW and the row's index. */
static const struct cli_option *row_of(const struct cli_option *rows, int seen)
{
    size_t i = 0;
    if (seen >= FIRST_ROW) {
        return &rows[seen - FIRST_ROW];
    }
    while (rows[i].name != NULL && rows[i].letter != seen) {
        i++;
    }
    return &rows[i];
}

static void tables_free(struct cli_options *options)
{
    struct getopt_tables *tables = options->table;
    if (tables != NULL) {
        free(tables->longs);
        free(tables->shorts);
        free(tables->given);
        free(tables);
        options->table = NULL;
    }
}

/* What getopt did not like about the long option that it read last. */
static void wrong_long(const struct cli_options *options)
{
    const char *word = options->argv[optind - 1] + strlen("--");
    size_t length = strcspn(word, "=");
    struct text candidates = {0};
    struct suggestion meant = {0};
    size_t count = 0;
    bool exact = false;
    for (const struct cli_option *row = options->command->options; row->name != NULL;
         row++) {
        if (strncmp(row->name, word, length) == 0) {
            text_append_format(&candidates, "%s--%s", count == 0 ? "" : ", ",
                               row->name);
            exact = exact || strlen(row->name) == length;
            count++;
        }
        suggest_consider(&meant, word, length, row->name);
    }
    char *names = text_take(&candidates);
    if (count == 0 && meant.name != NULL) {
        (void)cli_usage(options->command,
                        "unknown option '--%.*s'; did you mean '--%s'?", (int)length,
                        word, meant.name);
    } else if (count == 0 || names == NULL) {
        (void)cli_usage(options->command, "unknown option '--%.*s'", (int)length, word);
    } else if (count == 1 || exact) {
        (void)cli_usage(options->command, "'--%.*s' takes no value", (int)length, word);
    } else {
        (void)cli_usage(options->command, "'--%.*s' can mean %s", (int)length, word,
                        names);
    }
    free(names);
}

int cli_options_next(struct cli_options *options)
{
    const struct getopt_tables *tables = options->table;
    if (tables == NULL) {
        struct duet_error error;
        (void)error_no_memory(&error);
        options->status = cli_fail(&error);
        return CLI_OPTIONS_WRONG;
    }
    int seen =
        getopt_long(options->argc, options->argv, tables->shorts, tables->longs, NULL);
    if (seen == -1) {
        if (option_needs_check(options->command, tables->given)) {
            return CLI_OPTIONS_END;
        }
    } else if (seen == ':') {
        (void)cli_usage(options->command, "'%s' needs a value",
                        options->argv[optind - 1]);
    } else if (seen == '?' && optopt != 0 && optopt < FIRST_ROW) {
        /* A letter; 0 or a row are of a long option. The word before optind may be
         * another one, since letters can follow in this one. */
        (void)cli_usage(options->command, "unknown option '-%c'", optopt);
    } else if (seen == '?') {
        wrong_long(options);
    } else {
        const struct cli_option *row = row_of(options->command->options, seen);
        tables->given[row - options->command->options] = true;
        options->name = row->name;
        options->value = optarg;
        return row->id;
    }
    tables_free(options);
    return CLI_OPTIONS_WRONG;
}

const char *cli_options_word(struct cli_options *options)
{
    if (optind >= options->argc) {
        (void)cli_usage(options->command, "'%s' needs more values",
                        options->argv[options->argc - 1]);
        tables_free(options);
        return NULL;
    }
    return options->argv[optind++];
}

const char *cli_options_more(struct cli_options *options)
{
    const char *next = optind < options->argc ? options->argv[optind] : "-x";
    if (next[0] == '-' && next[1] != '\0') {
        return NULL;
    }
    optind++;
    return next;
}

int cli_options_operands(struct cli_options *options, char ***ret_operands)
{
    tables_free(options);
    *ret_operands = options->argv + optind;
    return options->argc - optind;
}

int cli_options_parse(const struct cli_command *command, int argc, char **argv,
                      enum duet_code (*take)(void *context, struct cli_options *parsed,
                                             int id, struct duet_error *reterr),
                      void *context, char ***ret_operands, int *ret_count)
{
    struct cli_options parsed;
    struct duet_error error = {.code = DUET_OK};
    enum duet_code code = DUET_OK;
    int id = 0;
    cli_options_begin(&parsed, command, argc, argv);
    while (code == DUET_OK && (id = cli_options_next(&parsed)) >= 0 &&
           id != CLI_OPTION_HELP) {
        if (command->fields == NULL ||
            !field_take(command->fields, context, parsed.name, parsed.value, &code,
                        &error)) {
            code = take(context, &parsed, id, &error);
        }
    }
    if (id == CLI_OPTIONS_WRONG) {
        return parsed.status;
    }
    *ret_count = cli_options_operands(&parsed, ret_operands);
    if (id == CLI_OPTION_HELP) {
        cli_help(command);
        return CLI_EXIT_OK;
    }
    if (code != DUET_OK) {
        return error.code == DUET_OK ? CLI_EXIT_USAGE : cli_refuse(command, &error);
    }
    return -1;
}

int cli_options_parse_all(const struct cli_command *command, int argc, char **argv,
                          enum duet_code (*take)(void *context,
                                                 struct cli_options *parsed, int id,
                                                 struct duet_error *reterr),
                          void *context)
{
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, context, &operands, &count);
    return status < 0 && count > 0
               ? cli_usage(command, "unexpected argument '%s'", operands[0])
               : status;
}
