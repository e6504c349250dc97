// labels: long
/* A side whose peer never comes and whose runner is gone gives up by itself. Takes
 * SYNC_ORPHAN_CHECK_NS. */
#include "sync/clock.h"
#include "sync/meeting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool count_and_say_yes(void *context)
{
    unsigned *asked = context;
    (*asked)++;
    return true;
}

static void gives_up_when_orphaned(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct sync_meeting meeting = {0};
    struct sync_party party = {.spins = false};
    struct sync_guard guard = {count_and_say_yes, &asked};
    uint64_t start_ns = clock_mono_ns();
    assert_int_equal(sync_meet(&meeting, &party, &guard), SYNC_ORPHANED);
    assert_true(clock_mono_ns() - start_ns >= SYNC_ORPHAN_CHECK_NS);
    assert_int_equal(asked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_up_when_orphaned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
