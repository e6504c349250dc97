/* Messages, also where there is no memory for them, and what a command ends with. */
#include "cli/cli.h"

#include "support/alloc_fail.h"
#include "support/standard_error.h"

#include <fcntl.h>

static unsigned long allocations; /* of the last message */

static const char *say(unsigned long failing, const char *word)
{
    standard_error_begin();
    alloc_fail_at(failing);
    cli_say("cannot read '%s': %d", word, 7);
    allocations = alloc_fail_seen();
    alloc_fail_at(0);
    return standard_error_end();
}

/* Nothing that would control the terminal is printed, whatever allocation fails. */
static void messages(void **state)
{
    (void)state;
    static const char odd[] = "a\x1B[31m\x07\n~ \x7F\xC3\xA4";
    static const char plain[] = "duet: cannot read 'a?[31m?\n~ ?\?\?': 7\n";
    assert_string_equal(say(0, "a b"), "duet: cannot read 'a b': 7\n");
    assert_string_equal(say(1, "a b"), "duet: cannot read 'a b': 7\n");
    const char *usual = say(0, odd);
    assert_null(strchr(usual, 0x1B));
    assert_null(strchr(usual, 0x07));
    unsigned long usually = allocations;
    assert_true(usually >= 2);
    for (unsigned long n = 1; n <= usually; n++) {
        assert_string_equal(say(n, odd), plain);
    }
}

/* It is cut, and its end is a line end. */
static void a_message_that_is_too_long_without_memory(void **state)
{
    (void)state;
    char word[3000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    size_t length = strlen(say(1, word));
    assert_true(length > 1000 && length < sizeof word);
    assert_int_equal(say(1, word)[length - 1], '\n');
}

static void statuses_of_errors(void **state)
{
    (void)state;
    static const struct {
        enum duet_code code;
        int status;
    } rows[] = {{DUET_OK, 0},        {DUET_E_USAGE, 2},     {DUET_E_DOMAIN, 2},
                {DUET_E_TOO_FEW, 2}, {DUET_E_NOT_FOUND, 2}, {DUET_E_FORMAT, 2},
                {DUET_E_VERSION, 2}, {DUET_E_WORKLOAD, 4},  {DUET_E_TIMEOUT, 4},
                {DUET_E_PEER, 4},    {DUET_E_PROTOCOL, 4},  {DUET_E_INTERRUPTED, 130},
                {DUET_E_NOMEM, 5},   {DUET_E_IO, 5},        {DUET_E_UNSUITABLE, 5},
                {DUET_E_SYSTEM, 5},  {DUET_E_INTERNAL, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct duet_error error = {.code = rows[i].code, .message = "why"};
        assert_int_equal(cli_exit_of(rows[i].code), rows[i].status);
        standard_error_begin();
        int status = cli_fail(&error);
        assert_string_equal(standard_error_end(), "duet: why\n");
        assert_int_equal(status, rows[i].status);
    }
}

static void warnings_and_usage(void **state)
{
    (void)state;
    static const struct cli_command command = {.name = "fleet task"};
    standard_error_begin();
    cli_warn("%s", "odd");
    assert_string_equal(standard_error_end(), "duet: warning: odd\n");
    standard_error_begin();
    int status = cli_usage(&command, "unexpected argument '%s'", "x");
    assert_string_equal(standard_error_end(),
                        "duet fleet task: unexpected argument 'x'\n"
                        "Try 'duet fleet task --help'.\n");
    assert_int_equal(status, CLI_EXIT_USAGE);
    struct duet_error error = {.code = DUET_E_USAGE, .message = "odd"};
    standard_error_begin();
    status = cli_refuse(&command, &error);
    assert_string_equal(standard_error_end(), "duet fleet task: odd\n"
                                              "Try 'duet fleet task --help'.\n");
    assert_int_equal(status, CLI_EXIT_USAGE);
    error.code = DUET_E_NOMEM; /* no option was wrong */
    standard_error_begin();
    status = cli_refuse(&command, &error);
    assert_string_equal(standard_error_end(), "duet: odd\n");
    assert_int_equal(status, 5);
}

/* cli_finish(status) with "answer" for a disk that is full, and what is said of that.
 */
static int finish(int status, const char **ret_said)
{
    (void)fflush(stdout);
    int usual = dup(STDOUT_FILENO);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(usual >= 0 && full >= 0);
    assert_int_equal(dup2(full, STDOUT_FILENO), STDOUT_FILENO);
    (void)printf("answer");
    standard_error_begin();
    int ended = cli_finish(status);
    *ret_said = standard_error_end();
    clearerr(stdout);
    assert_int_equal(dup2(usual, STDOUT_FILENO), STDOUT_FILENO);
    (void)close(usual);
    (void)close(full);
    return ended;
}

static void an_answer_that_cannot_be_written(void **state)
{
    (void)state;
    static const char cannot[] = "duet: cannot write to standard output\n";
    const char *said = NULL;
    assert_int_equal(cli_finish(CLI_EXIT_FAILED), CLI_EXIT_FAILED);
    assert_int_equal(finish(CLI_EXIT_OK, &said), CLI_EXIT_UNSUITABLE);
    assert_string_equal(said, cannot);
    assert_int_equal(finish(CLI_EXIT_FAILED, &said), CLI_EXIT_FAILED);
    assert_string_equal(said, cannot);
    assert_int_equal(finish(CLI_EXIT_UNSUITABLE, &said), CLI_EXIT_UNSUITABLE);
    assert_string_equal(said, ""); /* who failed so has said it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(a_message_that_is_too_long_without_memory),
        cmocka_unit_test(statuses_of_errors),
        cmocka_unit_test(warnings_and_usage),
        cmocka_unit_test(an_answer_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
