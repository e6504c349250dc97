/* Opening a machine, and how its CPUs are related. */
#include "unit/machine/captured.h"

#include "machine/machine_facts.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void relations_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        unsigned a;
        unsigned b;
        enum machine_relation relation;
    } cases[] = {
        {"smt", 0, 4, MACHINE_SMT_SIBLINGS},
        {"smt", 0, 5, MACHINE_SHARED_CACHE},
        {"smt", 3, 3, MACHINE_SAME_CPU},
        {"smt", 3, 8, MACHINE_UNKNOWN},
        {"smt", 4000000000U, 3, MACHINE_UNKNOWN},
        {"cpuset", 0, 4, MACHINE_SMT_SIBLINGS}, /* not allowed, related all the same */
        {"cpuset", 0, 8, MACHINE_UNKNOWN},      /* offline */
        {"cpuset", 8, 8, MACHINE_UNKNOWN},
        {"two-sockets", 0, 2, MACHINE_SHARED_CACHE},
        {"two-sockets", 0, 1, MACHINE_CROSS_PACKAGE},
        {"ccx", 0, 1, MACHINE_SHARED_CACHE},
        {"ccx", 1, 2, MACHINE_SAME_PACKAGE},
        {"hybrid", 3, 4, MACHINE_SHARED_CACHE},
        {"private-cache", 0, 3, MACHINE_SAME_PACKAGE},
        {"no-caches", 0, 3, MACHINE_UNKNOWN_CACHE},
        {"smt-pair", 0, 1, MACHINE_SMT_SIBLINGS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine *machine = captured_open(cases[i].machine);
        assert_int_equal(machine_relate(machine, cases[i].a, cases[i].b),
                         cases[i].relation);
        assert_int_equal(machine_relate(machine, cases[i].b, cases[i].a),
                         cases[i].relation);
        machine_free(machine);
    }
}

static void relations_have_different_names(void **state)
{
    (void)state;
    for (int a = MACHINE_SHARED_CACHE; a <= MACHINE_UNKNOWN; a++) {
        for (int b = a + 1; b <= MACHINE_UNKNOWN; b++) {
            assert_string_not_equal(machine_relation_name((enum machine_relation)a),
                                    machine_relation_name((enum machine_relation)b));
        }
    }
}

static void allowed_cpus_come_from_the_capture(void **state)
{
    (void)state;
    struct machine *machine = captured_open("cpuset");
    struct model_cpu_set set;
    machine_cpus_allowed(machine, &set);
    assert_int_equal(set.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(set.cpus[i], 2 * i + 1);
    }
    machine_free(machine);
}

/* More than a set of CPUs holds. */
static void each_of_many_cpus_may_be_used(void **state)
{
    (void)state;
    enum { CPUS = MODEL_CPUS_MAX + 300 };
    static struct machine_cpu cpus[CPUS];
    struct machine machine = {.cpus = cpus, .cpu_count = CPUS};
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        cpus[cpu] = (struct machine_cpu){.cpu = 2 * cpu, .state = CPU_ALLOWED};
    }
    cpus[7].state = CPU_DISALLOWED;
    cpus[8].state = CPU_OFFLINE;
    assert_true(machine_may_use(&machine, 0));
    assert_true(machine_may_use(&machine, 2 * (CPUS - 1)));
    assert_false(machine_may_use(&machine, 1));
    assert_false(machine_may_use(&machine, 14));
    assert_false(machine_may_use(&machine, 16));
    assert_false(machine_may_use(&machine, 2 * CPUS));
}

static void quotas_come_from_the_capture(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        double quota;
    } cases[] = {{"smt", (double)INFINITY},
                 {"one-cpu", (double)INFINITY},
                 {"cgroup-v2", 1.5},
                 {"cgroup-v1", 0.5},
                 {"cgroup-mixed", 2.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine *machine = captured_open(cases[i].machine);
        assert_true(machine->quota_cpus == cases[i].quota);
        machine_free(machine);
    }
}

static void bad_captures_are_refused(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    struct duet_error error = {0};
    struct machine_source source = {.hwloc_xml = TEST_SOURCE_DIR "/machines/none.xml"};
    assert_int_equal(machine_open(&source, &machine, &error), DUET_E_IO);
    assert_non_null(strstr(error.message, "none.xml"));
    source.hwloc_xml = TEST_SOURCE_DIR "/machines/README.md";
    assert_int_equal(machine_open(&source, &machine, &error), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "README.md"));
    assert_null(machine);
}

static void this_machine_has_a_cpu(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set set;
    machine_cpus_allowed(machine, &set);
    assert_in_range(set.count, 1, MODEL_CPUS_MAX);
    for (size_t i = 1; i < set.count; i++) {
        assert_true(set.cpus[i - 1] < set.cpus[i]);
    }
    assert_true(machine->quota_cpus > 0);
    machine_free(machine);
}

