// link: -Wl,--wrap=kill,--wrap=syscall
/* Waiting for children, killing them, and those they leave behind. */
#include "measure/reap.h"

#include "machine/taken.h"
#include "sync/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t never = UINT64_MAX;

/* Nobody can kill it: it waits for a device, say. 0: no process. */
static pid_t immortal;
static bool without_pidfd;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

int __wrap_kill(pid_t pid, int number)
{
    bool at_immortal = immortal != 0 && (pid == immortal || pid == -immortal);
    return at_immortal && number == SIGKILL ? 0 : __real_kill(pid, number);
}

/* How many words the callers give; no more may be read. */
static int words_of(long number)
{
    enum { PIDFD_OPEN_WORDS = 2, CLOSE_RANGE_WORDS = 3, PERF_WORDS = 5, MOST = 6 };
    switch (number) {
    case SYS_pidfd_open:
        return PIDFD_OPEN_WORDS;
    case SYS_close_range:
        return CLOSE_RANGE_WORDS;
    case SYS_perf_event_open:
        return PERF_WORDS;
    default:
        return MOST;
    }
}

long __wrap_syscall(long number, ...)
{
    enum { MOST = 6 };
    long words[MOST] = {0};
    va_list rest;
    if (number == SYS_pidfd_open && without_pidfd) {
        errno = ENOSYS;
        return -1;
    }
    va_start(rest, number);
    for (int i = 0; i < words_of(number); i++) {
        words[i] = va_arg(rest, long);
    }
    va_end(rest);
    return __real_syscall(number, words[0], words[1], words[2], words[3], words[4],
                          words[5]);
}

/* A child that does nothing until it is killed. */
static pid_t child_waiting(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)setpgid(0, 0);
        for (;;) {
            (void)pause();
        }
    }
    assert_true(pid > 0);
    (void)setpgid(pid, pid);
    return pid;
}

static pid_t child_exiting(int status)
{
    pid_t pid = fork();
    if (pid == 0) {
        _exit(status);
    }
    assert_true(pid > 0);
    return pid;
}

static int kill_and_collect(pid_t pid)
{
    struct rusage usage;
    reap_kill_group(pid);
    return reap_collect(pid, &usage);
}

/* Also who is immortal. */
static int kill_for_good(pid_t pid)
{
    immortal = 0;
    return kill_and_collect(pid);
}

static void test_exit(void **state)
{
    (void)state;
    struct rusage usage;
    uint64_t end_ns = 0;
    uint64_t before_ns = clock_mono_ns();
    pid_t pid = child_exiting(7);
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_EXITED);
    assert_in_range(end_ns, before_ns, clock_mono_ns());
    int status = reap_collect(pid, &usage);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void test_collected_by_somebody_else(void **state)
{
    (void)state;
    struct rusage usage = {.ru_minflt = 7};
    uint64_t end_ns = 0;
    pid_t pid = child_exiting(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(
        reap_wait(pid, clock_mono_ns() + UINT64_C(5000000000), false, -1, &end_ns),
        REAP_EXITED);
    int status = reap_collect(pid, &usage);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 127);
    assert_int_equal(usage.ru_minflt, 0);
}

/* With the kernel's count of how late this process was woken: the end lies between the
 * child's beginning and now all the same. */
static void test_own_wait_is_no_part_of_the_childs_time(void **state)
{
    (void)state;
    struct rusage usage;
    int tasks_fd = taken_tasks_open(); /* -1: this kernel does not tell */
    for (int i = 0; i < 20; i++) {
        uint64_t end_ns = 0;
        uint64_t before_ns = clock_mono_ns();
        pid_t pid = child_exiting(0);
        assert_int_equal(reap_wait(pid, never, false, tasks_fd, &end_ns), REAP_EXITED);
        assert_in_range(end_ns, before_ns, clock_mono_ns());
        (void)reap_collect(pid, &usage);
    }
    if (tasks_fd >= 0) {
        assert_int_equal(close(tasks_fd), 0);
    }
}

static void test_death_by_signal(void **state)
{
    (void)state;
    struct rusage usage;
    uint64_t end_ns = 0;
    pid_t pid = child_waiting();
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_EXITED);
    int status = reap_collect(pid, &usage);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void test_stop(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t pid = child_waiting();
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_STOPPED);
    assert_true(WIFSIGNALED(kill_and_collect(pid)));
}

/* A child's end does not hide that somebody wants this process to end. */
static void test_told_to_end_while_a_child_ends(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t pid = child_exiting(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_EXITED);
    struct rusage usage;
    (void)reap_collect(pid, &usage);
    pid = child_waiting();
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_CANCELLED);
    assert_true(WIFSIGNALED(kill_and_collect(pid)));
}

static void test_deadline(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t pid = child_waiting();
    uint64_t deadline_ns = clock_mono_ns() + 2000000U;
    assert_int_equal(reap_wait(pid, deadline_ns, false, -1, &end_ns), REAP_TIMED_OUT);
    assert_true(end_ns >= deadline_ns);
    /* One that has passed already. */
    assert_int_equal(reap_wait(pid, 1, false, -1, &end_ns), REAP_TIMED_OUT);
    (void)kill_and_collect(pid);
}

static void test_cancelled(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t pid = child_waiting();
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    assert_int_equal(reap_wait(pid, never, false, -1, &end_ns), REAP_CANCELLED);
    (void)kill_and_collect(pid);
}

static void test_peers_end_counts_only_when_it_matters(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t pid = child_waiting();
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_int_equal(reap_wait(pid, clock_mono_ns() + 2000000U, false, -1, &end_ns),
                     REAP_TIMED_OUT);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_int_equal(reap_wait(pid, never, true, -1, &end_ns), REAP_PEER_ENDED);
    (void)kill_and_collect(pid);
}

