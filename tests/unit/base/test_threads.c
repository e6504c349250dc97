// link: -Wl,--wrap=pthread_create
// labels: tsan
#include "base/threads.h"
#include "support/use_threads.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument);

static int startable; /* so many threads start, and no further one */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*start)(void *), void *argument)
{
    return startable-- > 0 ? __real_pthread_create(thread, how, start, argument)
                           : EAGAIN;
}

enum { COUNT = 1000, THREADS = 4 };

struct marks {
    atomic_int done[COUNT];
    atomic_int in_use[THREADS];
    size_t fails[2]; /* indexes that fail; COUNT: none */
    atomic_bool overlaps;
};

static enum duet_code mark(void *context, size_t first, size_t end, size_t thread,
                           struct duet_error *reterr)
{
    struct marks *marks = context;
    if (thread >= THREADS || atomic_fetch_add(&marks->in_use[thread], 1) != 0) {
        atomic_store(&marks->overlaps, true);
        return DUET_OK;
    }
    enum duet_code code = DUET_OK;
    for (size_t i = first; i < end && code == DUET_OK; i++) {
        (void)atomic_fetch_add(&marks->done[i], 1);
        if (i == marks->fails[0] || i == marks->fails[1]) {
            code = error_set(reterr, DUET_E_DOMAIN, "index %zu", i);
        }
    }
    (void)atomic_fetch_sub(&marks->in_use[thread], 1);
    return code;
}

static struct threads_loop loop_of(struct marks *marks, size_t chunk, int threads)
{
    *marks = (struct marks){.fails = {COUNT, COUNT}};
    return (struct threads_loop){.count = COUNT,
                                 .chunk = chunk,
                                 .threads = threads,
                                 .body = mark,
                                 .context = marks};
}

static void assert_all_once(struct marks *marks)
{
    assert_false(atomic_load(&marks->overlaps));
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(atomic_load(&marks->done[i]), 1);
    }
}

static void every_index_is_done_once(void **state)
{
    (void)state;
    static struct marks marks;
    static const size_t chunks[] = {0, 1, 7, COUNT, SIZE_MAX / 2};
    for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++) {
        for (int threads = -1; threads <= THREADS; threads++) {
            startable = THREADS;
            struct threads_loop loop = loop_of(&marks, chunks[c], threads);
            assert_int_equal(threads_for(&loop, NULL), DUET_OK);
            assert_all_once(&marks);
        }
    }
    struct threads_loop none = loop_of(&marks, 0, THREADS);
    none.count = 0;
    assert_int_equal(threads_for(&none, NULL), DUET_OK);
    assert_int_equal(atomic_load(&marks.done[0]), 0);
}

static void threads_that_do_not_start_are_done_without(void **state)
{
    (void)state;
    static struct marks marks;
    for (int some = 0; some < THREADS; some++) {
        startable = some;
        struct threads_loop loop = loop_of(&marks, 1, THREADS);
        threads_do(&loop);
        assert_all_once(&marks);
    }
}

/* Whatever the threads do, it is that of the smaller index. */
static void the_first_error_is_told(void **state)
{
    (void)state;
    static struct marks marks;
    for (int threads = 1; threads <= THREADS; threads++) {
        for (int round = 0; round < 50; round++) {
            struct duet_error error = {0};
            startable = THREADS;
            struct threads_loop loop = loop_of(&marks, 5, threads);
            marks.fails[0] = 612;
            marks.fails[1] = 601;
            assert_int_equal(threads_for(&loop, &error), DUET_E_DOMAIN);
            assert_string_equal(error.message, "index 601");
            assert_int_equal(atomic_load(&marks.done[0]), 1);
        }
    }
}

static enum duet_code nest(void *context, size_t first, size_t end, size_t thread,
                           struct duet_error *reterr)
{
    static struct marks inner[THREADS];
    (void)first;
    (void)end;
    (void)context;
    (void)reterr;
    struct threads_loop loop = loop_of(&inner[thread], 1, THREADS);
    threads_do(&loop);
    assert_all_once(&inner[thread]);
    return DUET_OK;
}

/* Else a machine of n CPUs would get n * n threads. */
static void a_loop_within_a_loop_has_one_thread(void **state)
{
    (void)state;
    startable = THREADS;
    const struct threads_loop loop = {
        .count = 16, .chunk = 1, .threads = THREADS, .body = nest};
    threads_do(&loop);
    assert_int_equal(startable, 1); /* three were started */
}

static void users_choose_the_number(void **state)
{
    (void)state;
    use_threads(3);
    assert_int_equal(threads_usual(), 3);
    assert_int_equal(threads_wanted(0), 3);
    assert_int_equal(threads_wanted(5), 5);
    use_threads(100000);
    assert_int_equal(threads_usual(), THREADS_MAX);
    use_threads(0);
    int usual = threads_usual();
    assert_in_range(usual, 1, THREADS_MAX);
    (void)unsetenv("OMP_NUM_THREADS");
    assert_int_equal(threads_usual(), usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_done_once),
        cmocka_unit_test(threads_that_do_not_start_are_done_without),
        cmocka_unit_test(the_first_error_is_told),
        cmocka_unit_test(a_loop_within_a_loop_has_one_thread),
        cmocka_unit_test(users_choose_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
