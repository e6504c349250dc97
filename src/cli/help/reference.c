/* docs/options.md: the options of all commands. Those that several commands share are
 * described once. */
#include "cli/cli.h"
#include "cli/help/manual.h"
#include "cli/options/option.h"
#include "report/markdown_text.h"

#include <string.h>

static bool is_same(const struct cli_option *row, const struct cli_option *other)
{
    return strcmp(row->name, other->name) == 0 && row->letter == other->letter &&
           strcmp(row->help, other->help) == 0;
}

static bool has(const struct cli_command *command, const struct cli_option *row)
{
    for (const struct cli_option *own = command->options; own->name != NULL; own++) {
        if (is_same(own, row)) {
            return true;
        }
    }
    return false;
}

/* The commands with this very option, in the order of the table. */
static size_t count_sharing(const struct cli_option *row)
{
    size_t count = 0;
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        count += has(cli_commands[i], row);
    }
    return count;
}

static void append_option(struct text *text, const struct cli_option *row)
{
    struct text words = {0};
    if (row->letter != 0) {
        text_append_format(&words, "-%c, ", row->letter);
    }
    text_append_format(&words, "--%s", row->name);
    if (row->argument != NULL && row->argument[0] == '[') {
        text_append_format(&words, "[=%s", row->argument + 1);
    } else if (row->argument != NULL) {
        text_append_format(&words, " %s", row->argument);
    }
    text_append(text, "| ");
    markdown_append_code_cell(text, text_string(&words), true);
    text_append(text, " | ");
    markdown_append_prose(text, row->help, true);
    text_append(text, " |");
    text_release(&words);
}

static void append_shared(struct text *text)
{
    text_append(text, "\n## Options of several commands\n"
                      "\n"
                      "| option | what it does | commands |\n"
                      "|---|---|---|\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct cli_option *row = cli_commands[i]->options;
        for (; row->name != NULL; row++) {
            bool described = false;
            for (size_t j = 0; j < i; j++) {
                described = described || has(cli_commands[j], row);
            }
            size_t sharing = count_sharing(row);
            if (described || sharing < 2) {
                continue;
            }
            append_option(text, row);
            const char *separator = " ";
            for (size_t j = i; cli_commands[j] != NULL; j++) {
                if (row->id != CLI_OPTION_HELP && has(cli_commands[j], row)) {
                    text_append_format(text, "%s%s", separator, cli_commands[j]->name);
                    separator = ", ";
                }
            }
            text_append(text, row->id == CLI_OPTION_HELP ? " all |\n" : " |\n");
        }
    }
}

/* The names of the options that it shares. */
static void append_names(struct text *text, const struct cli_command *command)
{
    const char *separator = "\nOf several commands: ";
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        if (row->id != CLI_OPTION_HELP && count_sharing(row) > 1) {
            text_append_format(text, "%s`--%s`", separator, row->name);
            separator = ", ";
        }
    }
    text_append(text, separator[0] == ',' ? ".\n" : "");
}

static void append_command(struct text *text, const struct cli_command *command)
{
    text_append_format(text, "\n## duet %s\n\n", command->name);
    struct text usage = {0};
    text_append_format(&usage, "duet %s %s", command->name, command->synopsis);
    markdown_append_code(text, text_string(&usage), true);
    text_append(text, ": ");
    markdown_append_prose(text, command->summary, true);
    text_append(text, ".\n");
    text_release(&usage);
    bool any = false;
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        if (count_sharing(row) == 1) {
            text_append(text, any ? "" : "\n| option | what it does |\n|---|---|\n");
            append_option(text, row);
            text_append(text, "\n");
            any = true;
        }
    }
    append_names(text, command);
}

void reference_print(FILE *stream)
{
    struct text text = {0};
    text_append(
        &text,
        "# Options of all commands\n"
        "\n"
        "Each command with its usage and its own options. The options that "
        "several commands\n"
        "have are described first, once. `duet help COMMAND` shows all options of "
        "a command,\n"
        "with examples.\n"
        "\n"
        "This page is printed by `duet help --markdown`, from the tables that "
        "parse the options.\n");
    append_shared(&text);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        append_command(&text, cli_commands[i]);
    }
    (void)fputs(text_string(&text), stream);
    text_release(&text);
}
