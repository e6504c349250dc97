// labels: soakvalgrind
/* Which CPUs a captured machine offers for a comparison. */
#include "unit/machine/captured.h"

#include "base/parse.h"
#include "machine/machine_facts.h"
#include "support/alloc_fail.h"

#include <string.h>

enum { FITS = -1 }; /* no error expected */

struct expectation {
    const char *machine;
    size_t per_position;
    bool solo;
    int code; /* FITS, or the error's code */
    const char *sets[2];
    enum machine_relation relation; /* of the sets' first CPUs */
    const char *spare;              /* NULL: none left */
    const char *message;            /* a part of the error's text */
};

static const struct expectation expectations[] = {
    {"smt", 1, false, FITS, {"1", "2"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"smt", 1, true, FITS, {"1", ""}, MACHINE_UNKNOWN, "0", NULL},
    {"smt", 2, false, FITS, {"1,4", "2,3"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"smt", 3, true, FITS, {"1-3", ""}, MACHINE_UNKNOWN, "0", NULL},
    {"smt", 4, true, FITS, {"1-4", ""}, MACHINE_UNKNOWN, "0", NULL},
    {"smt",
     3,
     false,
     DUET_E_UNSUITABLE,
     {0},
     0,
     NULL,
     "3 cores for each of two sides need 6 cores of one kind and this process may use 4"},
    {"smt", 5, true, DUET_E_UNSUITABLE, {0}, 0, NULL, "5 cores for a workload need 5"},
    {"smt", 0, false, DUET_E_USAGE, {0}, 0, NULL, "a number from 1"},
    {"cpuset", 1, false, FITS, {"1", "3"}, MACHINE_SHARED_CACHE, "5", NULL},
    {"cpuset-threads", 1, false, FITS, {"0", "7"}, MACHINE_SHARED_CACHE, NULL, NULL},
    {"hybrid", 1, false, FITS, {"1", "2"}, MACHINE_SHARED_CACHE, "4", NULL},
    {"hybrid", 1, true, FITS, {"2", ""}, MACHINE_UNKNOWN, "0", NULL},
    {"hybrid", 2, false, FITS, {"4,5", "6,7"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"hybrid-one-fast", 1, false, FITS, {"4", "5"}, MACHINE_SHARED_CACHE, "2", NULL},
    {"hybrid-unlike", 1, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "different kinds"},
    {"hybrid-unlike", 1, true, FITS, {"2", ""}, MACHINE_UNKNOWN, "6", NULL},
    {"two-sockets", 1, false, FITS, {"2", "4"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"two-sockets", 2, false, FITS, {"1,3", "5,7"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"two-sockets",
     4,
     false,
     FITS,
     {"0,2,4,6", "1,3,5,7"},
     MACHINE_CROSS_PACKAGE,
     NULL,
     NULL},
    {"socket-per-cpu", 1, false, FITS, {"0", "1"}, MACHINE_CROSS_PACKAGE, NULL, NULL},
    {"smt-pair", 1, false, FITS, {"0", "1"}, MACHINE_SMT_SIBLINGS, NULL, NULL},
    {"ccx", 1, false, FITS, {"2", "3"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"ccx-split", 1, false, FITS, {"2", "8"}, MACHINE_SMT_SIBLINGS, "0", NULL},
    {"private-cache", 1, false, FITS, {"1", "2"}, MACHINE_SAME_PACKAGE, "0", NULL},
    {"no-caches", 1, false, FITS, {"1", "2"}, MACHINE_UNKNOWN_CACHE, "0", NULL},
    {"one-cpu", 1, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "one CPU only (CPU 0)"},
    {"one-cpu", 1, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "--schedule timeslice"},
    {"one-cpu", 1, true, FITS, {"0", ""}, MACHINE_UNKNOWN, NULL, NULL},
    {"cgroup-v2", 1, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "quota allows 1.50 CPUs"},
    {"cgroup-v2", 1, true, FITS, {"1", ""}, MACHINE_UNKNOWN, "0", NULL},
    {"cgroup-v2",
     2,
     true,
     DUET_E_UNSUITABLE,
     {0},
     0,
     NULL,
     "needs 2, so it would be throttled"},
    {"cgroup-v1", 1, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "quota allows 0.50 CPUs"},
    {"cgroup-mixed", 1, false, FITS, {"1", "2"}, MACHINE_SHARED_CACHE, "0", NULL},
    {"cgroup-mixed", 2, false, DUET_E_UNSUITABLE, {0}, 0, NULL, "needs 4"},
};

static void assert_set(const char *what, const struct model_cpu_set *set,
                       const char *expected)
{
    unsigned cpus[MODEL_CPUS_MAX];
    size_t count = 0;
    if (expected != NULL && expected[0] != '\0') {
        assert_int_equal(
            parse_cpu_list(expected, what, cpus, MODEL_CPUS_MAX, &count, NULL),
            DUET_OK);
    }
    if (set->count != count || memcmp(set->cpus, cpus, count * sizeof cpus[0]) != 0) {
        fail_msg("%s: expected CPUs '%s', got %zu from CPU %u", what, expected,
                 set->count, set->count > 0 ? set->cpus[0] : 0);
    }
}

static void check_expectation(const struct expectation *expected)
{
    static const struct model_cpu_set untouched = {.cpus = {77}, .count = 1};
    struct machine *machine = captured_open(expected->machine);
    struct model_cpu_set sets[2] = {untouched, untouched};
    struct duet_error error = {0};
    enum duet_code code = machine_pick_cpus(machine, expected->solo,
                                            expected->per_position, sets, &error);
    if (expected->code == FITS) {
        if (code != DUET_OK) {
            fail_msg("%s: %s", expected->machine, error.message);
        }
        assert_set(expected->machine, &sets[0], expected->sets[0]);
        assert_set(expected->machine, &sets[1], expected->sets[1]);
        if (!expected->solo) {
            assert_int_equal(machine_relate(machine, sets[0].cpus[0], sets[1].cpus[0]),
                             expected->relation);
        }
        struct model_cpu_set spare = untouched;
        bool found = machine_pick_spare(machine, sets, &spare);
        assert_int_equal(found, expected->spare != NULL);
        assert_set(expected->machine, &spare, found ? expected->spare : "77");
        /* What is picked passes the check of what users name. */
        assert_int_equal(machine_check_cpus(machine, expected->solo, sets, &error),
                         DUET_OK);
    } else {
        assert_int_equal(code, expected->code);
        if (strstr(error.message, expected->message) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", expected->machine, error.message,
                     expected->message);
        }
        assert_int_equal(sets[0].cpus[0], 77);
        assert_int_equal(sets[1].cpus[0], 77);
    }
    machine_free(machine);
}

static void each_machine_gives_what_is_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        check_expectation(&expectations[i]);
    }
}

struct neighbours {
    const char *machine;
    bool solo;
    const char *bound[2]; /* CPUs with one program each, and those with one more */
    const char *sets[2];
};

/* "smt" has cores 0+4, 1+5, 2+6 and 3+7 below one cache, "two-sockets" the even CPUs in
 * one package and the odd ones in the other. */
static const struct neighbours beside[] = {
    {"smt", false, {"", ""}, {"1", "2"}},
    {"smt", false, {"1", ""}, {"2", "3"}},
    {"smt", false, {"5", ""}, {"2", "3"}},     /* the other thread of its core */
    {"smt", false, {"1,2", ""}, {"4", "3"}},   /* interrupts disturb less */
    {"smt", false, {"1,2,3", ""}, {"1", "2"}}, /* one is free, two are needed */
    {"smt", false, {"0-3", "1"}, {"2", "3"}},  /* none is free: the fewest */
    {"smt", false, {"0-7", ""}, {"1", "2"}},   /* all alike */
    {"smt", true, {"1", ""}, {"2", ""}},       /* of one CPU */
    {"smt", true, {"1-3", ""}, {"4", ""}},
    {"two-sockets", false, {"2", ""}, {"4", "6"}},
    {"two-sockets", false, {"2,4", ""}, {"1", "3"}},
    {"hybrid", false, {"2", ""}, {"1", "2"}},   /* no slower kind to evade */
    {"smt-pair", false, {"0", ""}, {"0", "1"}}, /* no other choice */
};

static void set_bound(const struct machine *machine, const char *list, unsigned *counts)
{
    unsigned cpus[MODEL_CPUS_MAX];
    size_t count = 0;
    if (list[0] != '\0') {
        assert_int_equal(
            parse_cpu_list(list, "bound", cpus, MODEL_CPUS_MAX, &count, NULL), DUET_OK);
    }
    for (size_t i = 0; i < count; i++) {
        const struct machine_cpu *cpu = machine_find_cpu(machine, cpus[i]);
        assert_non_null(cpu);
        counts[cpu - machine->cpus]++;
    }
}

static void cores_of_bound_programs_come_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        struct machine *machine = captured_open(beside[i].machine);
        unsigned bound[64] = {0};
        struct model_cpu_set sets[2];
        struct duet_error error = {0};
        char what[64];
        assert_true(machine->cpu_count <= 64);
        (void)snprintf(what, sizeof what, "row %zu, %s", i, beside[i].machine);
        set_bound(machine, beside[i].bound[0], bound);
        set_bound(machine, beside[i].bound[1], bound);
        assert_int_equal(
            pick_cpus_beside(machine, bound, beside[i].solo, 1, sets, &error), DUET_OK);
        assert_set(what, &sets[0], beside[i].sets[0]);
        assert_set(what, &sets[1], beside[i].sets[1]);
        machine_free(machine);
    }
}

/* Whatever is picked is allowed, of two sets without a common core or thread except for
 * siblings, on every machine and for every size that fits. */
static void picked_sets_keep_the_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        struct machine *machine = captured_open(expectations[i].machine);
        for (size_t size = 1; size <= 6; size++) {
            struct model_cpu_set sets[2];
            if (machine_pick_cpus(machine, false, size, sets, NULL) != DUET_OK) {
                continue;
            }
            assert_int_equal(sets[0].count, size);
            assert_int_equal(sets[1].count, size);
            assert_int_equal(machine_check_cpus(machine, false, sets, NULL), DUET_OK);
            for (size_t a = 0; a < size; a++) {
                for (size_t b = 0; b < size; b++) {
                    enum machine_relation relation =
                        machine_relate(machine, sets[0].cpus[a], sets[1].cpus[b]);
                    assert_int_not_equal(relation, MACHINE_SAME_CPU);
                    assert_int_not_equal(relation, MACHINE_UNKNOWN);
                    assert_true(size == 1 || relation != MACHINE_SMT_SIBLINGS);
                }
            }
        }
        machine_free(machine);
    }
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    struct machine *machine = captured_open("smt");
    struct model_cpu_set sets[2];
    alloc_fail_at(0);
    assert_int_equal(machine_pick_cpus(machine, false, 1, sets, NULL), DUET_OK);
    unsigned long count = alloc_fail_seen();
    assert_true(count > 0);
    for (unsigned long n = 1; n <= count; n++) {
        struct duet_error error = {0};
        alloc_fail_at(n);
        assert_int_equal(machine_pick_cpus(machine, false, 1, sets, &error),
                         DUET_E_NOMEM);
        assert_int_equal(error.code, DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_machine_gives_what_is_expected),
        cmocka_unit_test(cores_of_bound_programs_come_last),
        cmocka_unit_test(picked_sets_keep_the_rules),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
