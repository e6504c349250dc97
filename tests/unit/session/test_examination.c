/* Is a machine fit? Of captured machines, where nothing is executed on two CPUs that
 * cannot be had, and of this one. */
// labels: novalgrind serial
#include "session/examination.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct duet_error error;
static char told[256];

static void take(void *context, bool warning, const char *line)
{
    (void)context;
    assert_false(warning);
    (void)snprintf(told, sizeof told, "%s", line);
}

static const struct listener listener = {.notice = take};

static enum model_finding_level level_of(const struct examination *examination,
                                         const char *item)
{
    size_t at = 0;
    while (at < examination->findings.count &&
           strcmp(examination->findings.list[at].item, item) != 0) {
        at++;
    }
    assert_true(at < examination->findings.count);
    return examination->findings.list[at].level;
}

static struct machine *machine_here(void)
{
    struct machine *machine = NULL;
    if (machine_open(NULL, &machine, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return machine;
}

static void two_cpus_are_measured(void **state)
{
    (void)state;
    struct machine *machine = machine_here();
    struct model_cpu_set allowed;
    machine_cpus_allowed(machine, &allowed);
    if (allowed.count < 2) {
        printf("SKIP: one CPU\n");
        machine_free(machine);
        skip();
    }
    struct examination examination;
    told[0] = '\0';
    enum duet_code code =
        examination_make(machine, NULL, 100000000, &listener, &examination, &error);
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_non_null(strstr(told, "for 0.1 s"));
    assert_true(examination.measured);
    assert_true(examination.fitness.skew_median_ns > 0);
    assert_true(examination.positions[0].count == 1);
    assert_true(examination.after.total_ticks >= examination.before.total_ticks);
    assert_true(level_of(&examination, "CPUs") != MODEL_FINDING_UNFIT);
    (void)level_of(&examination, "pairing");
    assert_int_equal(level_of(&examination, "counters"), MODEL_FINDING_GOOD);
    assert_int_equal(level_of(&examination, "store"), MODEL_FINDING_GOOD);
    machine_free(machine);
}

static void cpus_that_cannot_be_had_are_a_finding(void **state)
{
    (void)state;
    const struct machine_source source = {.hwloc_xml = TEST_SOURCE_DIR
                                          "/machines/one-cpu/topology.xml"};
    struct machine *machine = NULL;
    if (machine_open(&source, &machine, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    struct examination examination;
    told[0] = '\0';
    assert_int_equal(
        examination_make(machine, NULL, 100000000, &listener, &examination, &error),
        DUET_OK);
    assert_string_equal(told, "");
    assert_false(examination.measured);
    assert_int_equal(level_of(&examination, "CPUs"), MODEL_FINDING_UNFIT);
    machine_free(machine);
}

static void words_that_are_no_cpus(void **state)
{
    (void)state;
    struct machine *machine = machine_here();
    struct examination examination = {.measured = true};
    assert_int_equal(examination_make(machine, "0,zero", 1, NULL, &examination, &error),
                     DUET_E_USAGE);
    assert_non_null(strstr(error.message, "zero"));
    assert_true(examination.measured); /* untouched */
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cpus_are_measured),
        cmocka_unit_test(cpus_that_cannot_be_had_are_a_finding),
        cmocka_unit_test(words_that_are_no_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
