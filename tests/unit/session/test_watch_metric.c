/* The number that a watched command prints. */
// link: duet_session -Wl,--wrap=memfd_create,--wrap=ftruncate,--wrap=lseek,--wrap=pread
#include "session/watch/watch_metric.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static enum { NO_CALL, MEMFD, FTRUNCATE, LSEEK, PREAD, PREAD_SHORT } failing;

int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);
int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
ssize_t __real_pread(int fd, void *bytes, size_t count, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset);

static int fail_with(int errnum)
{
    errno = errnum;
    return -1;
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return failing == MEMFD ? fail_with(EMFILE) : __real_memfd_create(name, flags);
}

int __wrap_ftruncate(int fd, off_t length)
{
    return failing == FTRUNCATE ? fail_with(EIO) : __real_ftruncate(fd, length);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
    return failing == LSEEK ? fail_with(EIO) : __real_lseek(fd, offset, whence);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset)
{
    if (failing == PREAD_SHORT) { /* another process keeps its head only */
        assert_int_equal(__real_ftruncate(fd, 3), 0);
    }
    return failing == PREAD ? fail_with(EIO) : __real_pread(fd, bytes, count, offset);
}

/* Reads what a command has printed. */
static enum duet_code read_of(const char *pattern, const char *output,
                              double *ret_value, struct duet_error *error)
{
    struct watch_metric metric;
    assert_int_equal(watch_metric_open(pattern, &metric, error), DUET_OK);
    assert_int_equal(write(metric.output_fd, "99 old\n", 7), 7);
    assert_int_equal(watch_metric_clear(&metric, error), DUET_OK);
    assert_int_equal(write(metric.output_fd, output, strlen(output)),
                     (ssize_t)strlen(output));
    enum duet_code code = watch_metric_read(&metric, -1, ret_value, error);
    watch_metric_close(&metric);
    watch_metric_close(&metric);
    return code;
}

