/* Standard streams of a program, and the tail of what it says. */
#include "measure/streams.h"

#include "support/alloc_fail.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A non-blocking pipe with `text` in it, its writing end closed. */
static int pipe_holding(const char *text, size_t length)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    if (length > 0) {
        assert_int_equal(write(ends[1], text, length), length);
    }
    (void)close(ends[1]);
    return ends[0];
}

static const char *tail_of(struct stream_tail *tail, const char *text, unsigned lines)
{
    int fd = pipe_holding(text, strlen(text));
    tail->length = 0;
    stream_tail_read(tail, fd);
    (void)close(fd);
    return stream_tail_lines(tail, lines);
}

static void test_last_lines(void **state)
{
    (void)state;
    struct stream_tail tail;
    assert_string_equal(tail_of(&tail, "", 5), "");
    assert_string_equal(tail_of(&tail, "\n\n \n", 5), "");
    assert_string_equal(tail_of(&tail, "one", 5), "one");
    assert_string_equal(tail_of(&tail, "one\n", 5), "one");
    assert_string_equal(tail_of(&tail, "one\ntwo\nthree\n", 2), "two\nthree");
    assert_string_equal(tail_of(&tail, "one\ntwo\nthree", 3), "one\ntwo\nthree");
    assert_string_equal(tail_of(&tail, "one\n\nthree", 2), "\nthree");
}

/* Uncaught exceptions, whose own words would be lost above five lines of calls. */
static void test_calls_on_a_stack(void **state)
{
    (void)state;
    struct stream_tail tail;
    const char *node = "a.js:3\n  throw e;\n  ^\n\nError: boom\n    at f (a.js:3:9)\n"
                       "    at g (a.js:9:1)\n    at node:internal:28\n\nNode.js v20\n";
    const char *go = "panic: boom\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/a/b.go:3\n"
                     "main.main()\n\t/a/b.go:9 +0x1d\nexit status 2\n";
    const char *rust =
        "thread 'main' panicked at a.rs:3:\nboom\nstack backtrace:\n"
        "   0: core::panic\n             at /rustc/a.rs:9\n  10: a::main\n"
        "note: more\n";
    const char *told = "cannot read\n\t/a/b\n at\nlook at it\n";
    assert_string_equal(tail_of(&tail, node, 5),
                        "\nError: boom\n    at f (a.js:3:9)\n\nNode.js v20");
    assert_string_equal(stream_tail_lines(&tail, 3),
                        "    at f (a.js:3:9)\n\nNode.js v20");
    assert_string_equal(tail_of(&tail, go, 5),
                        "panic: boom\n\ngoroutine 1 [running]:\nexit status 2");
    assert_string_equal(tail_of(&tail, "\t/a/b.go:3\n\t/a/b.go:4\n    at", 5),
                        "    at");
    assert_string_equal(tail_of(&tail, rust, 4),
                        "boom\nstack backtrace:\n   0: core::panic\nnote: more");
    assert_string_equal(tail_of(&tail, told, 5),
                        "cannot read\n\t/a/b\n at\nlook at it");
}

static void test_unprintable_bytes(void **state)
{
    (void)state;
    struct stream_tail tail;
    assert_string_equal(tail_of(&tail, "\033[1mred\a\ttab\n\303\244", 5),
                        "?[1mred?\ttab\n\303\244");
    int fd = pipe_holding("a\0b", 3);
    tail.length = 0;
    stream_tail_read(&tail, fd);
    (void)close(fd);
    assert_string_equal(stream_tail_lines(&tail, 5), "a?b");
}

/* However the bytes arrive, the end is what counts. */
static void test_tail_keeps_the_end(void **state)
{
    (void)state;
    enum { BYTES = 3 * STREAMS_TAIL_BYTES };
    static const size_t pieces[] = {
        1, 7, 100, STREAMS_TAIL_BYTES - 1, STREAMS_TAIL_BYTES, BYTES};
    char text[BYTES + 1];
    for (size_t i = 0; i < BYTES; i++) {
        text[i] = (char)('a' + i % 23);
    }
    text[BYTES] = '\0';
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        struct stream_tail tail = {.length = 0};
        for (size_t sent = 0; sent < BYTES;) {
            size_t n = BYTES - sent < pieces[p] ? BYTES - sent : pieces[p];
            int fd = pipe_holding(text + sent, n);
            stream_tail_read(&tail, fd);
            (void)close(fd);
            sent += n;
        }
        const char *kept = stream_tail_lines(&tail, 1);
        assert_int_equal(strlen(kept), STREAMS_TAIL_BYTES - 1);
        assert_string_equal(kept, text + BYTES - (STREAMS_TAIL_BYTES - 1));
    }
}

