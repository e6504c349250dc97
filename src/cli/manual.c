#include "cli/manual.h"

#include "cli/option.h"
#include "cli/version.h"

#include <ctype.h>
#include <string.h>

/* Escapes what man(7) would take for itself: backslashes, dashes (which would become
 * hyphens), dots and quotes at the beginning of a line; '±' has a name. */
static void print_escaped(FILE *stream, const char *text)
{
    bool line_begins = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (line_begins && (*c == '.' || *c == '\'')) {
            (void)fputs("\\&", stream);
        }
        line_begins = *c == '\n';
        if (strncmp(c, "±", strlen("±")) == 0) {
            (void)fputs("\\[+-]", stream);
            c += strlen("±") - 1;
        } else if (*c == '\\') {
            (void)fputs("\\e", stream);
        } else if (*c == '-') {
            (void)fputs("\\-", stream);
        } else {
            (void)fputc(*c, stream);
        }
    }
}

/* Paragraphs are parted by empty lines; indented lines are examples. */
static void print_paragraphs(FILE *stream, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length == 0) {
            (void)fputs(".PP\n", stream);
        } else {
            char line[2048];
            bool example = text[0] == ' ';
            (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
            (void)fputs(example ? ".EX\n" : "", stream);
            print_escaped(stream, line);
            (void)fputs(example ? "\n.EE\n" : "\n", stream);
        }
        text += length + (text[length] == '\n');
    }
}

static void print_option(FILE *stream, const struct cli_option *row)
{
    (void)fputs(".TP\n", stream);
    if (row->letter != 0) {
        (void)fprintf(stream, "\\fB\\-%c\\fR, ", row->letter);
    }
    (void)fputs("\\fB\\-\\-", stream);
    print_escaped(stream, row->name);
    (void)fputs("\\fR", stream);
    if (row->argument != NULL && row->argument[0] == '[') {
        (void)fprintf(stream, "[=\\fI%s\\fR", row->argument + 1);
    } else if (row->argument != NULL) {
        (void)fprintf(stream, " \\fI%s\\fR", row->argument);
    }
    (void)fputc('\n', stream);
    print_escaped(stream, row->help);
    (void)fputc('\n', stream);
}

static void print_title(FILE *stream, const char *name, const char *summary)
{
    (void)fprintf(stream, ".TH %s 1 \"\" \"duet %s\" \"User Commands\"\n.SH NAME\n",
                  name, CLI_VERSION);
    print_escaped(stream, name);
    (void)fputs(" \\- ", stream);
    print_escaped(stream, summary);
    (void)fputs("\n.SH SYNOPSIS\n", stream);
}

static void print_program(FILE *stream)
{
    print_title(stream, "duet", "compare the speed of two programs on shared machines");
    (void)fputs(
        ".B duet\n[run] [OPTIONS] OLD NEW\n.br\n.B duet\nCOMMAND [OPTIONS] ...\n"
        ".SH COMMANDS\n",
        stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        (void)fprintf(stream, ".TP\n.BR duet\\-%s (1)\n", cli_commands[i]->name);
        print_escaped(stream, cli_commands[i]->summary);
        (void)fputc('\n', stream);
    }
}

void manual_print(FILE *stream, const struct cli_command *command)
{
    if (command == NULL) {
        print_program(stream);
        return;
    }
    char name[64];
    (void)snprintf(name, sizeof name, "duet-%s", command->name);
    print_title(stream, name, command->summary);
    (void)fprintf(stream, ".B duet %s\n", command->name);
    print_escaped(stream, command->synopsis);
    (void)fputs("\n.SH DESCRIPTION\n", stream);
    print_paragraphs(stream, command->description);
    (void)fputs(".SH OPTIONS\n", stream);
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        print_option(stream, row);
    }
    (void)fputs(".SH SEE ALSO\n.BR duet (1)\n", stream);
}
