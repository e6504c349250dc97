/* Programs that a fleet needs: what they print, how they fail, what ends them. */
// link: duet_session
#include "session/fleet/fleet_call.h"
#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static struct duet_error error;

/* Calls a shell with this script. */
static enum duet_code call(const char *script, int log_fd, int cancel_fd,
                           struct text *output)
{
    struct model_words words = {0};
    assert_int_equal(fleet_words(&words, &error, "sh", "-c", script, (char *)NULL),
                     DUET_OK);
    enum duet_code code = fleet_call(&words, log_fd, cancel_fd, output, &error);
    model_words_release(&words);
    return code;
}

static void what_it_prints_is_appended(void **state)
{
    (void)state;
    struct text output = {0};
    assert_int_equal(call("echo one; echo unseen >&2", -1, -1, &output), DUET_OK);
    assert_int_equal(call("echo two", -1, -1, &output), DUET_OK);
    assert_string_equal(text_string(&output), "one\ntwo\n");
    text_release(&output);
    assert_int_equal(call("echo unseen", -1, -1, NULL), DUET_OK);
}

/* Tasks are measured under it. */
static void the_environment_is_ours(void **state)
{
    (void)state;
    struct text output = {0};
    assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
    assert_int_equal(call("echo \"$LC_ALL\"", -1, -1, &output), DUET_OK);
    assert_int_equal(unsetenv("LC_ALL"), 0);
    assert_int_equal(call("echo \"${LC_ALL-none}\"", -1, -1, &output), DUET_OK);
    assert_string_equal(text_string(&output), "C.UTF-8\nnone\n");
    text_release(&output);
}

/* All of it, and nothing elsewhere. */
static void a_log_takes_both_streams(void **state)
{
    (void)state;
    char bytes[32] = "";
    struct text output = {0};
    int log_fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(log_fd >= 0);
    assert_int_equal(call("echo one; echo two >&2", log_fd, -1, &output), DUET_OK);
    assert_string_equal(text_string(&output), "");
    assert_int_equal(pread(log_fd, bytes, sizeof bytes - 1, 0), 8);
    assert_string_equal(bytes, "one\ntwo\n");
    (void)close(log_fd);
    text_release(&output);
}

static void how_it_fails_is_its_last_line(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        const char *said;
    } cases[] = {
        {"echo first >&2; echo 'last line' >&2; exit 3", "sh (status 3): last line"},
        {"printf 'no end' >&2; exit 3", "sh (status 3): no end"},
        {"printf 'blank\\n\\n\\n' >&2; exit 4", "sh (status 4): blank"},
        {"echo unseen; exit 5", "sh ended with status 5"},
        {"kill -TERM $$", "sh ended with status 143"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text output = {0};
        assert_int_equal(call(cases[i].script, -1, -1, &output), DUET_E_WORKLOAD);
        assert_string_equal(error.message, cases[i].said);
        assert_string_equal(text_string(&output), "");
        text_release(&output);
    }
}

static void a_program_that_is_not_there(void **state)
{
    (void)state;
    struct model_words words = {0};
    assert_int_equal(
        fleet_words(&words, &error, "no-such-program", "--version", (char *)NULL),
        DUET_OK);
    assert_int_equal(fleet_call(&words, -1, -1, NULL, &error), DUET_E_UNSUITABLE);
    assert_string_equal(error.message, "there is no no-such-program in PATH");
    model_words_release(&words);
    assert_int_equal(fleet_words(&words, &error, "/no/such/program", (char *)NULL),
                     DUET_OK);
    assert_int_equal(fleet_call(&words, -1, -1, NULL, &error), DUET_E_UNSUITABLE);
    assert_string_equal(error.message,
                        "'/no/such/program' is not there, or cannot be executed");
    model_words_release(&words);
}

static void it_is_ended(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(call("sleep 100", -1, ends[0], NULL), DUET_E_INTERRUPTED);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        struct model_words words = {0};
        struct text output = {0};
        alloc_fail_at(n);
        code = fleet_words(&words, &error, "sh", "-c", "echo a", (char *)NULL);
        if (code == DUET_OK) {
            code = fleet_call(&words, -1, -1, &output, &error);
        }
        alloc_fail_at(0);
        model_words_release(&words);
        text_release(&output);
    }
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_prints_is_appended),
        cmocka_unit_test(the_environment_is_ours),
        cmocka_unit_test(a_log_takes_both_streams),
        cmocka_unit_test(how_it_fails_is_its_last_line),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(it_is_ended),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
