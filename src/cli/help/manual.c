#include "cli/help/manual.h"

#include "base/version.h"
#include "cli/commands.h"
#include "cli/help/topics.h"
#include "cli/options/option.h"

#include <ctype.h>
#include <string.h>

/* Escapes what man(7) would take for itself: backslashes, dashes (which would become
 * hyphens), quotes (which would become curly), and dots at the beginning of a line; '±'
 * has a name. */
static void print_escaped(FILE *stream, const char *text)
{
    bool line_begins = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (line_begins && *c == '.') {
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
        } else if (*c == '\'') {
            (void)fputs("\\(aq", stream);
        } else {
            (void)fputc(*c, stream);
        }
    }
}

/* Lines that are indented stay as they are. */
static void print_example(FILE *stream, const char *line)
{
    (void)fputs(".EX\n", stream);
    print_escaped(stream, line);
    (void)fputs("\n.EE\n", stream);
}

static void print_term(FILE *stream, char *line, char *tab)
{
    *tab = '\0';
    (void)fputs(".TP\n.B ", stream);
    print_escaped(stream, line);
    (void)fputc('\n', stream);
    print_escaped(stream, tab + 1);
    (void)fputc('\n', stream);
}

/* Paragraphs are parted by empty lines; indented lines are examples; a tab parts a term
 * from its meaning. */
static void print_paragraphs(FILE *stream, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length == 0) {
            (void)fputs(".PP\n", stream);
        } else {
            char line[2048];
            (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
            char *tab = strchr(line, '\t');
            if (text[0] == ' ') {
                print_example(stream, line);
            } else if (tab != NULL) {
                print_term(stream, line, tab);
            } else {
                print_escaped(stream, line);
                (void)fputc('\n', stream);
            }
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

/* "duet-study-coverage" */
static void page_name(char *name, size_t size, const char *subject)
{
    (void)snprintf(name, size, "duet-%s", subject);
    for (char *c = strchr(name, ' '); c != NULL; c = strchr(c, ' ')) {
        *c = '-';
    }
}

static void print_title(FILE *stream, const char *name, char section,
                        const char *summary)
{
    (void)fprintf(stream, ".TH %s %c \"\" \"duet %s\" \"%s\"\n.SH NAME\n", name,
                  section, BASE_VERSION,
                  section == '1' ? "User Commands"
                                 : "Miscellaneous Information Manual");
    print_escaped(stream, name);
    (void)fputs(" \\- ", stream);
    print_escaped(stream, summary);
    (void)fputc('\n', stream);
}

/* A reference to another page, and what is there. */
static void print_reference(FILE *stream, const char *subject, char section,
                            const char *summary)
{
    char page[64];
    page_name(page, sizeof page, subject);
    (void)fputs(".TP\n.BR ", stream);
    print_escaped(stream, page);
    (void)fprintf(stream, " (%c)\n", section);
    print_escaped(stream, summary);
    (void)fputc('\n', stream);
}

static void print_examples(FILE *stream, const struct cli_command *command)
{
    (void)fputs(".SH EXAMPLES\n", stream);
    for (const struct cli_example *row = command->examples; row->line != NULL; row++) {
        (void)fputs(".PP\n", stream);
        print_escaped(stream, row->purpose);
        (void)fputs("\n.PP\n.RS 4\n", stream);
        print_example(stream, row->line);
        (void)fputs(".RE\n", stream);
    }
}

static const char program_description[] =
    "Compares the speed of two programs on machines that other people share. "
    "It runs both at the same time, on a CPU each, "
    "releases them together before every iteration and compares the ratios of the pairs: "
    "whatever disturbs the machine disturbs both.\n"
    "\n"
    "OLD and NEW are command lines, one word each to the shell: quote them. They run "
    "without a shell (-S gives one), and their output is dropped. A program that "
    "includes <duet/duet.h> is measured from within (duet-harness(7)). duet stops as "
    "soon as the verdict is certain, after 10 seconds at most, or 12 runs where these "
    "take longer.\n";

/* Those that most comparisons need. */
static const char *const common_options[] = {
    "until",        "runs",        "schedule",       "cpus-per-side", "fail-on",
    "max-slowdown", "same-within", "warmup",         "prepare",       "setup",
    "cleanup",      "shell",       "ignore-failure", "command-name",  "parameter-list",
    "export-json",  "export-html", "store",          "quiet",         "verbose"};

static void print_common_options(FILE *stream)
{
    (void)fputs(".SH OPTIONS\nThe most used ones of\n.BR duet\nOLD NEW;\n.BR "
                "duet\\-run (1)\nhas all.\n",
                stream);
    for (size_t i = 0; i < sizeof common_options / sizeof common_options[0]; i++) {
        const struct cli_option *row = command_run.options;
        while (row->name != NULL && strcmp(row->name, common_options[i]) != 0) {
            row++;
        }
        if (row->name != NULL) {
            print_option(stream, row);
        }
    }
}

static const struct {
    int status;
    const char *meaning;
} statuses[] = {
    {CLI_EXIT_OK, "Fine."},
    {CLI_EXIT_FAILED, "A comparison fell into --fail-on or exceeds --max-slowdown."},
    {CLI_EXIT_USAGE, "Wrong usage."},
    {CLI_EXIT_UNSURE, "A comparison is unsure, and unsure is in --fail-on."},
    {CLI_EXIT_WORKLOAD, "A program that was measured failed."},
    {CLI_EXIT_UNSUITABLE, "This machine cannot do what was asked."},
    {CLI_EXIT_INTERRUPTED, "Interrupted; what was finished is kept."},
};

static void print_program(FILE *stream)
{
    print_title(stream, "duet", '1',
                "compare the speed of two programs on shared machines");
    (void)fputs(".SH SYNOPSIS\n"
                ".B duet\n"
                "[run] [OPTIONS] OLD NEW\n"
                ".br\n"
                ".B duet\n"
                "COMMAND [OPTIONS] ...\n"
                ".SH DESCRIPTION\n",
                stream);
    print_paragraphs(stream, program_description);
    (void)fputs(".SH THE ANSWER\n", stream);
    print_paragraphs(stream, topic_find("verdicts")->text);
    print_common_options(stream);
    (void)fputs(".SH COMMANDS\n", stream);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        print_reference(stream, cli_commands[i]->name, '1', cli_commands[i]->summary);
    }
    (void)fputs(".SH TOPICS\n", stream);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        print_reference(stream, topic->name, '7', topic->summary);
    }
    (void)fputs(".SH EXIT STATUS\n", stream);
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        (void)fprintf(stream, ".TP\n.B %d\n", statuses[i].status);
        print_escaped(stream, statuses[i].meaning);
        (void)fputc('\n', stream);
    }
    (void)fputs(".SH FILES\n.TP\n.I .duet/results.db\n", stream);
    print_escaped(
        stream,
        "The store: in the nearest parent folder that has one, else in the current folder. "
        "An SQLite database.\n");
    (void)fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n", stream);
    print_escaped(stream, "When set and not empty, nothing is coloured.\n");
    print_examples(stream, &command_run);
    (void)fputs(".SH SEE ALSO\n.BR duet_open (3)\n", stream);
}

