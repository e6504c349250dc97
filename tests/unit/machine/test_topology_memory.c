// labels: noasan novalgrind
/* Every allocation of hwloc's fails once: an error, not a signal. */
#include "machine/machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

/* glibc's own, beneath the ones below, which libraries call as well. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);

/* Shared with processes that the code under test starts. */
struct counter {
    atomic_ulong seen;
    unsigned long at; /* 0: none fails */
};
static struct counter *counter;

static int must_fail(void)
{
    int fails =
        counter != NULL && atomic_fetch_add(&counter->seen, 1) + 1 == counter->at;
    if (fails) {
        errno = ENOMEM;
    }
    return fails;
}

void *malloc(size_t bytes)
{
    return must_fail() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return must_fail() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return must_fail() ? NULL : __libc_realloc(block, bytes);
}

static enum duet_code open_failing_at(unsigned long n, unsigned long *ret_seen)
{
    struct machine *machine = NULL;
    struct duet_error error = {0};
    atomic_store(&counter->seen, 0);
    counter->at = n;
    enum duet_code code = machine_open(NULL, &machine, &error);
    counter->at = 0;
    *ret_seen = atomic_load(&counter->seen);
    if (code == DUET_OK) {
        assert_non_null(machine);
    } else {
        assert_null(machine);
        assert_true(error.message[0] != '\0');
    }
    machine_free(machine);
    return code;
}

static void every_failure_is_an_error(void **state)
{
    (void)state;
    unsigned long failures = 0;
    unsigned long seen = 0;
    counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(counter != MAP_FAILED);
    assert_int_equal(open_failing_at(0, &seen), DUET_OK);
    unsigned long all = seen;
    assert_true(all > 100);
    for (unsigned long n = 1; n <= all; n++) {
        failures += open_failing_at(n, &seen) != DUET_OK;
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
