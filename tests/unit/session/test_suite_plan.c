/* From a suite's file and the command line to benchmarks: what wins, where a mistake is
 * said to be, and memory that is short anywhere. */
// link: duet_session
#include "session/suite/suite_plan.h"

#include "formats/suite_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static const char whole[] = "defaults:\n"
                            "  runs: 20\n"
                            "  fill: true\n"
                            "  seed: 7\n"
                            "  parameters: {x: [1, 2], y: [a]}\n"
                            "variables:\n"
                            "  opt: -3\n"
                            "  old: {build: a, extra: e}\n"
                            "  new: {build: b, extra: f}\n"
                            "benchmarks:\n"
                            "  - name: one\n"
                            "    command: '{build}/one {opt} {extra} {x} {y} {side}'\n"
                            "    until: precision=1%,time=2s,runs=40\n"
                            "    shell: true\n"
                            "    usage: false\n"
                            "    check: {exit: 3, command: 'cat {scratch}/{x}'}\n"
                            "  - name: two\n"
                            "    command: run {suite} {z} {x} {y}\n"
                            "    fill: false\n"
                            "    ignore-failure: true\n"
                            "    parameters: {z: {from: 1, to: 5, step: 2}, y: [b]}\n";

static char suite_folder[] = "/of/suite";
static char scratch_folder[] = "/of/scratch";
static const struct suite_folders folders = {suite_folder, scratch_folder};

/* A file that is gone again when it has been read. */
static enum duet_code make(const struct suite_request *like, const char *text,
                           struct suite_plan *plan, struct duet_error *error)
{
    char path[] = "/tmp/duet-suite-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    struct suite_request request = *like;
    request.path = path;
    struct model_suite suite;
    enum duet_code code = formats_suite_read(path, &suite, error);
    if (code == DUET_OK) {
        code = suite_plan_make(&request, &suite, &folders, plan, error);
        assert_null(suite.benchmarks);
    }
    unlink(path);
    return code;
}

static struct benchmark benchmark_of(const struct suite_plan *plan, const char *name)
{
    struct benchmark benchmark = {0};
    struct duet_error error;
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->entries[i].name, name) == 0) {
            assert_int_equal(
                suite_entry_make(plan, &plan->entries[i], &benchmark, &error), DUET_OK);
            return benchmark;
        }
    }
    fail_msg("there is no %s", name);
    return benchmark;
}

static void everything_is_put_in(void **state)
{
    (void)state;
    struct suite_plan plan;
    struct duet_error error;
    const struct suite_request request = {0};
    assert_int_equal(make(&request, whole, &plan, &error), DUET_OK);
    assert_int_equal(plan.count, 2 + 2 * 3);
    assert_int_equal(plan.seed, 7);
    struct benchmark one = benchmark_of(&plan, "one x=2, y=a");
    assert_string_equal(one.commands[MODEL_OLD], "a/one -3 e 2 a old");
    assert_string_equal(one.commands[MODEL_NEW], "b/one -3 f 2 a new");
    assert_int_equal(one.plan.until, MODEL_UNTIL_PRECISION);
    assert_int_equal(one.plan.max_runs, 40); /* and not the defaults' 20 */
    assert_int_equal(one.plan.budget_ns, 2000000000);
    assert_int_equal(one.plan.fill[0], MODEL_FILL_ON);
    assert_false(one.plan.usage);
    assert_true(one.plan.ignore_failure); /* as its check wants another status */
    assert_string_equal(plan.entries[1].check.commands[MODEL_NEW], "cat /of/scratch/2");
    assert_true(plan.entries[1].differs);
    benchmark_release(&one);
    struct benchmark two = benchmark_of(&plan, "two x=1, z=3, y=b");
    assert_string_equal(two.commands[MODEL_OLD], "run /of/suite 3 1 b");
    assert_int_equal(two.plan.runs, 20);
    assert_int_equal(two.plan.fill[0], MODEL_FILL_OFF);
    assert_false(plan.entries[plan.count - 1].differs);
    benchmark_release(&two);
    suite_plan_release(&plan);
}

static void the_command_line_wins(void **state)
{
    (void)state;
    struct suite_override runs = {"runs", "8"};
    const char *only[] = {"one*"};
    const char *old[] = {"extra=mine", "fourth"};
    const struct suite_request request = {.base = {.plan = {.seed = 99}},
                                          .seed_given = true,
                                          .overrides = &runs,
                                          .override_count = 1,
                                          .only = only,
                                          .only_count = 1,
                                          .sides = {old},
                                          .side_counts = {2}};
    struct suite_plan plan;
    struct duet_error error;
    assert_int_equal(make(&request, whole, &plan, &error), DUET_OK);
    assert_int_equal(plan.count, 2);
    assert_int_equal(plan.seed, 99);
    assert_int_equal(plan.order[0] + plan.order[1], 1);
    struct benchmark one = benchmark_of(&plan, "one x=1, y=a");
    assert_string_equal(one.commands[MODEL_OLD], "fourth/one -3 mine 1 a old");
    assert_string_equal(one.commands[MODEL_NEW], "b/one -3 f 1 a new");
    assert_int_equal(one.plan.until, MODEL_UNTIL_FIXED);
    assert_int_equal(one.plan.runs, 8);
    benchmark_release(&one);
    suite_plan_release(&plan);
}

/* Blocks of an interval that a later place replaces, and --confirm where one of several
 * benchmarks has a gate. */
