// link: -Wl,--wrap=fork
/* A process for what crashes: how it ended is known, and this one goes
 * on. */
#include "base/apart.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
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

static int status_of(void (*run)(void *context), void *context)
{
    int status = -1;
    struct duet_error error = {0};
    sigset_t before;
    sigset_t after;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    assert_int_equal(apart_execute(run, context, "a process", &status, &error),
                     DUET_OK);
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
    assert_int_equal(status_of(does_nothing, NULL), 0);
    assert_int_equal(WEXITSTATUS(status_of(leaves, &seven)), 7);
    assert_int_equal(WTERMSIG(status_of(aborts, NULL)), SIGABRT);
}

static void no_process_is_an_error(void **state)
{
    (void)state;
    int status = 5;
    struct duet_error error = {0};
    no_process = true;
    assert_int_equal(
        apart_execute(does_nothing, NULL, "a process that x", &status, &error),
        DUET_E_SYSTEM);
    no_process = false;
    assert_non_null(strstr(error.message, "cannot start a process that x"));
    assert_int_equal(status, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_known),
        cmocka_unit_test(no_process_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
