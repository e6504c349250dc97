/* A child that has become what a test wants and waits until it is killed. */
#ifndef TESTS_SUPPORT_WAITING_CHILD_H
#define TESTS_SUPPORT_WAITING_CHILD_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

/* prepare: what it does before this returns; NULL: nothing. It dies with its parent. */
static inline pid_t waiting_child(void (*prepare)(void *context), void *context)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (prepare != NULL) {
            prepare(context);
        }
        (void)!write(ready[1], "x", 1);
        for (;;) {
            (void)pause();
        }
    }
    assert_true(pid > 0);
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return pid;
}

#endif
