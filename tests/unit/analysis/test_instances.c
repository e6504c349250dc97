/* One value an instance: estimate, interval and verdict, fixed and at every look. */
#include "analysis/instances.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"
#include "support/alloc_fail.h"

#include <cmocka.h>

static struct analysis_instances asking(bool anytime, size_t family)
{
    return (struct analysis_instances){
        .confidence = 0.99, .family = family, .same_within = 0.01, .anytime = anytime};
}

static struct model_fleet_answer answer_of(const struct analysis_instances *question,
                                           const double *logs, size_t count)
{
    struct model_fleet_answer answer = {.name = "b"};
    struct duet_error error = {.code = DUET_OK};
    assert_int_equal(analysis_instances(question, logs, count, &answer, &error),
                     DUET_OK);
    assert_string_equal(answer.name, "b");
    return answer;
}

/* By hand: mean 0.02, sd 0.01, t(0.995, 3) = 5.840909. */
static void t_over_instances(void **state)
{
    (void)state;
    const double logs[] = {0.01, 0.03, (double)NAN, 0.03, 0.01};
    const double half = 5.8409093097 * 0.0115470053838 / 2;
    struct analysis_instances question = asking(false, 1);
    struct model_fleet_answer answer = answer_of(&question, logs, 5);
    assert_int_equal(answer.instances, 4);
    assert_int_equal(answer.failed, 1);
    assert_float_equal(answer.ratio, exp(0.02), 1e-12);
    assert_float_equal(answer.low, exp(0.02 - half), 1e-9);
    assert_float_equal(answer.high, exp(0.02 + half), 1e-9);
    assert_float_equal(answer.sd_between, 0.0115470053838, 1e-12);
    assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
    assert_true(answer.p_value > 0.01 && answer.p_value < 0.05);
    assert_true(answer.could_have_seen > 0.03);
    question.confidence = 0.9;
    assert_int_equal(answer_of(&question, logs, 5).verdict, MODEL_VERDICT_SLOWER);
}

static void families_are_more_careful(void **state)
{
    (void)state;
    const double logs[] = {0.01, 0.03, 0.02, 0.022, 0.018};
    struct analysis_instances question = asking(false, 10);
    struct model_fleet_answer answer = answer_of(&question, logs, 5);
    assert_float_equal(answer.confidence, 0.999, 1e-12);
    question.family = 1;
    assert_true(answer.low < answer_of(&question, logs, 5).low);
}

static void too_few_are_unsure(void **state)
{
    (void)state;
    const double logs[] = {0.5, (double)NAN};
    for (int anytime = 0; anytime < 2; anytime++) {
        struct analysis_instances question = asking(anytime == 1, 1);
        struct model_fleet_answer one = answer_of(&question, logs, 1);
        assert_int_equal(one.verdict, MODEL_VERDICT_UNSURE);
        assert_true(isnan(one.low) && isnan(one.high));
        assert_float_equal(one.ratio, exp(0.5), 1e-12);
        struct model_fleet_answer none = answer_of(&question, logs + 1, 1);
        assert_int_equal(none.verdict, MODEL_VERDICT_FAILED);
        assert_int_equal(none.failed, 1);
    }
    struct model_fleet_answer answer = {.ratio = 3};
    struct duet_error error = {.code = DUET_OK};
    const double odd[] = {(double)INFINITY};
    struct analysis_instances question = asking(false, 1);
    assert_int_equal(analysis_instances(&question, odd, 1, &answer, &error),
                     DUET_E_DOMAIN);
    assert_float_equal(answer.ratio, 3, 0);
}

