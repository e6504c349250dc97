// link: -Wl,--wrap=fork,--wrap=getrlimit,--wrap=setrlimit
// link: -Wl,--wrap=pattern_find
// labels: novalgrind
/* Looking for a regular expression in bounded time. novalgrind: a limit on CPU time. */
#include "measure/search.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* The call that fails, in the process that looks for it, too. */
static enum failing { NOTHING, FORK, SETRLIMIT, MEMORY, SIGNAL } failing;
/* Of CPU time, which not even the superuser's processes can raise here. */
static rlim_t hard_limit_s = RLIM_INFINITY;

pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __wrap_getrlimit(int resource, struct rlimit *ret_limit);
int __wrap_setrlimit(int resource, const struct rlimit *limit);
int __real_setrlimit(int resource, const struct rlimit *limit);
enum duet_code __real_pattern_find(const struct pattern *pattern, const char *text,
                                   size_t length, struct pattern_range *ret_ranges,
                                   size_t count, bool *ret_found,
                                   struct duet_error *reterr);
enum duet_code __wrap_pattern_find(const struct pattern *pattern, const char *text,
                                   size_t length, struct pattern_range *ret_ranges,
                                   size_t count, bool *ret_found,
                                   struct duet_error *reterr);

static bool fails(enum failing call, int errnum)
{
    errno = failing == call ? errnum : errno;
    return failing == call;
}

pid_t __wrap_fork(void)
{
    return fails(FORK, EAGAIN) ? -1 : __real_fork();
}

int __wrap_getrlimit(int resource, struct rlimit *ret_limit)
{
    assert_int_equal(resource, RLIMIT_CPU);
    *ret_limit = (struct rlimit){.rlim_cur = hard_limit_s, .rlim_max = hard_limit_s};
    return 0;
}

int __wrap_setrlimit(int resource, const struct rlimit *limit)
{
    bool raised = limit->rlim_max > hard_limit_s;
    errno = raised ? EPERM : errno;
    return raised || fails(SETRLIMIT, EPERM) ? -1 : __real_setrlimit(resource, limit);
}

enum duet_code __wrap_pattern_find(const struct pattern *pattern, const char *text,
                                   size_t length, struct pattern_range *ret_ranges,
                                   size_t count, bool *ret_found,
                                   struct duet_error *reterr)
{
    if (failing == SIGNAL) {
        (void)raise(SIGUSR1);
    }
    return fails(MEMORY, ENOMEM)
               ? error_no_memory(reterr)
               : __real_pattern_find(pattern, text, length, ret_ranges, count,
                                     ret_found, reterr);
}

static struct duet_error error;
static struct pattern_range ranges[2];
static bool found;

static unsigned wanted_s = 1;

static enum duet_code look(const char *expression, const char *text, size_t length,
                           int cancel_fd)
{
    struct pattern *pattern = NULL;
    assert_int_equal(pattern_compile(expression, &pattern, &error), DUET_OK);
    found = false;
    enum duet_code code = measure_search(pattern, text, length, wanted_s, cancel_fd,
                                         ranges, 2, &found, &error);
    pattern_free(pattern);
    return code;
}

/* From each place of the line to its end. */
static const char slow[] = "a.*[bc]";

static void finds_it_and_its_group(void **state)
{
    (void)state;
    assert_int_equal(look("^b (x+)$", "a\nb xx\nc", 8, -1), DUET_OK);
    assert_true(found);
    assert_int_equal(ranges[0].begin, 2);
    assert_int_equal(ranges[1].begin, 4);
    assert_int_equal(ranges[1].end, 6);
    assert_int_equal(look("c", "a\nb xx\nc", 7, -1), DUET_OK); /* behind the end */
    assert_false(found);
}

static void takes_bounded_time(void **state)
{
    (void)state;
    static char line[2000001]; /* its end is a NUL */
    memset(line, 'a', sizeof line - 1);
    assert_int_equal(look(slow, line, sizeof line - 1, -1), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 1 s of CPU time"));
}

static void a_lower_limit_holds(void **state)
{
    (void)state;
    static char line[2000001]; /* its end is a NUL */
    memset(line, 'a', sizeof line - 1);
    hard_limit_s = 1;
    wanted_s = 2;
    enum duet_code fine = look("b", "abc", 3, -1);
    bool was_found = found;
    enum duet_code long_one = look(slow, line, sizeof line - 1, -1);
    hard_limit_s = RLIM_INFINITY;
    wanted_s = 1;
    assert_int_equal(fine, DUET_OK);
    assert_true(was_found);
    assert_int_equal(long_one, DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 1 s of CPU time"));
}

static void can_be_ended(void **state)
{
    (void)state;
    static char line[2000001]; /* its end is a NUL */
    int ends[2];
    memset(line, 'a', sizeof line - 1);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(look(slow, line, sizeof line - 1, ends[0]), DUET_E_INTERRUPTED);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
}

/* Whatever fails, it is said, and nothing was found. */
static void what_cannot_be_looked_for_is_an_error(void **state)
{
    (void)state;
    static const struct {
        enum failing call;
        const char *said;
    } cases[] = {
        {FORK,
         "cannot start looking for it: Resource temporarily unavailable; end other "
         "processes, or allow more with ulimit -u"},
        {SETRLIMIT, "cannot limit the time of looking for it: Operation not permitted"},
        {MEMORY, "out of memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct pattern_range untouched = {.begin = 7, .end = 8};
        ranges[0] = untouched;
        failing = cases[i].call;
        enum duet_code code = look("b", "abc", 3, -1);
        failing = NOTHING;
        assert_int_equal(code, cases[i].call == MEMORY ? DUET_E_NOMEM : DUET_E_SYSTEM);
        assert_string_equal(error.message, cases[i].said);
        assert_false(found);
        assert_memory_equal(&ranges[0], &untouched, sizeof untouched);
    }
    assert_int_equal(look("b", "abc", 3, -1), DUET_OK);
    assert_true(found);
}

/* It is not said to have taken too long. */
static void a_signal_is_told(void **state)
{
    (void)state;
    failing = SIGNAL;
    enum duet_code code = look("b", "abc", 3, -1);
    failing = NOTHING;
    assert_int_equal(code, DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "ended by signal 10,"));
    assert_false(found);
}

static void more_groups_than_there_is_memory_for(void **state)
{
    (void)state;
    struct pattern *pattern = NULL;
    bool any = false;
    assert_int_equal(pattern_compile("b", &pattern, &error), DUET_OK);
    enum duet_code code = measure_search(pattern, "abc", 3, 1, -1, ranges,
                                         SIZE_MAX / 4 / sizeof ranges[0], &any, &error);
    pattern_free(pattern);
    assert_int_equal(code, DUET_E_SYSTEM);
    assert_string_equal(error.message,
                        "no memory to look for it: Cannot allocate memory");
    assert_false(any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_it_and_its_group),
        cmocka_unit_test(takes_bounded_time),
        cmocka_unit_test(a_lower_limit_holds),
        cmocka_unit_test(can_be_ended),
        cmocka_unit_test(what_cannot_be_looked_for_is_an_error),
        cmocka_unit_test(a_signal_is_told),
        cmocka_unit_test(more_groups_than_there_is_memory_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