static void the_first_line_that_matches_counts(void **state)
{
    static const struct {
        const char *pattern;
        const char *output;
        double value;
    } cases[] = {
        {"[0-9.]+", "time: 12.5 s\n13\n", 12.5},
        {"^took ([0-9.e+-]+)", "it took 1\ntook 25e-1\ntook 3\n", 2.5},
        {"^(fast )?[0-9]+$", "a\n7\n", 7.0}, /* the group took no part */
        {"=(.*)ms", "x= 4 ms\n", 4.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct duet_error error = {0};
        double value = 0.0;
        assert_int_equal(read_of(cases[i].pattern, cases[i].output, &value, &error),
                         DUET_OK);
        assert_true(value == cases[i].value);
    }
}

static void what_is_no_number_above_zero_is_told(void **state)
{
    static const struct {
        const char *pattern;
        const char *output;
        const char *says;
    } cases[] = {
        {"ms$", "12 ms\n", "found 'ms'"},          {"[-0-9]+", "-3\n", "found -3"},
        {"[0-9]+", "0\n", "numbers above 0"},      {"[0-9]+", "", "it printed nothing"},
        {"[0-9]+", "none\n", "which ended: none"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct duet_error error = {0};
        double value = -1.0;
        assert_int_equal(read_of(cases[i].pattern, cases[i].output, &value, &error),
                         DUET_E_WORKLOAD);
        assert_non_null(strstr(error.message, cases[i].says));
        assert_true(value == -1.0);
    }
}

static void a_long_output_shows_its_end(void **state)
{
    (void)state;
    char output[1001] = {0};
    memset(output, 'x', 995);
    memcpy(output + 995, "last\n", 5);
    output[0] = 'y';
    struct duet_error error = {0};
    double value = 0.0;
    assert_int_equal(read_of("[0-9]", output, &value, &error), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "last"));
    assert_null(strstr(error.message, "yx"));
}

static void bytes_of_zero_are_blanks(void **state)
{
    (void)state;
    struct watch_metric metric;
    struct duet_error error;
    double value = 0.0;
    assert_int_equal(watch_metric_open("[0-9]+", &metric, &error), DUET_OK);
    assert_int_equal(write(metric.output_fd, "a\0b 5\n", 6), 6);
    assert_int_equal(watch_metric_read(&metric, -1, &value, &error), DUET_OK);
    assert_true(value == 5.0);
    /* 65 MiB that take no room. */
    assert_int_equal(ftruncate(metric.output_fd, 65L * 1024 * 1024), 0);
    assert_int_equal(watch_metric_read(&metric, -1, &value, &error), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 64 MiB"));
    watch_metric_close(&metric);
}

static void without_a_pattern_nothing_is_kept(void **state)
{
    (void)state;
    struct watch_metric metric;
    struct duet_error error = {0};
    assert_int_equal(watch_metric_open(NULL, &metric, &error), DUET_OK);
    assert_int_equal(metric.output_fd, -1);
    assert_int_equal(watch_metric_clear(&metric, &error), DUET_OK);
    watch_metric_close(&metric);
    assert_int_equal(watch_metric_open("(", &metric, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "'(' is not a regular expression"));
}

static void memory_may_be_short_anywhere(void **state)
{
    (void)state;
    struct watch_metric metric;
    struct duet_error error;
    double value = 0.0;
    alloc_fail_at(1);
    assert_int_equal(watch_metric_open("[0-9]+", &metric, &error), DUET_E_NOMEM);
    assert_string_equal(error.message, "out of memory");
    for (unsigned long n = 2; n <= 3; n++) {
        alloc_fail_at(n);
        assert_int_equal(read_of("[0-9]+", "5\n", &value, &error), DUET_E_NOMEM);
    }
    alloc_fail_at(4);
    assert_int_equal(read_of("[0-9]+", "5\n", &value, &error), DUET_OK);
    alloc_fail_at(0);
}

static void calls_may_fail(void **state)
{
    (void)state;
    struct watch_metric metric = {.output_fd = -7};
    struct duet_error error;
    double value = -1.0;
    failing = MEMFD;
    assert_int_equal(watch_metric_open("[0-9]+", &metric, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot make a file"));
    assert_int_equal(metric.output_fd, -7);
    failing = NO_CALL;
    assert_int_equal(watch_metric_open("[0-9]+", &metric, &error), DUET_OK);
    assert_int_equal(write(metric.output_fd, "17 apples\n", 10), 10);
    failing = FTRUNCATE;
    assert_int_equal(watch_metric_clear(&metric, &error), DUET_E_SYSTEM);
    failing = LSEEK;
    assert_int_equal(watch_metric_clear(&metric, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot empty the file"));
    failing = NO_CALL;
    assert_int_equal(watch_metric_clear(&metric, &error), DUET_OK);
    assert_int_equal(write(metric.output_fd, "17 apples\n", 10), 10);
    failing = PREAD;
    assert_int_equal(watch_metric_read(&metric, -1, &value, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot read the command's output"));
    assert_true(value == -1.0);
    failing = PREAD_SHORT;
    assert_int_equal(watch_metric_read(&metric, -1, &value, &error), DUET_OK);
    assert_true(value == 17.0);
    failing = NO_CALL;
    watch_metric_close(&metric);
}

/* By Ctrl-C, while an expression takes long on what was printed. */
static void a_search_is_interrupted(void **state)
{
    (void)state;
    static char line[1 << 20];
    struct watch_metric metric;
    struct duet_error error;
    double value = -1.0;
    int ends[2];
    memset(line, 'a', sizeof line);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(watch_metric_open("(a|b)*(c|d)", &metric, &error), DUET_OK);
    assert_int_equal(write(metric.output_fd, line, sizeof line), sizeof line);
    assert_int_equal(watch_metric_read(&metric, ends[0], &value, &error),
                     DUET_E_INTERRUPTED);
    assert_non_null(strstr(error.message, "the regular expression '(a|b)*(c|d)': "));
    assert_true(value == -1.0);
    watch_metric_close(&metric);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_that_matches_counts),
        cmocka_unit_test(what_is_no_number_above_zero_is_told),
        cmocka_unit_test(a_long_output_shows_its_end),
        cmocka_unit_test(bytes_of_zero_are_blanks),
        cmocka_unit_test(without_a_pattern_nothing_is_kept),
        cmocka_unit_test(memory_may_be_short_anywhere),
        cmocka_unit_test(calls_may_fail),
        cmocka_unit_test(a_search_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
