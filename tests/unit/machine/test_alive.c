/* Processes that are there, have ended, and are there without their first thread. */
#include "machine/alive.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pid_t child;

static void *wait_for_ever(void *unused)
{
    for (;;) {
        (void)pause();
    }
    return unused;
}

/* Returns in the parent when the child's first thread has ended, or waits. */
static void start(bool first_thread_ends)
{
    child = fork();
    if (child == 0) {
        pthread_t thread;
        (void)prctl(PR_SET_PDEATHSIG, first_thread_ends ? 0 : SIGKILL);
        if (first_thread_ends &&
            pthread_create(&thread, NULL, wait_for_ever, NULL) == 0) {
            (void)syscall(SYS_exit, 0); /* of this thread alone */
        }
        (void)wait_for_ever(NULL);
    }
    assert_true(child > 0);
    while (first_thread_ends && alive_has_memory(child)) {
        (void)usleep(1000);
    }
}

static void end(void)
{
    siginfo_t info;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
}

static void collect(void)
{
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_process_lives_until_it_ends(void **state)
{
    (void)state;
    assert_true(alive_is(getpid()));
    start(false);
    assert_true(alive_is(child));
    end();
    assert_false(alive_is(child)); /* nobody has collected it */
    collect();
    assert_false(alive_is(child));
    assert_false(alive_is(INT64_MAX));
    assert_false(alive_is(-1));
}

static void threads_outlive_the_first_one(void **state)
{
    (void)state;
    start(true);
    assert_true(alive_is(child));
    end();
    assert_false(alive_is(child));
    collect();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_lives_until_it_ends),
        cmocka_unit_test(threads_outlive_the_first_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