static void what_belongs_to_an_earlier_place_goes_with_it(void **state)
{
    static const char text[] =
        "defaults: {interval: block, block-length: 4, block-scheme: moving}\n"
        "benchmarks:\n"
        "- {name: a, command: b, interval: t, fail-on: slower}\n"
        "- {name: c, command: d, block-length: 7}\n";
    (void)state;
    struct suite_override given[] = {{"interval", "bca"}, {"confirm", NULL}};
    struct suite_request request = {.overrides = given};
    struct suite_plan plan;
    struct duet_error error;
    assert_int_equal(make(&request, text, &plan, &error), DUET_OK);
    assert_true(plan.options[0].analysis.block_length == 0.0);
    assert_int_equal(plan.options[0].analysis.block_scheme, MODEL_SCHEME_CIRCULAR);
    assert_true(plan.options[1].analysis.block_length == 7.0);
    assert_int_equal(plan.options[1].analysis.block_scheme, MODEL_SCHEME_MOVING);
    suite_plan_release(&plan);
    request.override_count = 2;
    request.base.confirm = true;
    assert_int_equal(make(&request, text, &plan, &error), DUET_OK);
    assert_true(plan.options[1].analysis.block_length == 0.0);
    assert_true(plan.options[0].confirm && !plan.options[1].confirm);
    suite_plan_release(&plan);
    assert_int_equal(
        make(&request, "benchmarks:\n- {name: a, command: b}\n", &plan, &error),
        DUET_E_USAGE);
    assert_non_null(strstr(error.message, "no benchmark of"));
}

static void mistakes_have_a_place(void **state)
{
    static const struct {
        const char *text;
        const char *says;
        enum duet_code code;
    } cases[] = {
        {"benchmarks:\n- {name: a, command: b, runs: 0}\n",
         ":2:31: benchmarks[0].runs: ", DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: b, runs: 4, until: runs=6}\n",
         ":2:41: benchmarks[0].until: --runs 4 and --until runs=6 contradict",
         DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: b, block-length: 4}\n",
         ":2:3: benchmarks[0]: --block-length goes with --interval block",
         DUET_E_USAGE},
        {"defaults: {interval: t}\nbenchmarks:\n"
         "- {name: a, command: b, block-scheme: moving}\n",
         ":3:3: benchmarks[0]: --block-scheme goes with", DUET_E_USAGE},
        {"defaults: {layout: odd}\nbenchmarks:\n- {name: a, command: b}\n",
         ":1:20: defaults.layout: --layout odd: expected one of", DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: b, fill: stop}\n",
         "benchmarks[0].fill: --fill=stop: expected --fill or", DUET_E_USAGE},
        {"variables: {side: x}\nbenchmarks:\n- {name: a, command: b}\n",
         "'side' is duet's own", DUET_E_USAGE},
        {"variables: {old: {k: x}}\nbenchmarks:\n- {name: a, command: b}\n",
         "'k' has no value for side new", DUET_E_USAGE},
        {"variables: {k: x}\nbenchmarks:\n- {name: a, command: 'b {k}', parameters: "
         "{k: [1]}}\n",
         ":3:3: benchmarks[0]: 'k' is a variable and a parameter", DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: 'b {x}', parameters: {x: {from: 9, to: "
         "1}}}\n",
         "benchmarks[0].parameters.x: 'from' must not exceed 'to'", DUET_E_USAGE},
        {"defaults: {parameters: {x: {from: 9, to: 1}}}\nbenchmarks:\n"
         "- {name: a, command: 'b {x}'}\n",
         "defaults.parameters.x: 'from'", DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: '{build}/b'}\n",
         ":2:3: benchmarks[0]: {build} has no value", DUET_E_USAGE},
        {"benchmarks:\n- {name: a, command: 'b {x} {y}', parameters: {x: {from: 1, to: "
         "200}, y: {from: 1, to: 200}}}\n",
         "benchmarks[0]: with its parameters the suite has more than 10000",
         DUET_E_USAGE},
        {"benchmarks:\n- {name: b, command: c}\n",
         "no benchmark that --only 'a*' asks for", DUET_E_NOT_FOUND},
    };
    (void)state;
    const char *only[] = {"a*"};
    const struct suite_request request = {.only = only, .only_count = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct suite_plan plan = {0};
        struct duet_error error = {0};
        assert_int_equal(make(&request, cases[i].text, &plan, &error), cases[i].code);
        if (strstr(error.message, cases[i].says) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, cases[i].says);
        }
        assert_null(plan.entries);
    }
}

static void memory_may_be_short_anywhere(void **state)
{
    (void)state;
    const char *old[] = {"extra=mine", "fourth"};
    const struct suite_request request = {.sides = {old}, .side_counts = {2}};
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    while (code == DUET_E_NOMEM) {
        struct suite_plan plan = {0};
        struct duet_error error = {0};
        alloc_fail_at(++n);
        code = make(&request, whole, &plan, &error);
        for (size_t i = 0; i < plan.count && code == DUET_OK; i++) {
            struct benchmark benchmark = {0};
            code = suite_entry_make(&plan, &plan.entries[i], &benchmark, &error);
            benchmark_release(&benchmark);
        }
        alloc_fail_at(0);
        suite_plan_release(&plan);
    }
    assert_int_equal(code, DUET_OK);
    assert_true(n > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_put_in),
        cmocka_unit_test(the_command_line_wins),
        cmocka_unit_test(what_belongs_to_an_earlier_place_goes_with_it),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(memory_may_be_short_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
