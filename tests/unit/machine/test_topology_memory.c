// labels: noasan novalgrind
/* Every allocation of hwloc's fails once: an error, not a signal. */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "support/malloc_fail.h"

#include <cmocka.h>

static enum duet_code open_failing_at(unsigned long n, unsigned long *ret_seen)
{
    struct machine *machine = NULL;
    struct duet_error error = {0};
    (void)malloc_fail_at(n);
    enum duet_code code = machine_open(NULL, &machine, &error);
    *ret_seen = malloc_fail_at(0);
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
    unsigned long all = 0;
    (void)malloc_fail_at(0);
    assert_int_equal(open_failing_at(0, &all), DUET_OK);
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
