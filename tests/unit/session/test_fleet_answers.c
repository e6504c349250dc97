/* What the results of a fleet say: which tasks count, what is accepted, and memory that
 * is short at any moment. The numbers: tests/cli/test_fleet_results.py. */
// link: duet_session
#include "session/fleet/fleet_answers.h"

#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

enum { TASKS = 4 };

static struct duet_error error;
static char sort_name[] = "sort";
static char scan_name[] = "scan";
static char copy_name[] = "copy";
static struct model_acceptance wide = {.limit = 0.2};
static struct model_acceptance narrow = {.limit = 0.1};

/* Of every task: sort, which becomes 5 % slower; scan, which fails at the second; copy,
 * whose sides are identical. */
static struct model_fleet_ratio ratios[TASKS][3];
static struct model_fleet_state tasks[TASKS];

static int make_tasks(void **state)
{
    (void)state;
    for (size_t i = 0; i < TASKS; i++) {
        struct model_fleet_ratio *of = ratios[i];
        of[0] = (struct model_fleet_ratio){.name = sort_name,
                                           .log_ratio = log(1.05) + 0.001 * (double)i,
                                           .old_ns = 1000,
                                           .acceptance = i % 2 == 0 ? &wide : &narrow};
        of[1] = (struct model_fleet_ratio){.name = scan_name,
                                           .log_ratio =
                                               i == 1 ? (double)NAN : 0.001 * (double)i,
                                           .old_ns = i == 1 ? (double)NAN : 2000,
                                           .acceptance = i == 3 ? NULL : &wide};
        of[2] = (struct model_fleet_ratio){
            .name = copy_name, .old_ns = (double)NAN, .identical = true};
        tasks[i] = (struct model_fleet_state){
            .task = i + 1, .phase = MODEL_FLEET_DONE, .ratios = of, .ratio_count = 3};
        text_copy(tasks[i].node, sizeof tasks[i].node, i % 2 == 0 ? "even" : "odd");
        text_copy(tasks[i].cpu_model, sizeof tasks[i].cpu_model, i == 3 ? "" : "one");
    }
    return 0;
}

static const struct fleet_question by_node = {
    .confidence = 0.95, .same_within = 0.01, .strata = FLEET_STRATA_NODE};
static const struct fleet_question by_cpu = {
    .confidence = 0.95, .same_within = 0.01, .strata = FLEET_STRATA_CPU};
static const struct fleet_question in_turn = {
    .confidence = 0.95, .same_within = 0.01, .until_decided = true};

static struct fleet_answers answers;

static void ask(const struct fleet_question *question)
{
    assert_int_equal(fleet_answers_make(question, tasks, TASKS, &answers, &error),
                     DUET_OK);
}

static void answers_are_in_the_order_of_names(void **state)
{
    (void)state;
    ask(&by_node);
    assert_int_equal(answers.used, TASKS);
    assert_int_equal(answers.count, 3);
    assert_string_equal(answers.list[0].name, copy_name);
    assert_int_equal(answers.list[0].verdict, MODEL_VERDICT_IDENTICAL);
    assert_string_equal(answers.list[1].name, scan_name);
    assert_int_equal(answers.list[1].instances, TASKS - 1);
    assert_int_equal(answers.list[1].failed, 1);
    assert_string_equal(answers.list[2].name, sort_name);
    assert_int_equal(answers.list[2].verdict, MODEL_VERDICT_SLOWER);
    fleet_answers_release(&answers);
}

/* The lowest limit counts, and one task that accepts nothing has the last word. */
static void acceptances_are_of_all_tasks(void **state)
{
    (void)state;
    ask(&by_node);
    assert_true(answers.list[2].acceptance.limit == narrow.limit);
    assert_true(answers.list[1].acceptance.limit == 0);
    fleet_answers_release(&answers);
}

static void strata_are_of_machines(void **state)
{
    (void)state;
    ask(&by_node);
    assert_int_equal(answers.stratum_count, 3 * 2);
    const struct model_fleet_stratum *last = &answers.strata[5];
    assert_string_equal(last->name, "odd");
    assert_string_equal(last->benchmark, sort_name);
    assert_int_equal(last->instances, 2);
    assert_true(fabs(last->old_ns - 1000) < 1e-6);
    fleet_answers_release(&answers);
    ask(&by_cpu);
    assert_int_equal(answers.stratum_count, 3 * 2);
    assert_string_equal(answers.strata[5].name, "unknown");
    assert_int_equal(answers.strata[4].instances, TASKS - 1);
    fleet_answers_release(&answers);
}

/* Which of them are in must not depend on how long they took. */
static void tasks_count_up_to_the_first_open_one(void **state)
{
    (void)state;
    tasks[1].phase = MODEL_FLEET_RUNNING;
    ask(&in_turn);
    assert_int_equal(answers.used, 1);
    assert_int_equal(answers.waiting, 2);
    assert_false(answers.decided);
    fleet_answers_release(&answers);
    tasks[1].phase = MODEL_FLEET_FAILED;
    ask(&in_turn);
    assert_int_equal(answers.used, TASKS - 1);
    assert_int_equal(answers.waiting, 0);
    fleet_answers_release(&answers);
}

static void nothing_is_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < TASKS; i++) {
        tasks[i].phase = MODEL_FLEET_WAITING;
    }
    ask(&by_node);
    assert_int_equal(answers.used, 0);
    assert_int_equal(answers.count, 0);
    assert_int_equal(answers.stratum_count, 0);
    assert_false(answers.decided);
    fleet_answers_release(&answers);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    enum duet_code code = DUET_E_NOMEM;
    unsigned long failed = 0;
    for (unsigned long n = 1; code != DUET_OK; n++) {
        alloc_fail_at(n);
        code = fleet_answers_make(&by_node, tasks, TASKS, &answers, &error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        failed += code != DUET_OK;
    }
    assert_true(failed > 10);
    assert_int_equal(answers.count, 3);
    fleet_answers_release(&answers);
}

#define TEST(name) cmocka_unit_test_setup(name, make_tasks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers_are_in_the_order_of_names),
        TEST(acceptances_are_of_all_tasks),
        TEST(strata_are_of_machines),
        TEST(tasks_count_up_to_the_first_open_one),
        TEST(nothing_is_in),
        TEST(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
