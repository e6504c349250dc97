/* The program: finds the command and hands over. One file per command: command_NAME.c.
 */
#include "base/version.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/option.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cli_command *const cli_commands[] = {
    &command_run,
    &command_aa,
    &command_suite,
    &command_compare,
    &command_doctor,
    &command_import,
    &command_list,
    &command_show,
    &command_plan,
    &command_study,
    &command_study_accuracy,
    &command_study_coverage,
    &command_study_detectable,
    &command_study_false_positives,
    &command_study_planning,
    &command_study_prediction,
    &command_study_ratio,
    &command_study_samples,
    &command_study_sequential,
    &command_study_sharing,
    &command_study_shuffle,
    &command_study_stopping,
    &command_study_variability,
    &command_watch,
    &command_workload,
    &command_stress,
    &command_help,
    NULL,
};

int cli_exit_of(enum duet_code code)
{
    switch (code) {
    case DUET_OK:
        return CLI_EXIT_OK;
    case DUET_E_USAGE:
    case DUET_E_DOMAIN:
    case DUET_E_TOO_FEW:
    case DUET_E_NOT_FOUND:
    case DUET_E_FORMAT:
    case DUET_E_VERSION:
        return CLI_EXIT_USAGE;
    case DUET_E_WORKLOAD:
    case DUET_E_TIMEOUT:
    case DUET_E_PEER:
    case DUET_E_PROTOCOL:
        return CLI_EXIT_WORKLOAD;
    case DUET_E_INTERRUPTED:
        return CLI_EXIT_INTERRUPTED;
    case DUET_E_NOMEM:
    case DUET_E_IO:
    case DUET_E_UNSUITABLE:
    case DUET_E_SYSTEM:
    case DUET_E_INTERNAL:
        break;
    }
    return CLI_EXIT_UNSUITABLE;
}

int cli_fail(const struct duet_error *error)
{
    (void)fprintf(stderr, "duet: %s\n", error->message);
    return cli_exit_of(error->code);
}

void cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("duet: warning: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fprintf(stderr, "duet %s: ", command->name);
    (void)vfprintf(stderr, format, args);
    (void)fprintf(stderr, "\nTry 'duet %s --help'.\n", command->name);
    va_end(args);
    return CLI_EXIT_USAGE;
}

static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        (void)fprintf(stderr, "duet: cannot write to standard output\n");
        return status == CLI_EXIT_OK ? CLI_EXIT_UNSUITABLE : status;
    }
    return status;
}

bool cli_is_part(const struct cli_command *command)
{
    return strchr(command->name, ' ') != NULL;
}

/* Of how many of the words the command's name is; 0: it is another one. */
static int words_of(const struct cli_command *command, int count, char *const *words)
{
    const char *rest = command->name;
    int used = 0;
    while (*rest != '\0') {
        size_t length = strcspn(rest, " ");
        if (used == count || strlen(words[used]) != length ||
            strncmp(words[used], rest, length) != 0) {
            return 0;
        }
        rest += length + (rest[length] == ' ');
        used++;
    }
    return used;
}

const struct cli_command *cli_find(int count, char *const *words, int *ret_used)
{
    const struct cli_command *found = NULL;
    *ret_used = 0;
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        int used = words_of(cli_commands[i], count, words);
        if (used > *ret_used) {
            found = cli_commands[i];
            *ret_used = used;
        }
    }
    return found;
}

/* `duet --store FILE show` was read as `duet run --store FILE show`. */
static void hint_at_command(int count, char *const *words)
{
    for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++) {
        int used = 0;
        if (cli_find(count - i, words + i, &used) != NULL) {
            (void)fprintf(stderr,
                          "If you meant duet's own '%s': it comes before the options, "
                          "duet %s ...\n",
                          words[i], words[i]);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc >= 2 &&
        (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        (void)printf("duet %s\n", BASE_VERSION);
        return finish(CLI_EXIT_OK);
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        char *words[] = {argv[0], NULL};
        int status = command_help.main(&command_help, 1, words);
        return finish(argc < 2 ? CLI_EXIT_USAGE : status);
    }
    int used = 0;
    const struct cli_command *command = cli_find(argc - 1, argv + 1, &used);
    if (command != NULL) {
        return finish(command->main(command, argc - used, argv + used));
    }
    /* `duet OLD NEW`: the command's name may be left out. */
    int status = command_run.main(&command_run, argc, argv);
    if (status == CLI_EXIT_USAGE) {
        hint_at_command(argc - 1, argv + 1);
    }
    return finish(status);
}
