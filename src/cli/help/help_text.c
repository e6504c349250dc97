/* The --help of a command, and the text of a topic. */
#include "cli/cli.h"
#include "cli/help/topics.h"
#include "cli/options/option.h"
#include "cli/terminal.h"
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

/* Prints `text`, broken between words into lines of at most `width` columns; the first
 * one begins where the cursor is, at column `indent`, the others are indented so far. A
 * newline in the text is kept. Ends with a newline. */
static void wrap(FILE *stream, const char *text, size_t indent, size_t width)
{
    size_t column = indent;
    while (*text != '\0') {
        if (*text == '\n') {
            /* banned-ok: blanks, no text */
            (void)fprintf(stream, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            (void)fprintf(stream, "\n%*s", (int)indent, ""); /* banned-ok: blanks */
            column = indent;
        } else if (column > indent) {
            (void)fputc(' ', stream);
            column++;
        }
        (void)fwrite(text, 1, length, stream);
        column += length;
        text += length + (text[length] == ' ');
    }
    (void)fputc('\n', stream);
}

static size_t help_width(void)
{
    size_t width = terminal_width(stdout);
    return width == 0 || width > 100 ? 80 : width;
}

/* The commands whose names begin with this one's. */
static void parts(const struct cli_command *command)
{
    static const int columns[] = {-19, 0};
    size_t length = strlen(command->name);
    struct text text = {0};
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const char *name = cli_commands[i]->name;
        if (strncmp(name, command->name, length) == 0 && name[length] == ' ') {
            text_append(&text, text.length == 0 ? "\nParts:\n" : "");
            columns_append(&text, columns, "  %s\t%s\n", name + length + 1,
                           cli_commands[i]->summary);
        }
    }
    (void)fputs(text_string(&text), stdout);
    text_release(&text);
}

/* A list of words that is longer than the line goes on below itself, after a '|'.
 * Returns the columns used. */
static int argument(int used, const char *text)
{
    enum { COLUMNS = 80 };
    int indent = used;
    while ((int)strlen(text) > COLUMNS - used) {
        int fits = COLUMNS - used;
        while (fits > 0 && text[fits - 1] != '|') {
            fits--;
        }
        if (fits == 0) {
            break;
        }
        /* banned-ok: blanks, no text */
        (void)printf("%.*s\n%*s", fits, text, indent, "");
        text += fits;
        used = indent;
    }
    return used + printf("%s", text);
}

static void examples(const struct cli_example *rows, size_t width)
{
    (void)printf("\nExamples:\n");
    for (; rows->line != NULL; rows++) {
        (void)fputs("  ", stdout);
        wrap(stdout, rows->purpose, 2, width);
        (void)printf("    %s\n", rows->line);
    }
}

void cli_help(const struct cli_command *command)
{
    enum { HELP_COLUMN = 30 };
    size_t width = help_width();
    (void)printf("Usage: duet %s %s\n\n", command->name, command->synopsis);
    wrap(stdout, command->description, 0, width);
    parts(command);
    (void)printf("\nOptions:\n");
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        bool optional = row->argument != NULL && row->argument[0] == '[';
        int used = row->letter != 0 ? printf("  -%c, --%s", row->letter, row->name)
                                    : printf("      --%s", row->name);
        if (optional) {
            used += printf("[=%s", row->argument + 1);
        } else if (row->argument != NULL) {
            used = argument(used + printf(" "), row->argument);
        }
        if (used >= HELP_COLUMN - 1) {
            (void)printf("\n");
            used = 0;
        }
        (void)printf("%*s", HELP_COLUMN - used, ""); /* banned-ok: blanks */
        wrap(stdout, row->help, HELP_COLUMN, width);
    }
    examples(command->examples, width);
}

/* Columns of the longest term of the rows that `text` begins with. */
static size_t terms_width(const char *text)
{
    size_t widest = 0;
    for (;;) {
        size_t term = strcspn(text, "\t\n");
        if (text[term] != '\t') {
            return widest;
        }
        widest = term > widest ? term : widest;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

/* A term in a column of `column` blanks, and its meaning beside it. */
static void print_term(const char *line, size_t column, size_t width)
{
    struct text cell = {0};
    size_t term = strcspn(line, "\t");
    text_append(&cell, "  ");
    columns_append_cell(&cell, 2 - (int)column, "%.*s", (int)term, line);
    (void)fputs(text_string(&cell), stdout);
    wrap(stdout, line + term + 1, column, width);
    text_release(&cell);
}

void cli_help_topic(const struct topic *topic)
{
    size_t width = help_width();
    size_t column = 0; /* of the meanings, within a list of terms */
    for (const char *next = topic->text; *next != '\0';) {
        size_t length = strcspn(next, "\n");
        struct text line = {0};
        text_append_n(&line, next, length);
        bool term = memchr(next, '\t', length) != NULL;
        column = !term ? 0 : column > 0 ? column : terms_width(next) + 4;
        if (term) {
            print_term(text_string(&line), column, width);
        } else if (next[0] == ' ') {
            (void)printf("%s\n", text_string(&line));
        } else {
            wrap(stdout, text_string(&line), 0, width);
        }
        text_release(&line);
        next += length + (next[length] == '\n');
    }
}