/* A program that never stops printing does not keep the reader. */
static void test_reading_is_bounded(void **state)
{
    (void)state;
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_true(zero >= 0);
    struct stream_tail tail = {.length = 0};
    stream_tail_read(&tail, zero);
    assert_int_equal(tail.length, STREAMS_TAIL_BYTES - 1);
    (void)close(zero);
}

static struct model_plan plan_of(enum model_stream_kind input,
                                 enum model_stream_kind output, const char *path)
{
    return (struct model_plan){.input = {input, path},
                               .output = {output, path},
                               .error_output = {MODEL_STREAM_NULL, NULL}};
}

static void test_kinds(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(MODEL_STREAM_INHERIT, MODEL_STREAM_PIPE, NULL);
    struct streams streams;
    int pipe_end = dup(STDERR_FILENO);
    assert_int_equal(streams_open(&streams, &plan, MODEL_OLD, pipe_end, -1), 0);
    assert_int_equal(streams.fds[0], STDIN_FILENO);
    assert_int_equal(streams.fds[1], pipe_end);
    assert_true(streams.fds[2] > STDERR_FILENO);
    int opened = streams.fds[2];
    assert_int_equal(fcntl(opened, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    streams_close(&streams);
    streams_close(&streams);
    /* Only what it had opened itself is closed. */
    assert_int_equal(fcntl(opened, F_GETFD), -1);
    assert_int_not_equal(fcntl(pipe_end, F_GETFD), -1);
    (void)close(pipe_end);
}

static void test_output_files_of_both_sides(void **state)
{
    (void)state;
    char folder[256];
    char path[300];
    char name[320];
    (void)snprintf(folder, sizeof folder, "%s/streams-XXXXXX", TEST_BINARY_DIR);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/out", folder);
    struct model_plan plan = plan_of(MODEL_STREAM_NULL, MODEL_STREAM_FILE, path);
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct streams streams;
        assert_int_equal(streams_open(&streams, &plan, (enum model_side)side, -1, -1),
                         0);
        assert_int_equal(write(streams.fds[1], "x", 1), 1);
        streams_close(&streams);
        (void)snprintf(name, sizeof name, "%s.%s", path,
                       model_side_name((enum model_side)side));
        struct stat status;
        assert_int_equal(stat(name, &status), 0);
        assert_int_equal(status.st_size, 1);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void test_missing_files(void **state)
{
    (void)state;
    struct model_plan plan =
        plan_of(MODEL_STREAM_FILE, MODEL_STREAM_NULL, "/no/such/file");
    struct duet_error error;
    struct streams streams;
    assert_int_equal(streams_open(&streams, &plan, MODEL_OLD, -1, -1), ENOENT);
    assert_int_equal(streams_check(&plan, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "--input"));
    assert_non_null(strstr(error.message, "/no/such/file"));
    plan = plan_of(MODEL_STREAM_NULL, MODEL_STREAM_FILE, "/no/such/file");
    assert_int_equal(streams_open(&streams, &plan, MODEL_OLD, -1, -1), ENOENT);
    assert_int_equal(streams_check(&plan, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "--output"));
    plan = plan_of(MODEL_STREAM_NULL, MODEL_STREAM_PIPE, NULL);
    assert_int_equal(streams_check(&plan, &error), DUET_OK);
}

/* It would be empty from the second execution on. */
static void test_an_input_is_read_again_and_again(void **state)
{
    (void)state;
    struct duet_error error;
    char folder[256];
    char path[300];
    (void)snprintf(folder, sizeof folder, "%s/streams-XXXXXX", TEST_BINARY_DIR);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int writer = open(path, O_RDWR | O_CLOEXEC); /* or opening it would wait */
    struct model_plan plan = plan_of(MODEL_STREAM_FILE, MODEL_STREAM_NULL, path);
    assert_int_equal(streams_check(&plan, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "is a pipe"));
    assert_non_null(strstr(error.message, path));
    (void)close(writer);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    plan = plan_of(MODEL_STREAM_FILE, MODEL_STREAM_NULL, "/dev/zero");
    assert_int_equal(streams_check(&plan, &error), DUET_OK);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(MODEL_STREAM_NULL, MODEL_STREAM_FILE, "/no/file");
    struct duet_error error;
    struct streams streams;
    alloc_fail_at(1);
    assert_int_equal(streams_open(&streams, &plan, MODEL_OLD, -1, -1), ENOMEM);
    alloc_fail_at(1);
    assert_int_equal(streams_check(&plan, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_lines),
        cmocka_unit_test(test_calls_on_a_stack),
        cmocka_unit_test(test_unprintable_bytes),
        cmocka_unit_test(test_tail_keeps_the_end),
        cmocka_unit_test(test_reading_is_bounded),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_output_files_of_both_sides),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_an_input_is_read_again_and_again),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
