/* duet help [COMMAND|TOPIC] */
#include "cli/commands.h"
#include "cli/help/manual.h"
#include "cli/help/suggest.h"
#include "cli/help/topics.h"
#include "cli/options/option.h"
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

enum help_option { OPTION_MAN = CLI_OPTION_FIRST, OPTION_MARKDOWN, OPTION_COMPLETION };

static const struct cli_option help_rows[] = {
    {"man", 0, NULL, OPTION_MAN,
     "Print the manual page of COMMAND or TOPIC, or of the program, in man(7) format."},
    {"markdown", 0, NULL, OPTION_MARKDOWN,
     "Print the options of all commands as a page in Markdown."},
    {"completion", 0, "bash|zsh|fish", OPTION_COMPLETION,
     "Print the completion script for this shell."},
    CLI_OPTION_END_ROWS};

static void list_topics(void)
{
    static const int columns[] = {-15, 0};
    struct text text = {0};
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        columns_append(&text, columns, "  %s\t%s\n", topic->name, topic->summary);
    }
    (void)printf("Topics of 'duet help TOPIC':\n%s", text_string(&text));
    text_release(&text);
}

static void overview(void)
{
    static const int columns[] = {-15, 0};
    struct text text = {0};
    (void)printf("duet compares the speed of two programs on noisy, shared machines.\n"
                 "\n"
                 "Usage: duet [run] [OPTIONS] OLD NEW\n"
                 "       duet COMMAND [OPTIONS] ...\n"
                 "\n"
                 "Commands:\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_whole_of(cli_commands[i]) == NULL) {
            columns_append(&text, columns, "  %s\t%s\n", cli_commands[i]->name,
                           cli_commands[i]->summary);
        }
    }
    (void)printf("%s\n"
                 "Example: duet 'xz -6 -k -c old.tar' 'xz -6 -k -c new.tar'\n"
                 "'duet COMMAND --help' tells more; 'duet --version' the version.\n"
                 "'duet help TOPIC' explains",
                 text_string(&text));
    text_release(&text);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        (void)printf("%s %s", topic == topics ? "" : ",", topic->name);
    }
    (void)printf(".\n");
}

static int completion(const struct cli_command *command, const char *shell)
{
    return completion_print(stdout, shell)
               ? CLI_EXIT_OK
               : cli_usage(command,
                           "no completion for '%s': expected bash, zsh or "
                           "fish",
                           shell);
}

/* subject: what the words before the unknown one are; NULL: there are none. */
static int unknown(const struct cli_command *command, const struct cli_command *subject,
                   const char *word)
{
    if (subject != NULL) {
        return cli_usage(command, "unknown command '%s %s'", subject->name, word);
    }
    const char *meant = suggest_subject(word);
    return cli_usage(command, "unknown command or topic '%s'%s%s%s", word,
                     meant == NULL ? "" : "; did you mean '",
                     meant == NULL ? "" : meant, meant == NULL ? "" : "'?");
}

static int show(const struct cli_command *command, int count, char *const *words,
                bool manual)
{
    int used = 0;
    const struct cli_command *subject = cli_find(count, words, &used);
    const struct topic *topic =
        subject == NULL && count > 0 ? topic_find(words[0]) : NULL;
    bool all = count > 0 && strcmp(words[0], "topics") == 0;
    used += topic != NULL || all;
    if (used < count) {
        return topic != NULL || all
                   ? cli_usage(command, "unexpected argument '%s'", words[used])
                   : unknown(command, subject, words[used]);
    }
    if (all) {
        list_topics();
    } else if (topic != NULL && manual) {
        manual_print_topic(stdout, topic);
    } else if (topic != NULL) {
        cli_help_topic(topic);
    } else if (manual) {
        manual_print(stdout, subject);
    } else if (subject != NULL) {
        cli_help(subject);
    } else {
        overview();
    }
    return CLI_EXIT_OK;
}

static int help_main(const struct cli_command *command, int argc, char **argv)
{
    struct cli_options parsed;
    const char *shell = NULL;
    bool manual = false;
    bool page = false;
    int id = 0;
    cli_options_begin(&parsed, command, argc, argv);
    while ((id = cli_options_next(&parsed)) >= 0 && id != CLI_OPTION_HELP) {
        manual = manual || id == OPTION_MAN;
        page = page || id == OPTION_MARKDOWN;
        shell = id == OPTION_COMPLETION ? parsed.value : shell;
    }
    if (id == CLI_OPTIONS_WRONG) {
        return parsed.status;
    }
    char **operands = NULL;
    int count = cli_options_operands(&parsed, &operands);
    if (id == CLI_OPTION_HELP) {
        cli_help(command);
        return CLI_EXIT_OK;
    }
    if (page && count > 0) {
        return cli_usage(command,
                         "unexpected argument '%s': --markdown prints all commands",
                         operands[0]);
    }
    if (page) {
        reference_print(stdout);
        return CLI_EXIT_OK;
    }
    return shell != NULL ? completion(command, shell)
                         : show(command, count, operands, manual);
}

const struct cli_command command_help = {
    .name = "help",
    .synopsis = "[OPTIONS] [COMMAND...|TOPIC]",
    .summary = "show what a command does and its options, or explain a topic",
    .description =
        "Lists the commands. With COMMAND, shows what it does and its options. With "
        "TOPIC, explains the topic; 'duet help topics' lists them. Manual pages and "
        "shell completions come from the same tables.",
    .options = help_rows,
    .examples =
        CLI_EXAMPLES({"Show the options of a command:", "duet help run"},
                     {"Read what the verdicts mean, and what to do about unsure:",
                      "duet help verdicts"},
                     {"Complete commands and options in this bash:",
                      "source <(duet help --completion bash)"}),
    .main = help_main,
};