static unsigned last_cpu_of(const cpu_set_t *set)
{
    unsigned last = 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        last = CPU_ISSET(cpu, set) ? cpu : last;
    }
    return last;
}

static void the_affinity_mask_is_honoured(void **state)
{
    (void)state;
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    unsigned last = last_cpu_of(&before);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_cpu_set set;
    machine_cpus_allowed(machine, &set);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.cpus[0], last);
    machine_free(machine);
    /* Opening must not leave the thread anywhere else. */
    cpu_set_t after;
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&after, &one));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* With the variable that says to hwloc that there is CPU 0 only. this_system: what it
 * is to say of it. */
static void open_with_one_described_cpu(const char *variable, const char *value,
                                        const char *this_system)
{
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    unsigned last = last_cpu_of(&before);
    if (last == 0) {
        (void)printf("SKIP: needs two CPUs\n");
        skip();
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(setenv(variable, value, 1), 0);
    assert_int_equal(setenv("HWLOC_THISSYSTEM", this_system, 1), 0);
    struct machine *machine = NULL;
    struct model_cpu_set sets[2];
    struct duet_error error = {0};
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    assert_int_equal(unsetenv(variable), 0);
    assert_int_equal(unsetenv("HWLOC_THISSYSTEM"), 0);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    if (machine_pick_cpus(machine, true, 1, sets, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sets[0].count, 1);
    assert_int_equal(sets[0].cpus[0], last);
    assert_int_equal(machine_relate(machine, last, last), MACHINE_SAME_CPU);
    assert_true(machine_find_cpu(machine, 0)->core <
                machine_find_cpu(machine, last)->core);
    assert_true(machine->live);
    machine_free(machine);
}

/* As where neither /sys nor /proc is to be seen: hwloc knows of CPU 0 only. */
static void the_affinity_mask_is_believed_where_hwloc_guesses(void **state)
{
    (void)state;
    open_with_one_described_cpu("HWLOC_SYNTHETIC", "pu:1", "1");
}

/* As with HWLOC_XMLFILE, which mpiexec may set. */
static void a_topology_of_the_environment_is_of_this_machine(void **state)
{
    (void)state;
    open_with_one_described_cpu("HWLOC_SYNTHETIC", "pu:1", "0");
}

/* As where a container is shown other numbers than it has. */
static void a_cpu_of_the_mask_is_online(void **state)
{
    (void)state;
    static const char mask[] = "complete_cpuset=\"0x";
    char xml[8192];
    char path[] = "/tmp/duet-topology-XXXXXX";
    FILE *from = fopen(TEST_SOURCE_DIR "/machines/one-cpu/topology.xml", "re");
    assert_non_null(from);
    size_t length = fread(xml, 1, sizeof xml - 1, from);
    assert_int_equal(fclose(from), 0);
    xml[length] = '\0';
    char *all = strstr(xml, mask);
    assert_non_null(all);
    memcpy(all + sizeof mask - 1, "ffffffff", 8); /* but for CPU 0 they are offline */
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, xml, length) == (ssize_t)length && close(fd) == 0);
    open_with_one_described_cpu("HWLOC_XMLFILE", path, "1");
    assert_int_equal(unlink(path), 0);
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    struct machine_source source = {.hwloc_xml =
                                        TEST_SOURCE_DIR "/machines/smt/topology.xml"};
    alloc_fail_at(0);
    assert_int_equal(machine_open(&source, &machine, NULL), DUET_OK);
    unsigned long count = alloc_fail_seen();
    machine_free(machine);
    assert_true(count > 0);
    for (unsigned long n = 1; n <= count; n++) {
        machine = NULL;
        struct duet_error error = {0};
        alloc_fail_at(n);
        assert_int_equal(machine_open(&source, &machine, &error), DUET_E_NOMEM);
        assert_int_equal(error.code, DUET_E_NOMEM);
        assert_null(machine);
    }
    alloc_fail_at(0);
    machine_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_told_apart),
        cmocka_unit_test(relations_have_different_names),
        cmocka_unit_test(allowed_cpus_come_from_the_capture),
        cmocka_unit_test(each_of_many_cpus_may_be_used),
        cmocka_unit_test(quotas_come_from_the_capture),
        cmocka_unit_test(bad_captures_are_refused),
        cmocka_unit_test(this_machine_has_a_cpu),
        cmocka_unit_test(the_affinity_mask_is_honoured),
        cmocka_unit_test(the_affinity_mask_is_believed_where_hwloc_guesses),
        cmocka_unit_test(a_topology_of_the_environment_is_of_this_machine),
        cmocka_unit_test(a_cpu_of_the_mask_is_online),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
