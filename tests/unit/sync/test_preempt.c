/* Whether the thread lost its CPU: where the kernel and libc can tell. */
#include "sync/preempt.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

static void a_sleep_is_seen(void **state)
{
    (void)state;
    struct preempt_probe probe = preempt_probe_here();
    if (probe.section == NULL) {
        print_message("SKIP: no restartable sequences here\n");
        skip();
        return;
    }
    struct timespec time = {.tv_nsec = 1000000};
    preempt_probe_arm(&probe, preempt_section());
    (void)nanosleep(&time, NULL);
    assert_true(preempt_probe_end(&probe));
    assert_true(*probe.section == 0);
}

static void an_undisturbed_moment_is_not(void **state)
{
    (void)state;
    struct preempt_probe probe = preempt_probe_here();
    int undisturbed = 0;
    for (int i = 0; i < 1000; i++) {
        preempt_probe_arm(&probe, preempt_section());
        undisturbed += !preempt_probe_end(&probe);
    }
    assert_true(undisturbed > 0);
}

static void the_cpu_is_the_one_of_libc(void **state)
{
    (void)state;
    struct preempt_probe probe = preempt_probe_here();
    if (probe.cpu == NULL) {
        print_message("SKIP: no restartable sequences here\n");
        skip();
        return;
    }
    int agreed = 0;
    for (int i = 0; i < 1000; i++) {
        agreed += *probe.cpu == (uint32_t)sched_getcpu(); /* may move in between */
    }
    assert_true(agreed > 0);
}

static void nothing_is_seen_without_an_area(void **state)
{
    (void)state;
    struct preempt_probe none = {0};
    preempt_probe_arm(&none, preempt_section());
    (void)sched_yield();
    assert_false(preempt_probe_end(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_is_seen),
        cmocka_unit_test(an_undisturbed_moment_is_not),
        cmocka_unit_test(the_cpu_is_the_one_of_libc),
        cmocka_unit_test(nothing_is_seen_without_an_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
