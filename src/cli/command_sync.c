/* duet sync: the harness on two descriptors, for shells and languages that cannot map a
 * page. The program that measures is its parent: it writes a word a line and reads the
 * answer. */
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "duet/duet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 256 };

static const struct cli_option sync_rows[] = {CLI_OPTION_END_ROWS};

static const char *const sync_words =
    "next, begin, end, count N, region NAME, region or close";

/* Unbuffered: the parent waits for it. */
static bool answer(const char *text)
{
    size_t length = strlen(text);
    return write(STDOUT_FILENO, text, length) == (ssize_t)length;
}

static const char *after(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1
                                                                   : NULL;
}

/* 0, which duet_count() refuses, for what is no whole number, such as 1e6. */
static uint64_t number_of(const char *text)
{
    uint64_t number = 0;
    enum duet_code code =
        parse_whole(text + strspn(text, " "), "count", 1, UINT64_MAX, &number, NULL);
    return code == DUET_OK ? number : 0;
}

/* One line, without its end. *ret_known false: no such word. Returns whether the parent
 * got its answer. */
static bool obey(struct duet *d, const char *line, bool *ret_known)
{
    const char *operations = after(line, "count");
    const char *name = after(line, "region");
    *ret_known = true;
    if (strcmp(line, "next") == 0) {
        return answer(duet_next(d) != 0 ? "1\n" : "0\n");
    }
    if (strcmp(line, "begin") == 0) {
        duet_begin(d);
        return answer("go\n");
    }
    if (strcmp(line, "end") == 0) {
        duet_end(d); /* before the answer: it stops the clock */
        return answer("ok\n");
    }
    if (operations != NULL) {
        duet_count(d, number_of(operations));
        return answer("ok\n");
    }
    if (name != NULL || strcmp(line, "region") == 0) {
        duet_region(d, name);
        return answer("ok\n");
    }
    *ret_known = false;
    return true;
}

/* Until `close` or the end of the input. */
static int serve(struct duet *d)
{
    char line[LINE_BYTES];
    bool known = true;
    bool heard = true;
    while (known && heard && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "close") == 0) {
            break;
        }
        heard = obey(d, line, &known);
    }
    if (!known) {
        cli_say("sync: unknown word '%s': write %s", line, sync_words);
    }
    /* Alone, it prints its times, which are no answer. */
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    int status = duet_close(d);
    return known && heard && status == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    (void)context, (void)parsed, (void)id, (void)reterr;
    return DUET_OK;
}

static int sync_main(const struct cli_command *command, int argc, char **argv)
{
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take_option, NULL, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        cli_say("sync: unexpected argument '%s'", operands[1]);
        return CLI_EXIT_USAGE;
    }
    struct duet *d = duet_open(count == 1 ? operands[0] : "sync");
    duet_elsewhere(d);
    return serve(d);
}

const struct cli_command command_sync = {
    .name = "sync",
    .synopsis = "[NAME]",
    .summary = "take part in a measurement from a script",
    .description =
        "A script that is measured starts this command. It writes words to the standard "
        "input, one a line, and reads the answers from the standard output. The word "
        "'next' is answered by 1, another iteration, or 0, enough. The word 'begin' is "
        "answered by 'go' when both sides are released, and 'end' by 'ok'. Also known are "
        "'count N' and 'region NAME', for duet_count() and duet_region(). The end of the "
        "input, or 'close', ends the measurement. Started without duet, this command prints "
        "the times on standard error.\n"
        "\n"
        "The timed window holds two passages of a pipe, some 14 microseconds in a bash "
        "script. The script's CPU time is not known, so its elapsed times are compared: "
        "use --schedule duet or interleaved.\n"
        "\n"
        "Exit status: 0 fine; 1 an unknown word, or an error ended the run; 2 wrong usage.",
    .options = sync_rows,
    .examples = CLI_EXAMPLES(
        {"Take part from a bash script (docs/harnesses.md has the whole of it):",
         "coproc duet sync"},
        {"See the answers, and the times on standard error:",
         "printf '%s\\n' next begin end next begin end | DUET_ITERATIONS=1 duet sync"}),
    .operand = "script",
    .main = sync_main,
};