void manual_print(FILE *stream, const struct cli_command *command)
{
    if (command == NULL) {
        print_program(stream);
        return;
    }
    char name[64];
    page_name(name, sizeof name, command->name);
    print_title(stream, name, '1', command->summary);
    (void)fprintf(stream, ".SH SYNOPSIS\n.B duet %s\n", command->name);
    print_escaped(stream, command->synopsis);
    (void)fputs("\n.SH DESCRIPTION\n", stream);
    print_paragraphs(stream, command->description);
    (void)fputs(".SH OPTIONS\n", stream);
    for (const struct cli_option *row = command->options; row->name != NULL; row++) {
        print_option(stream, row);
    }
    print_examples(stream, command);
    (void)fputs(".SH SEE ALSO\n.BR duet (1)\n", stream);
}

void manual_print_topic(FILE *stream, const struct topic *topic)
{
    char name[64];
    page_name(name, sizeof name, topic->name);
    print_title(stream, name, '7', topic->summary);
    (void)fputs(".SH DESCRIPTION\n", stream);
    print_paragraphs(stream, topic->text);
    (void)fputs(".SH SEE ALSO\n.BR duet (1)", stream);
    for (const struct topic *other = topics; other->name != NULL; other++) {
        if (other != topic) {
            page_name(name, sizeof name, other->name);
            (void)fputs(",\n.BR ", stream);
            print_escaped(stream, name);
            (void)fputs(" (7)", stream);
        }
    }
    (void)fputc('\n', stream);
}
