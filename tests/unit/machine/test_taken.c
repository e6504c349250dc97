/* CPU time that others had. */
#include "unit/machine/file_tree.h"

#include "machine/taken.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static const char stat_text[] =
    "cpu  8126862 2382338 1017702 4114391 14281 0 11545 620437 0 0\n"
    "cpu0 4000000 1191169 508851 2057195 7140 0 5772 310218 0 0\n"
    "cpu1 4126862 1191169 508851 2057196 7141 0 5773 310219 7 0\n"
    "cpu10 1 2 3 4 5 6 7 8 9 10\n"
    "cpu11 1 2 3 4\n"
    "intr 1 2 3 4 5 6 7 8 9\n";

static void host_tells_a_cpu_from_another(void **state)
{
    (void)state;
    char root[256];
    file_tree_open(root);
    file_tree_put(root, "/proc/stat", stat_text);
    struct taken_host host;
    assert_true(taken_by_host(root, 1, &host));
    assert_int_equal(host.stolen_ns, 3102190000000);
    assert_int_equal(host.busy_ns, 10000000 * (4126862ULL + 1191169 + 508851 + 5773));
    assert_int_equal(host.idle_ns, 10000000 * (2057196ULL + 7141));
    assert_true(taken_by_host(root, 10, &host));
    assert_int_equal(host.stolen_ns, 80000000);
    assert_int_equal(host.busy_ns, 10000000 * (1 + 2 + 3 + 6 + 7));
    assert_false(taken_by_host(root, 11, &host)); /* an old kernel */
    assert_false(taken_by_host(root, 2, &host));
    file_tree_remove(root);
    assert_false(taken_by_host(root, 1, &host));
}

static void steal_falls_on_who_executes(void **state)
{
    (void)state;
    struct taken_host before = {.stolen_ns = 1000, .busy_ns = 500};
    struct taken_host after = {.stolen_ns = 60001000, .busy_ns = 40000500};
    assert_int_equal(taken_share(&before, &after, 40000000, UINT64_MAX), 60000000);
    assert_int_equal(taken_share(&before, &after, 45000000, UINT64_MAX), 60000000);
    assert_int_equal(taken_share(&before, &after, 10000000, UINT64_MAX), 15000000);
    assert_int_equal(taken_share(&before, &after, 0, UINT64_MAX), 0); /* it slept */
    after.busy_ns = 500; /* less than a tick */
    assert_int_equal(taken_share(&before, &after, 1000000, UINT64_MAX), 6000000);
    assert_int_equal(taken_share(&before, &after, 1000000, 200), 200);
    assert_int_equal(taken_share(&after, &before, 100, UINT64_MAX), 0);
}

/* Where the kernel tells it at all. */
static void tasks_are_told_of_a_zombie_too(void **state)
{
    (void)state;
    struct taken_tasks tasks = {0};
    int own_fd = taken_tasks_open();
    if (access("/proc/self/schedstat", R_OK) != 0) {
        assert_int_equal(own_fd, -1);
        assert_false(taken_tasks_read(own_fd, &tasks));
        return;
    }
    assert_true(taken_tasks_read(own_fd, &tasks));
    assert_true(tasks.dispatches > 0);
    struct taken_tasks later = {0};
    assert_true(taken_tasks_read(own_fd, &later));
    assert_true(later.executed_ns >= tasks.executed_ns &&
                later.dispatches >= tasks.dispatches);
    assert_int_equal(close(own_fd), 0);
    assert_false(taken_tasks_read(own_fd, &later));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(0);
    }
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_true(taken_by_tasks(pid, &tasks));
    /* Of its own, not since the machine was started. */
    assert_true(tasks.delay_ns < 60000000000 && tasks.executed_ns < 60000000000);
    assert_true(tasks.dispatches > 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(taken_by_tasks(pid, &tasks));
}

static bool read_text(const char *text, struct taken_tasks *ret_tasks)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fflush(file) == 0);
    bool told = taken_tasks_read(fileno(file), ret_tasks);
    assert_int_equal(fclose(file), 0);
    return told;
}

/* A kernel that does not count: that nothing was lost is not known. */
static void zeroes_tell_nothing(void **state)
{
    (void)state;
    struct taken_tasks tasks = {0};
    assert_false(read_text("0 0 0\n", &tasks));
    assert_false(read_text("12 3\n", &tasks));
    assert_false(read_text("", &tasks));
    assert_true(read_text("0 3 1\n", &tasks)); /* before its first tick */
    assert_int_equal(tasks.delay_ns, 3);
    assert_int_equal(tasks.dispatches, 1);
}

static void *sleep_and_read(void *told)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    struct taken_tasks *tasks = told;
    int fd = taken_thread_open();
    (void)nanosleep(&pause, NULL);
    if (!taken_tasks_read(fd, tasks)) {
        tasks->dispatches = 0;
    }
    (void)close(fd);
    return NULL;
}

/* Not what the process has executed before. */
static void a_thread_is_told_of_itself(void **state)
{
    (void)state;
    if (access("/proc/thread-self/schedstat", R_OK) != 0) {
        assert_int_equal(taken_thread_open(), -1);
        return;
    }
    struct taken_tasks first = {0};
    struct taken_tasks other = {0};
    int fd = taken_thread_open();
    do {
        assert_true(taken_tasks_read(fd, &first));
    } while (first.executed_ns < 50000000);
    assert_int_equal(close(fd), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sleep_and_read, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(other.dispatches > 0 && other.executed_ns < 50000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_tells_a_cpu_from_another),
        cmocka_unit_test(steal_falls_on_who_executes),
        cmocka_unit_test(tasks_are_told_of_a_zombie_too),
        cmocka_unit_test(zeroes_tell_nothing),
        cmocka_unit_test(a_thread_is_told_of_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
