/* A thread that wakes up on a CPU: where it runs, when it is gone, and why there may be
 * none. */
// link: -Wl,--wrap=pthread_create
// labels: tsan
#include "measure/metronome.h"

#include "machine/machine.h"
#include "support/alloc_fail.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument);

static bool startable = true;
static struct duet_error error;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument)
{
    return startable ? __real_pthread_create(thread, how, start, argument) : EAGAIN;
}

/* The last CPU that this process may use: of several one that is not all of them. */
static struct model_cpu_set usable_cpu(void)
{
    cpu_set_t mask;
    struct model_cpu_set set = {.cpus = {CPU_SETSIZE - 1}, .count = 1};
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    while (!CPU_ISSET(set.cpus[0], &mask)) {
        set.cpus[0]--;
    }
    return set;
}

/* Threads of this process beside this one; how many of them may run on `cpu` alone. */
static size_t threads_count(unsigned cpu, size_t *ret_bound)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    *ret_bound = 0;
    for (const struct dirent *task = NULL; (task = readdir(tasks)) != NULL;) {
        pid_t tid = (pid_t)strtol(task->d_name, NULL, 10);
        cpu_set_t mask;
        if (tid == 0 || tid == getpid() ||
            sched_getaffinity(tid, sizeof mask, &mask) != 0) {
            continue;
        }
        count++;
        *ret_bound += CPU_COUNT(&mask) == 1 && CPU_ISSET(cpu, &mask);
    }
    (void)closedir(tasks);
    return count;
}

static size_t others_before;

/* The kernel lists a thread that has been joined for a moment. */
static void assert_nothing_is_left(void)
{
    enum { LOOKS = 10000 };
    const struct timespec moment = {.tv_nsec = 1000000};
    size_t bound = 0;
    size_t count = threads_count(0, &bound);
    for (int looks = 0; looks < LOOKS && count > others_before; looks++) {
        (void)nanosleep(&moment, NULL);
        count = threads_count(0, &bound);
    }
    assert_int_equal(count, others_before);
}

static void it_runs_on_its_cpu_until_it_is_stopped(void **state)
{
    (void)state;
    const struct model_cpu_set set = usable_cpu();
    struct metronome *metronome = NULL;
    cpu_set_t before;
    cpu_set_t after;
    size_t bound = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(metronome_start(&set, &metronome, &error), DUET_OK);
    assert_int_equal(threads_count(set.cpus[0], &bound), others_before + 1);
    assert_true(bound >= 1);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after)); /* whoever started it stays */
    metronome_stop(metronome);
    assert_nothing_is_left();
    metronome_stop(NULL);
}

static void no_cpu_is_an_error(void **state)
{
    (void)state;
    const struct model_cpu_set none = {.count = 0};
    struct metronome *metronome = NULL;
    assert_int_equal(metronome_start(&none, &metronome, &error), DUET_E_USAGE);
    assert_string_equal(error.message, "no CPU was given to bind a thread to");
    assert_null(metronome);
    assert_nothing_is_left();
}

static void a_cpu_that_is_not_there_is_named(void **state)
{
    (void)state;
    const struct model_cpu_set set = {.cpus = {8 * MACHINE_AFFINITY_BYTES}, .count = 1};
    struct metronome *metronome = NULL;
    assert_int_equal(metronome_start(&set, &metronome, &error), DUET_E_UNSUITABLE);
    assert_string_equal(error.message, "this machine has no CPU 8192");
    assert_null(metronome);
    assert_nothing_is_left();
}

static void no_thread_is_an_error(void **state)
{
    (void)state;
    const struct model_cpu_set set = usable_cpu();
    struct metronome *metronome = NULL;
    startable = false;
    enum duet_code code = metronome_start(&set, &metronome, &error);
    startable = true;
    assert_int_equal(code, DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot start a thread"));
    assert_non_null(strstr(error.message, strerror(EAGAIN)));
    assert_null(metronome);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const struct model_cpu_set set = usable_cpu();
    struct metronome *metronome = NULL;
    alloc_fail_at(1);
    enum duet_code code = metronome_start(&set, &metronome, &error);
    alloc_fail_at(0);
    assert_int_equal(code, DUET_E_NOMEM);
    assert_null(metronome);
    assert_nothing_is_left();
}

/* Threads that are here anyway; some of a sanitizer begin with the first other one. */
static int count_before(void **state)
{
    (void)state;
    const struct model_cpu_set set = usable_cpu();
    struct metronome *first = NULL;
    size_t bound = 0;
    if (metronome_start(&set, &first, &error) != DUET_OK) {
        return -1;
    }
    others_before = threads_count(0, &bound) - 1;
    metronome_stop(first);
    assert_nothing_is_left();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_on_its_cpu_until_it_is_stopped),
        cmocka_unit_test(no_cpu_is_an_error),
        cmocka_unit_test(a_cpu_that_is_not_there_is_named),
        cmocka_unit_test(no_thread_is_an_error),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, count_before, NULL);
}
