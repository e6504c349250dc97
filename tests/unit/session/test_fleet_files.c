/* Names of results, what squeue says, and files of a fleet's folder that are odd. */
// link: duet_session
#include "session/fleet/fleet_result.h"
#include "session/fleet/fleet_slurm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/fleet/fleet_json.h"
#include "support/alloc_fail.h"

#include <cmocka.h>

static void names_of_results(void **state)
{
    (void)state;
    struct fleet_result_name name;
    assert_true(fleet_result_parse("0123abcd-000008-1.0-0123456789abcdef.part", &name));
    assert_int_equal(name.task, 8);
    assert_true(fleet_result_parse("0123abcd-000007-12.1-0123456789abcdef.db", &name));
    assert_string_equal(name.id, "0123abcd");
    assert_int_equal(name.task, 7);
    assert_string_equal(name.attempt, "12.1");
    assert_string_equal(name.hash, "0123456789abcdef");
    static const char *const odd[] = {
        "",
        "results.db",
        "0123abcd-000007-12.1-0123456789abcdef.db.part",
        "0123abcd-000007-12.1-0123456789abcdef",
        "0123abcd-000007-12.1-0123456789abcdef.pa",
        "0123abcd-000007-12.1-0123456789abcde.db",
        "0123abcd-000007-12.1-0123456789abcdeg.db",
        "0123abcd-000000-12.1-0123456789abcdef.db",
        "0123abcd-00000x-12.1-0123456789abcdef.db",
        "0123abcd-9999999-12.1-0123456789abcdef.db",
        "0123abcg-000007-12.1-0123456789abcdef.db",
        "123abcd-000007-12.1-0123456789abcdef.db",
        "0123abcd-000007-1/2-0123456789abcdef.db",
        "0123abcd-000007--0123456789abcdef.db",
        "0123abcd-000007-0123456789abcdef.db",
        /* 48 characters */
        ("0123abcd-000007-"
         "123456789012345678901234567890123456789012345678-0123456789abcdef.db"),
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_false(fleet_result_parse(odd[i], &name));
    }
    assert_string_equal(name.id, "0123abcd");
}

