/* CPUs that a user names. */
#include "unit/machine/captured.h"

#include <string.h>

static void each_fault_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        bool solo;
        enum duet_code code;
        struct model_cpu_set sets[2];
        const char *message;
    } cases[] = {
        {"smt", false, DUET_OK, {{{2}, 1}, {{3}, 1}}, NULL},
        {"smt", false, DUET_OK, {{{0}, 1}, {{4}, 1}}, NULL}, /* siblings: as asked */
        {"smt", false, DUET_OK, {{{2, 6}, 2}, {{3}, 1}}, NULL},
        {"smt", false, DUET_E_USAGE, {{{0}, 0}, {{3}, 1}}, "no CPU for the first side"},
        {"smt",
         false,
         DUET_E_USAGE,
         {{{2}, 1}, {{0}, 0}},
         "no CPU for the second side"},
        {"smt", true, DUET_OK, {{{2}, 1}, {{0}, 0}}, NULL},
        {"smt", true, DUET_OK, {{{2}, 1}, {{2}, 1}}, NULL},
        {"smt", true, DUET_E_USAGE, {{{0}, 0}, {{2}, 1}}, "no CPU for the first side"},
        {"smt", false, DUET_E_USAGE, {{{2}, 1}, {{2}, 1}}, "both sides have CPU 2"},
        {"smt", false, DUET_E_USAGE, {{{1, 2}, 2}, {{3, 1}, 2}}, "have CPU 1"},
        {"smt", false, DUET_E_USAGE, {{{2, 2}, 2}, {{3}, 1}}, "CPU 2 is named twice"},
        {"smt",
         false,
         DUET_E_USAGE,
         {{{2}, 1}, {{8}, 1}},
         "has no CPU 8; its last one is"},
        {"cpuset", false, DUET_OK, {{{1}, 1}, {{3}, 1}}, NULL},
        {"cpuset", false, DUET_E_UNSUITABLE, {{{1}, 1}, {{8}, 1}}, "CPU 8 is offline"},
        {"cpuset", false, DUET_E_UNSUITABLE, {{{0}, 1}, {{1}, 1}}, "may not use CPU 0"},
        {"cpuset", true, DUET_E_UNSUITABLE, {{{2}, 1}, {{0}, 0}}, "may not use CPU 2"},
        {"cgroup-v2",
         false,
         DUET_E_UNSUITABLE,
         {{{1}, 1}, {{2}, 1}},
         "allows 1.50 CPUs"},
        {"cgroup-v2", true, DUET_OK, {{{1}, 1}, {{2}, 1}}, NULL},
        {"cgroup-v2",
         true,
         DUET_E_UNSUITABLE,
         {{{1, 2}, 2}, {{0}, 0}},
         "needs 2, so it would be throttled"},
        {"cgroup-mixed", false, DUET_OK, {{{1}, 1}, {{2}, 1}}, NULL},
        {"cgroup-mixed", false, DUET_E_UNSUITABLE, {{{0, 1}, 2}, {{2}, 1}}, "needs 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine *machine = captured_open(cases[i].machine);
        struct duet_error error = {0};
        enum duet_code code =
            machine_check_cpus(machine, cases[i].solo, cases[i].sets, &error);
        if (code != cases[i].code ||
            (code != DUET_OK && strstr(error.message, cases[i].message) == NULL)) {
            fail_msg("case %zu on %s: %d '%s'", i, cases[i].machine, code,
                     error.message);
        }
        machine_free(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