/* One SIGCHLD may stand for several children, or for an older one. */
static void test_another_childs_end_is_not_taken_for_it(void **state)
{
    (void)state;
    uint64_t end_ns = 0;
    pid_t waiting = child_waiting();
    pid_t other = child_exiting(0);
    assert_int_equal(
        reap_wait(waiting, clock_mono_ns() + 20000000U, false, -1, &end_ns),
        REAP_TIMED_OUT);
    (void)kill_and_collect(waiting);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

static void test_the_whole_group_is_killed(void **state)
{
    (void)state;
    struct rusage usage;
    int alive[2];
    assert_int_equal(pipe(alive), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setpgid(0, 0);
        (void)close(alive[0]);
        (void)fork(); /* both hold the pipe's writing end until they are killed */
        (void)!write(alive[1], "", 1);
        for (;;) {
            (void)pause();
        }
    }
    (void)close(alive[1]);
    char byte = 0;
    assert_int_equal(read(alive[0], &byte, 1), 1);
    assert_int_equal(read(alive[0], &byte, 1), 1);
    reap_kill_group(pid);
    (void)reap_collect(pid, &usage);
    assert_int_equal(read(alive[0], &byte, 1), 0);
    (void)close(alive[0]);
    (void)reap_leftovers(NULL, NULL);
}

static void test_no_leftovers(void **state)
{
    (void)state;
    assert_int_equal(reap_leftovers(NULL, NULL), 0);
}

static void test_who_ended_by_itself_is_no_leftover(void **state)
{
    (void)state;
    siginfo_t info;
    pid_t pid = child_exiting(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(reap_leftovers(NULL, NULL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
}

/* Children, and a grandchild that becomes ours when its parent is killed. */
static void test_leftovers(void **state)
{
    (void)state;
    enum { CHILDREN = 20 };
    for (int i = 0; i < CHILDREN; i++) {
        (void)child_waiting();
    }
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            (void)setsid();
            (void)!write(ready[1], "", 1);
        }
        for (;;) {
            (void)pause();
        }
    }
    char byte = 0;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(reap_leftovers(NULL, NULL), CHILDREN + 2);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* A competing load, say. One that has ended meanwhile is left for who started it. */
static void test_others_stay(void **state)
{
    (void)state;
    struct reap_children others;
    pid_t load = child_waiting();
    pid_t short_load = child_exiting(5);
    assert_true(reap_children(&others));
    assert_int_equal(others.count, 2);
    (void)child_waiting();
    (void)child_waiting();
    assert_int_equal(reap_leftovers(&others, NULL), 2);
    assert_int_equal(reap_leftovers(&others, NULL), 0);
    assert_int_equal(waitpid(load, NULL, WNOHANG), 0);
    int status = 0;
    assert_int_equal(waitpid(short_load, &status, 0), short_load);
    assert_int_equal(WEXITSTATUS(status), 5);
    reap_children_release(&others);
    assert_true(WIFSIGNALED(kill_and_collect(load)));
    assert_true(reap_children(&others));
    assert_int_equal(others.count, 0);
    reap_children_release(&others);
}

/* It is left after three seconds, nobody else is. */
static void test_who_does_not_end(void **state)
{
    (void)state;
    struct reap_children others;
    pid_t load = child_waiting();
    assert_true(reap_children(&others));
    (void)child_waiting();
    immortal = child_waiting();
    (void)child_waiting();
    pid_t left = 0;
    bool any = false;
    uint64_t began_ns = clock_mono_ns();
    assert_int_equal(reap_leftovers(&others, &any), 2);
    assert_in_range(clock_mono_ns() - began_ns, UINT64_C(2900000000),
                    UINT64_C(20000000000));
    assert_true(any);
    assert_int_equal(reap_spared(&others, false, &left), 0);
    assert_int_equal(reap_spared(&others, true, &left), 1);
    assert_int_equal(left, immortal);
    assert_true(WIFSIGNALED(kill_for_good(immortal)));
    assert_int_equal(reap_spared(&others, true, &left), 0);
    reap_children_release(&others);
    assert_true(WIFSIGNALED(kill_and_collect(load)));
}

/* As before Linux 5.3. */
static void test_without_pidfd(void **state)
{
    (void)state;
    without_pidfd = true;
    (void)child_waiting();
    (void)child_waiting();
    assert_int_equal(reap_leftovers(NULL, NULL), 2);
    immortal = child_waiting();
    int status = 77;
    assert_false(reap_killed(immortal, &status));
    assert_int_equal(status, 77);
    assert_int_equal(__real_kill(immortal, SIGKILL), 0);
    assert_true(reap_killed(immortal, &status));
    assert_true(WIFSIGNALED(status));
    immortal = 0;
    without_pidfd = false;
}

static int group_setup(void **state)
{
    (void)state;
    return reap_block_signals() == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_collected_by_somebody_else),
        cmocka_unit_test(test_death_by_signal),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_told_to_end_while_a_child_ends),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_peers_end_counts_only_when_it_matters),
        cmocka_unit_test(test_another_childs_end_is_not_taken_for_it),
        cmocka_unit_test(test_the_whole_group_is_killed),
        cmocka_unit_test(test_no_leftovers),
        cmocka_unit_test(test_who_ended_by_itself_is_no_leftover),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_own_wait_is_no_part_of_the_childs_time),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_who_does_not_end),
        cmocka_unit_test(test_without_pidfd),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
