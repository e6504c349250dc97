// link: duet_sync duet_base
// link: -Wl,--wrap=getrusage,--wrap=pread
/* What others had of the CPU within an iteration, and not around it. */
#include "unit/harness/mini_runner.h"

#include "duet/duet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { TAKEN_NS = 5000000, ITERATIONS = 3 };

int __wrap_getrusage(int who, struct rusage *ret_usage);
int __real_getrusage(int who, struct rusage *ret_usage);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);

static uint64_t taken_ns;

/* It makes the scheduler look whose turn it is (seen on Linux 6.18): a thread whose
 * time is over loses its CPU when the call returns. */
int __wrap_getrusage(int who, struct rusage *ret_usage)
{
    int rc = __real_getrusage(who, ret_usage);
    taken_ns += TAKEN_NS;
    return rc;
}

/* schedstat */
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
    (void)fd;
    (void)offset;
    return snprintf(buffer, size, "1000 %llu 1\n", (unsigned long long)taken_ns);
}

static int side(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("side");
    while (duet_next(d)) {
        duet_begin(d);
        taken_ns += duet_index(d);
        duet_end(d);
    }
    return duet_close(d);
}

static void what_asking_costs_is_not_the_iterations(void **state)
{
    (void)state;
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO | SYNC_PAGE_USAGE, ITERATIONS, SYNC_NEVER);
    mini_fork(&mini, 0, side, NULL);
    mini_serve(&mini);
    assert_int_equal(mini.statuses[0], 0);
    assert_int_equal(mini.counts[0], ITERATIONS);
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        const struct sync_record *record = &mini.records[0][i];
        if ((record->flags & SYNC_RECORD_PREEMPTED) == 0) {
            assert_true((record->flags & SYNC_RECORD_DELAY) != 0);
            assert_int_equal(record->delay_ns, i);
        }
    }
    mini_close(&mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_asking_costs_is_not_the_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
