// link: duet_sync duet_base
// labels: serial soakasan
/* What a side records of the resources that an iteration has used, and what it does
 * not. */
#include "unit/harness/mini_runner.h"

#include "duet/duet.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Of work that another process does, no usage is known. */
static int side_elsewhere(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("side");
    duet_elsewhere(d);
    while (duet_next(d)) {
        duet_begin(d);
        duet_end(d);
    }
    return duet_close(d);
}

static void work_of_another_process(void **state)
{
    (void)state;
    const uint32_t flags[] = {SYNC_PAGE_USAGE, SYNC_PAGE_USAGE | SYNC_PAGE_CPU_TIME};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct mini mini;
        bool refused = (flags[i] & SYNC_PAGE_CPU_TIME) != 0;
        mini_open(&mini, flags[i], 4, SYNC_NEVER);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            mini_fork(&mini, slot, side_elsewhere, NULL);
        }
        mini_serve(&mini);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            assert_int_equal(mini.statuses[slot], refused);
            assert_int_equal(mini.counts[slot], refused ? 0 : 4);
            assert_true(refused ||
                        (mini.records[slot][0].flags & SYNC_RECORD_NO_USAGE) != 0);
        }
        mini_close(&mini);
    }
}

/* What the program has measured by itself counts, but not beyond the time of the
 * iteration. */
static int side_that_took(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("side");
    while (duet_next(d)) {
        duet_begin(d);
        const struct timespec pause = {.tv_nsec = 1000000};
        (void)nanosleep(&pause, NULL);
        if (duet_index(d) > 0) {
            duet_took(d, duet_index(d) == 1 ? 1234 : UINT64_MAX - 1);
        }
        duet_end(d);
    }
    return duet_close(d);
}

/* Of a part of the iteration no usage is known, where elapsed times are compared. */
static void a_time_of_the_programs_own(void **state)
{
    (void)state;
    const uint32_t flags[] = {SYNC_PAGE_USAGE, SYNC_PAGE_USAGE | SYNC_PAGE_CPU_TIME};
    for (size_t f = 0; f < sizeof flags / sizeof flags[0]; f++) {
        struct mini mini;
        bool elapsed = (flags[f] & SYNC_PAGE_CPU_TIME) == 0;
        mini_open(&mini, flags[f], 3, SYNC_NEVER);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            mini_fork(&mini, slot, side_that_took, NULL);
        }
        mini_serve(&mini);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            const struct sync_record *records = mini.records[slot];
            assert_int_equal(mini.statuses[slot], 0);
            assert_int_equal(mini.counts[slot], 3);
            assert_int_equal(records[1].end_ns - records[1].start_ns, 1234);
            assert_int_equal((records[1].flags & SYNC_RECORD_NO_USAGE) != 0, elapsed);
            for (size_t i = 0; i < 3; i += 2) {
                uint64_t took_ns = records[i].end_ns - records[i].start_ns;
                assert_true(took_ns >= 1000000 && took_ns < UINT64_C(60000000000));
                assert_int_equal(records[i].flags & SYNC_RECORD_NO_USAGE, 0);
            }
        }
        mini_close(&mini);
    }
}

static void *iteration_of_a_thread(void *d)
{
    duet_begin(d);
    duet_end(d);
    return NULL;
}

/* One after the other: the C library gives a new thread the identity of the last. */
static int side_with_threads(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("side");
    while (duet_next(d)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, iteration_of_a_thread, d) != 0 ||
            pthread_join(thread, NULL) != 0) {
            return 12;
        }
    }
    return duet_close(d);
}

static void every_thread_is_told_what_others_had(void **state)
{
    (void)state;
    struct mini mini;
    const uint32_t told = SYNC_RECORD_DELAY | SYNC_RECORD_PREEMPTED;
    mini_open(&mini, SYNC_PAGE_SOLO | SYNC_PAGE_USAGE, 5, SYNC_NEVER);
    mini_fork(&mini, 0, side_with_threads, NULL);
    mini_serve(&mini);
    assert_int_equal(mini.statuses[0], 0);
    assert_int_equal(mini.counts[0], 5);
    bool counts = access("/proc/thread-self/schedstat", R_OK) == 0;
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal((mini.records[0][i].flags & told) != 0, counts);
    }
    mini_close(&mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_another_process),
        cmocka_unit_test(a_time_of_the_programs_own),
        cmocka_unit_test(every_thread_is_told_what_others_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