static void squeue_answers(void **state)
{
    (void)state;
    struct model_fleet_state tasks[6] = {0};
    struct fleet_survey survey = {.tasks = tasks, .count = 6};
    tasks[0].phase = MODEL_FLEET_DONE;
    tasks[1].phase = MODEL_FLEET_RUNNING;
    tasks[4].phase = MODEL_FLEET_FAILED;
    survey.phases[MODEL_FLEET_DONE] = 1;
    survey.phases[MODEL_FLEET_RUNNING] = 1;
    survey.phases[MODEL_FLEET_FAILED] = 1;
    survey.phases[MODEL_FLEET_WAITING] = 3;
    static const char answer[] =
        "7 1 RUNNING n1 None\n"       /* has its result already */
        "7 2 NODE_FAIL n2 NodeDown\n" /* and goes on in job 8 */
        "8 2 REQUEUED n2 None\n"
        "7 3 PENDING  Priority\n"
        "8 3 RUNNING n3 None\n"
        "8 4 COMPLETED n1 None\n" /* without a result */
        "8 5 FAILED n1 NonZeroExitCode\n"
        "8 99 RUNNING n1 None\n" /* no such task */
        "nonsense\n\n"
        "8 6 PENDING  launch failed requeued held";
    struct duet_error error;
    alloc_fail_at(1);
    assert_int_equal(fleet_slurm_take(answer, &survey, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(survey.phases[MODEL_FLEET_WAITING], 3);
    assert_int_equal(fleet_slurm_take(answer, &survey, &error), DUET_OK);
    static const enum model_fleet_phase expected[6] = {
        MODEL_FLEET_DONE, MODEL_FLEET_WAITING, MODEL_FLEET_RUNNING,
        MODEL_FLEET_LOST, MODEL_FLEET_FAILED,  MODEL_FLEET_WAITING};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(tasks[i].phase, expected[i]);
    }
    assert_string_equal(tasks[2].node, "n3");
    assert_string_equal(tasks[1].message, "");
    assert_string_equal(tasks[2].message, "");
    assert_string_equal(tasks[5].message, "launch failed requeued held");
    assert_int_equal(survey.phases[MODEL_FLEET_WAITING], 2);
    assert_int_equal(survey.phases[MODEL_FLEET_LOST], 1);
    struct text text = {.bytes = NULL};
    fleet_survey_list(&survey, 1U << MODEL_FLEET_LOST | 1U << MODEL_FLEET_FAILED,
                      &text);
    assert_string_equal(text_string(&text), "4-5");
    text_release(&text);
    fleet_survey_list(&survey, 1U << MODEL_FLEET_WAITING, &text);
    assert_string_equal(text_string(&text), "2,6");
    text_release(&text);
}

/* ---- Plans ---- */

static struct model_fleet_plan make_plan(void)
{
    struct model_fleet_plan plan = {.id = "0123456789abcdef0123456789abcdef",
                                    .suite = strdup("files/s \"x\".yaml"),
                                    .folder = strdup("files"),
                                    .suite_sha256 = "ab",
                                    .tasks = 3,
                                    .runs = 2,
                                    .seed = UINT64_MAX,
                                    .engine = MODEL_FLEET_SLURM,
                                    .instance = MODEL_FLEET_BY_NODE,
                                    .until_decided = true,
                                    .confidence = 0.99,
                                    .same_within = 0.01,
                                    .limit = 4,
                                    .created_utc_ms = 5,
                                    .version = "1"};
    struct duet_error error;
    assert_int_equal(model_words_add(&plan.options, "--old=a\nb", &error), DUET_OK);
    assert_int_equal(model_words_add(&plan.sbatch, "--time=3", &error), DUET_OK);
    return plan;
}

/* template: becomes the file's path. */
static void make_file(char *template, const char *bytes)
{
    int file = mkstemp(template);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    (void)close(file);
}

static enum duet_code read_text(const char *bytes, struct model_fleet_plan *plan,
                                struct duet_error *error)
{
    char path[] = "/tmp/duet-fleet-XXXXXX";
    make_file(path, bytes);
    enum duet_code code = formats_fleet_plan_read(path, plan, error);
    (void)unlink(path);
    return code;
}

static void plans_come_back(void **state)
{
    (void)state;
    struct model_fleet_plan plan = make_plan();
    struct model_fleet_plan again;
    struct text text = {.bytes = NULL};
    struct text second = {.bytes = NULL};
    struct duet_error error;
    assert_int_equal(formats_fleet_plan_write(&plan, &text, &error), DUET_OK);
    assert_int_equal(read_text(text_string(&text), &again, &error), DUET_OK);
    assert_int_equal(formats_fleet_plan_write(&again, &second, &error), DUET_OK);
    assert_string_equal(text_string(&text), text_string(&second));
    assert_int_equal(again.seed, UINT64_MAX);
    assert_string_equal(again.options.list[0], "--old=a\nb");
    assert_null(again.options.list[1]); /* as argv ends */
    model_fleet_plan_release(&again);
    free(plan.suite);
    plan.suite = strdup("\xff.yaml");
    assert_int_equal(formats_fleet_plan_write(&plan, &text, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "not UTF-8"));
    model_fleet_plan_release(&plan);
    text_release(&text);
    text_release(&second);
}

static void short_memory_and_odd_plans(void **state)
{
    (void)state;
    struct model_fleet_plan plan = make_plan();
    struct model_fleet_plan again;
    struct text text = {.bytes = NULL};
    struct duet_error error;
    assert_int_equal(formats_fleet_plan_write(&plan, &text, &error), DUET_OK);
    model_fleet_plan_release(&plan);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long at = 1; code == DUET_E_NOMEM; at++) {
        alloc_fail_at(at);
        code = read_text(text_string(&text), &again, &error);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    model_fleet_plan_release(&again);
    static const char *const odd[] = {"{}", "[]", "{\"schema_version\": 1}", "nothing",
                                      "{\"schema_version\": \"1\"}"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_int_equal(read_text(odd[i], &again, &error), DUET_E_FORMAT);
    }
    assert_int_equal(read_text("{\"schema_version\": 2}", &again, &error),
                     DUET_E_VERSION);
    text_release(&text);
}

/* ---- States ---- */

static enum duet_code read_state(const char *bytes, struct model_fleet_state *state,
                                 struct duet_error *error)
{
    char path[] = "/tmp/duet-fleet-XXXXXX";
    make_file(path, bytes);
    enum duet_code code = formats_fleet_state_read(path, state, error);
    (void)unlink(path);
    return code;
}

static void states_come_back(void **state)
{
    (void)state;
    char names[3][8] = {"failed", "twin", "sum"};
    struct model_fleet_ratio ratios[3] = {
        {.name = names[0], .log_ratio = (double)NAN, .old_ns = (double)NAN},
        {.name = names[1], .old_ns = (double)NAN, .identical = true},
        {.name = names[2], .log_ratio = 0.25, .old_ns = 100.0}};
    const struct model_fleet_state written = {
        .task = 2, .attempt = "7.0", .ratios = ratios, .ratio_count = 3};
    struct model_fleet_state again;
    struct text text = {.bytes = NULL};
    struct duet_error error;
    assert_int_equal(formats_fleet_state_write(&written, &text, &error), DUET_OK);
    assert_int_equal(read_state(text_string(&text), &again, &error), DUET_OK);
    assert_int_equal(again.ratio_count, 3);
    assert_true(isnan(again.ratios[0].log_ratio) && !again.ratios[0].identical);
    assert_true(again.ratios[1].identical && isnan(again.ratios[1].old_ns));
    assert_true(again.ratios[2].log_ratio == 0.25 && !again.ratios[2].identical);
    model_fleet_state_release(&again);
    text_release(&text);
    /* As it was written before there was such a benchmark. */
    static const char old[] =
        "{\"schema_version\": 1, \"task\": 1, \"attempt\": \"1\", \"phase\": "
        "\"done\", \"node\": \"\", \"cpu_model\": \"\", \"instance\": \"\", "
        "\"began_utc_ms\": 0, \"ended_utc_ms\": 1, \"result\": \"a\", \"message\": "
        "\"\", \"ratios\": [{\"name\": \"sum\", \"log_ratio\": 0.0, \"old_ns\": "
        "null}]}";
    assert_int_equal(read_state(old, &again, &error), DUET_OK);
    assert_false(again.ratios[0].identical);
    model_fleet_state_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_results),
        cmocka_unit_test(squeue_answers),
        cmocka_unit_test(plans_come_back),
        cmocka_unit_test(short_memory_and_odd_plans),
        cmocka_unit_test(states_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
