/* The options by which a plan gets its CPUs again. */
// link: duet_session
#include "unit/machine/captured.h"

#include "session/cpu_choice.h"

#include <string.h>

struct expectation {
    const char *machine;
    const char *cpus;    /* --cpus; NULL: chosen */
    size_t per_position; /* when chosen */
    bool solo;
    const char *options;
};

/* Of a machine of four cores, CPUs 0 and 5 the siblings of the first one. */
static const struct expectation expectations[] = {
    {"smt", NULL, 1, false, ""},
    {"smt", NULL, 1, true, ""},
    {"smt", NULL, 2, false, " --cpus-per-side 2"},
    {"smt", NULL, 3, true, " --cpus-per-side 3"},
    {"smt", "1,2", 0, false, ""}, /* as without */
    {"smt", "2,1", 0, false, " --cpus 2,1"},
    {"smt", "3", 0, true, " --cpus 3"},
    {"smt", "1+4,2", 0, false, " --cpus 1+4,2"},
};

static void options_give_the_sets_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const struct expectation *expected = &expectations[i];
        struct machine *machine = captured_open(expected->machine);
        const struct cpu_choice choice = {.cpus = expected->cpus,
                                          .per_position = expected->per_position,
                                          .solo = expected->solo};
        struct model_cpu_set sets[2] = {{.count = 0}, {.count = 0}};
        struct duet_error error = {0};
        struct text text = {0};
        assert_int_equal(cpu_choice_find(machine, &choice, sets, &error), DUET_OK);
        cpu_choice_append_options(&text, machine, sets);
        assert_string_equal(text_string(&text), expected->options);
        text_release(&text);
        machine_free(machine);
    }
}

static void another_machines_cpus_are_not_named(void **state)
{
    (void)state;
    struct machine *machine = captured_open("one-cpu");
    const struct model_cpu_set sets[2] = {{.cpus = {1, 4}, .count = 2},
                                          {.cpus = {2, 3}, .count = 2}};
    struct text text = {0};
    cpu_choice_append_options(&text, machine, sets);
    assert_string_equal(text_string(&text), "");
    text_release(&text);
    machine_free(machine);
}

/* "0,1,2,3" would be one CPU against three. */
static void there_are_two_sides(void **state)
{
    (void)state;
    static const char *const refused[] = {"1,2,3", "1,2,3,4", "1,2,", "1+4,2,3"};
    struct machine *machine = captured_open("smt");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct cpu_choice choice = {.cpus = refused[i]};
        struct model_cpu_set sets[2] = {{.count = 0}, {.count = 0}};
        struct duet_error error = {0};
        assert_int_equal(cpu_choice_find(machine, &choice, sets, &error), DUET_E_USAGE);
        assert_non_null(strstr(error.message, "more than two sides"));
    }
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_give_the_sets_again),
        cmocka_unit_test(another_machines_cpus_are_not_named),
        cmocka_unit_test(there_are_two_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