/* Of a coarse clock. Seven are no interval, so that no change could have been seen. */
static void equal_instances_are_judged_by_their_number(void **state)
{
    (void)state;
    const double logs[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    struct analysis_instances question = asking(false, 1);
    struct model_fleet_answer answer = answer_of(&question, logs, 7);
    assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
    assert_true(isnan(answer.low) && isnan(answer.could_have_seen));
    answer = answer_of(&question, logs, 8);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
    assert_float_equal(answer.could_have_seen, 0, 0);
}

/* Eight instances are the least that decide at 99 %. */
static void bets_decide_early(void **state)
{
    (void)state;
    double logs[40];
    for (size_t i = 0; i < 40; i++) {
        logs[i] = 0.05 + 0.001 * (double)(i % 3);
    }
    struct analysis_instances question = asking(true, 1);
    assert_int_equal(answer_of(&question, logs, 7).verdict, MODEL_VERDICT_UNSURE);
    struct model_fleet_answer answer = answer_of(&question, logs, 40);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
    assert_int_equal(answer.decided_after, 8);
    assert_true(answer.p_value <= 0.01);
    for (size_t i = 0; i < 40; i++) {
        logs[i] = i % 2 == 0 ? 0.001 : -0.001;
    }
    answer = answer_of(&question, logs, 40);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SAME);
    assert_true(answer.decided_after >= 8 && answer.decided_after < 30);
}

/* Machines of another kind come later. What the first ones had excluded is no interval
 * of an estimate that lies there now. */
static void later_instances_take_it_back(void **state)
{
    (void)state;
    enum { FIRST = 12, ALL = 120 };
    double logs[ALL];
    size_t outside = 0;
    for (size_t i = 0; i < ALL; i++) {
        logs[i] = (i < FIRST ? 0.05 : -0.02) + 0.001 * (double)(i % 3);
    }
    struct analysis_instances question = asking(true, 1);
    struct model_fleet_answer answer = answer_of(&question, logs, FIRST);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
    assert_int_equal(answer.decided_after, 8);
    for (size_t count = FIRST; count <= ALL; count++) {
        answer = answer_of(&question, logs, count);
        outside += answer.ratio < answer.low || answer.ratio > answer.high;
        /* The centre of this many is below 0. */
        assert_true(count <= 3 * FIRST || answer.verdict != MODEL_VERDICT_SLOWER);
        assert_int_equal(answer.decided_after, 8);
    }
    assert_int_equal(outside, 0);
    assert_true(answer.interval_refused);
    assert_true(isnan(answer.low) && isnan(answer.high));
    assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
}

/* Of equal programs at most 1 in 100 fleets may ever end in a change. */
static void false_alarms_are_rare(void **state)
{
    (void)state;
    enum { FLEETS = 400, INSTANCES = 50 };
    struct analysis_instances question = asking(true, 1);
    question.same_within = (double)NAN;
    size_t alarms = 0;
    for (uint64_t fleet = 0; fleet < FLEETS; fleet++) {
        double logs[INSTANCES];
        struct random_stream stream = random_stream_at(23, fleet);
        for (size_t i = 0; i < INSTANCES; i++) {
            double u = random_uniform(&stream);
            double v = random_uniform(&stream);
            logs[i] = 0.02 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
        }
        alarms += answer_of(&question, logs, INSTANCES).decided_after > 0 ? 1 : 0;
    }
    assert_true(alarms <= 10); /* 4 expected at most; above 10: p < 0.003 */
}

static void memory_that_is_short(void **state)
{
    (void)state;
    const double logs[] = {0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03};
    for (int anytime = 0; anytime < 2; anytime++) {
        struct analysis_instances question = asking(anytime == 1, 1);
        struct model_fleet_answer answer = {.name = ""};
        struct duet_error error = {.code = DUET_OK};
        enum duet_code code = DUET_E_NOMEM;
        for (unsigned long at = 1; code == DUET_E_NOMEM; at++) {
            alloc_fail_at(at);
            code = analysis_instances(&question, logs, 9, &answer, &error);
            alloc_fail_at(0);
            assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_over_instances),
        cmocka_unit_test(families_are_more_careful),
        cmocka_unit_test(too_few_are_unsure),
        cmocka_unit_test(equal_instances_are_judged_by_their_number),
        cmocka_unit_test(bets_decide_early),
        cmocka_unit_test(later_instances_take_it_back),
        cmocka_unit_test(false_alarms_are_rare),
        cmocka_unit_test(memory_that_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
