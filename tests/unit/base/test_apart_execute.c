// link: -Wl,--wrap=fork
/* A process for what crashes or does not end: how it ended is known, and this one goes
 * on. */
#include "base/apart.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

pid_t __real_fork(void);
pid_t __wrap_fork(void);

static bool no_process;

pid_t __wrap_fork(void)
{
    errno = EAGAIN;
    return no_process ? -1 : __real_fork();
}

static void does_nothing(void *context)
{
    (void)context;
}

static void leaves(void *context)
{
    _exit(*(const int *)context);
}

static void aborts(void *context)
{
    (void)context;
    abort();
}

static void never_ends(void *context)
{
    volatile uint64_t *turns = context;
    for (;;) {
        (*turns)++;
    }
}

static int status_of(void (*run)(void *context), void *context, unsigned limit_ms)
{
    int status = -1;
    struct duet_error error = {0};
    sigset_t before;
    sigset_t after;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    assert_int_equal(
        apart_execute(run, context, limit_ms, "a process", &status, &error), DUET_OK);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &after), 0);
    for (int number = 1; number <= 64; number++) {
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    return status;
}

static void its_end_is_known(void **state)
{
    (void)state;
    int seven = 7;
    assert_int_equal(status_of(does_nothing, NULL, 0), 0);
    assert_int_equal(WEXITSTATUS(status_of(leaves, &seven, 1000)), 7);
    assert_int_equal(WTERMSIG(status_of(aborts, NULL, 0)), SIGABRT);
}

/* Also where the caller has SIGPROF ignored and blocked. */
static void its_time_is_limited(void **state)
{
    (void)state;
    const struct sigaction ignoring = {.sa_handler = SIG_IGN};
    struct sigaction before;
    uint64_t turns = 0;
    assert_int_equal(sigaction(SIGPROF, &ignoring, &before), 0);
    assert_int_equal(WTERMSIG(status_of(never_ends, &turns, 20)), SIGPROF);
    assert_int_equal(WTERMSIG(status_of(never_ends, &turns, 1010)), SIGPROF);
    assert_int_equal(turns, 0); /* the child has copies */
    assert_int_equal(sigaction(SIGPROF, &before, NULL), 0);
}

static void no_process_is_an_error(void **state)
{
    (void)state;
    int status = 5;
    struct duet_error error = {0};
    no_process = true;
    assert_int_equal(
        apart_execute(does_nothing, NULL, 0, "a process that x", &status, &error),
        DUET_E_SYSTEM);
    no_process = false;
    assert_non_null(strstr(error.message, "cannot start a process that x"));
    assert_int_equal(status, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_known),
        cmocka_unit_test(its_time_is_limited),
        cmocka_unit_test(no_process_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
