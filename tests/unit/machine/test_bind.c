/* Binding the calling thread, on the machine the test runs on. */
#include "unit/machine/captured.h"

#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void each_allowed_cpu_can_be_had(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set all;
    machine_cpus_allowed(machine, &all);
    for (size_t i = 0; i < all.count; i++) {
        struct model_cpu_set one = {.cpus = {all.cpus[i]}, .count = 1};
        assert_int_equal(machine_bind_thread(&one, NULL), DUET_OK);
        assert_int_equal(sched_getcpu(), all.cpus[i]);
    }
    assert_int_equal(machine_bind_thread(&all, NULL), DUET_OK);
    machine_free(machine);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
    (void)state;
    static const unsigned absent[] = {8191, 8192, 4000000000U};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        struct model_cpu_set set = {.cpus = {absent[i]}, .count = 1};
        struct duet_error error = {0};
        assert_int_equal(machine_bind_thread(&set, &error), DUET_E_UNSUITABLE);
        char name[32];
        (void)snprintf(name, sizeof name, "CPU %u", absent[i]);
        assert_non_null(strstr(error.message, name));
    }
}

/* The kernel itself would grant the part that exists. */
static void a_part_of_the_set_is_not_enough(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set all;
    machine_cpus_allowed(machine, &all);
    struct model_cpu_set set = {.cpus = {all.cpus[0], 8191}, .count = 2};
    struct duet_error error = {0};
    assert_int_equal(machine_bind_thread(&set, &error), DUET_E_UNSUITABLE);
    assert_non_null(strstr(error.message, "CPU 8191"));
    assert_int_equal(machine_bind_thread(&all, NULL), DUET_OK);
    machine_free(machine);
}

static void an_empty_set_is_refused(void **state)
{
    (void)state;
    struct model_cpu_set set = {.count = 0};
    struct duet_error error = {0};
    assert_int_equal(machine_bind_thread(&set, &error), DUET_E_USAGE);
}

static void an_affinity_comes_back(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set all;
    machine_cpus_allowed(machine, &all);
    machine_free(machine);
    struct machine_affinity before;
    struct machine_affinity bound;
    struct machine_affinity after;
    machine_affinity_save(&before);
    struct model_cpu_set one = {.cpus = {all.cpus[0]}, .count = 1};
    assert_int_equal(machine_bind_thread(&one, NULL), DUET_OK);
    machine_affinity_save(&bound);
    machine_affinity_restore(&(struct machine_affinity){.known = false});
    machine_affinity_save(&after);
    assert_memory_equal(after.mask, bound.mask, sizeof after.mask);
    machine_affinity_restore(&before);
    machine_affinity_save(&after);
    assert_true(before.known);
    assert_memory_equal(after.mask, before.mask, sizeof after.mask);
    assert_true(all.count == 1 ||
                memcmp(bound.mask, before.mask, sizeof bound.mask) != 0);
}

/* To one CPU, asked about sets that hold it, and not, and more than it. */
static void who_is_bound_is_known(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set all;
    machine_cpus_allowed(machine, &all);
    machine_free(machine);
    unsigned cpu = 4711;
    unsigned mine = all.cpus[all.count - 1];
    const struct model_cpu_set one = {.cpus = {mine}, .count = 1};
    const struct model_cpu_set more = {.cpus = {8190, mine}, .count = 2};
    const struct model_cpu_set other = {.cpus = {8190}, .count = 1};
    assert_true(machine_is_bound(0, &all, true, &cpu));
    assert_int_equal(machine_bind_thread(&one, NULL), DUET_OK);
    assert_true(machine_is_bound(0, &one, true, &cpu));
    assert_true(machine_is_bound(0, &more, false, &cpu));
    assert_int_equal(cpu, 4711);
    assert_false(machine_is_bound(0, &more, true, &cpu));
    assert_int_equal(cpu, 8190);
    assert_false(machine_is_bound(0, &other, false, &cpu));
    assert_int_equal(cpu, mine);
    assert_int_equal(machine_bind_thread(&all, NULL), DUET_OK);
}

/* The kernel has forgotten where. */
static void who_is_gone_is_bound(void **state)
{
    (void)state;
    const struct model_cpu_set other = {.cpus = {8190}, .count = 1};
    unsigned cpu = 4711;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(machine_is_bound(child, &other, true, &cpu));
    assert_int_equal(cpu, 4711);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allowed_cpu_can_be_had),
        cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
        cmocka_unit_test(a_part_of_the_set_is_not_enough),
        cmocka_unit_test(an_empty_set_is_refused),
        cmocka_unit_test(an_affinity_comes_back),
        cmocka_unit_test(who_is_bound_is_known),
        cmocka_unit_test(who_is_gone_is_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
