// labels: novalgrind
/* Text into files (base/file.h). novalgrind: it exchanges standard output. */
#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void names_of_standard_output(void **state)
{
    (void)state;
    assert_true(file_is_stdout("-"));
    assert_true(file_is_stdout("/dev/stdout"));
    assert_true(file_is_stdout("/proc/self/fd/1"));
    assert_false(file_is_stdout("/dev/stderr"));
    assert_false(file_is_stdout("/dev/fd/10"));
    assert_false(file_is_stdout("out.json"));
    assert_false(file_is_stdout(NULL));
}

/* What a stream's file holds when `path` was written with the stream there. */
static void assert_written_in_place(const char *path, FILE *stream)
{
    char found[32] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fflush(stream), 0);
    int kept = dup(fileno(stream));
    assert_true(dup2(fileno(file), fileno(stream)) >= 0);
    struct text text = {0};
    struct duet_error error;
    text_append(&text, "two");
    (void)fputs("one ", stream);
    enum duet_code code = file_write_text(path, &text, &error);
    assert_int_equal(fflush(stream), 0);
    assert_true(dup2(kept, fileno(stream)) >= 0);
    assert_int_equal(close(kept), 0);
    assert_int_equal(code, DUET_OK);
    assert_int_equal(pread(fileno(file), found, sizeof found - 1, 0), 7);
    assert_string_equal(found, "one two");
    assert_int_equal(fclose(file), 0);
}

static void standard_streams_are_written_in_place(void **state)
{
    (void)state;
    assert_written_in_place("/proc/self/fd/1", stdout);
    assert_written_in_place("/dev/fd/1", stdout);
    assert_written_in_place("/proc/self/fd/2", stderr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_standard_output),
        cmocka_unit_test(standard_streams_are_written_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
