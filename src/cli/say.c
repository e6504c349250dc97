/* Messages to standard error, and the exit statuses that go with them. */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/display.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>

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

/* Where there is no memory for more: nothing that a terminal could take for a command.
 */
__attribute__((format(printf, 1, 0))) static void say_plain(const char *format,
                                                            va_list args)
{
    char plain[1200];
    (void)vsnprintf(plain, sizeof plain, format, args);
    for (char *at = plain; *at != '\0'; at++) {
        *at = (char)((*at >= ' ' && *at <= '~') || *at == '\n' ? *at : '?');
    }
    (void)fprintf(stderr, "%s\n", plain);
}

__attribute__((format(printf, 2, 0))) static void say(const char *before,
                                                      const char *format, va_list args)
{
    struct text text = {0};
    struct text clean = {0};
    va_list again;
    va_copy(again, args);
    text_append_list(&text, format, args);
    display_append_message(&clean, text_string(&text), terminal_is_utf8());
    (void)fputs(before, stderr);
    if (text_failed(&text) || text_failed(&clean)) {
        say_plain(format, again);
    } else {
        (void)fprintf(stderr, "%s\n", text_string(&clean));
    }
    va_end(again);
    text_release(&clean);
    text_release(&text);
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("duet: ", format, args);
    va_end(args);
}

int cli_fail(const struct duet_error *error)
{
    cli_say("%s", error->message);
    return cli_exit_of(error->code);
}

void cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("duet: warning: ", format, args);
    va_end(args);
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fprintf(stderr, "duet %s: ", command->name);
    say("", format, args);
    (void)fprintf(stderr, "Try 'duet %s --help'.\n", command->name);
    va_end(args);
    return CLI_EXIT_USAGE;
}

int cli_refuse(const struct cli_command *command, const struct duet_error *error)
{
    return error->code == DUET_E_NOMEM ? cli_fail(error)
                                       : cli_usage(command, "%s", error->message);
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return status;
    }
    __fpurge(stdout); /* it is said once */
    clearerr(stdout);
    if (status == CLI_EXIT_UNSUITABLE) { /* who could not write his answer said so */
        return status;
    }
    (void)fprintf(stderr, "duet: cannot write to standard output\n");
    return status == CLI_EXIT_OK ? CLI_EXIT_UNSUITABLE : status;
}
