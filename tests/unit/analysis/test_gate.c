/* What a gate says of verdicts and intervals. */
#include "analysis/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct model_comparison comparison_of(enum model_verdict verdict, double low,
                                             double high)
{
    struct model_comparison comparison = {.verdict = verdict,
                                          .interval = {.low = low, .high = high},
                                          .analysis = model_analysis_default()};
    return comparison;
}

static struct model_gate_outcome judge(struct model_comparison comparison,
                                       unsigned fail_on, double max_slowdown)
{
    comparison.analysis.gate.fail_on = fail_on;
    comparison.analysis.gate.max_slowdown = max_slowdown;
    analysis_gate_judge(&comparison);
    return comparison.gate;
}

static void test_places(void **state)
{
    (void)state;
    assert_int_equal(analysis_gate_place(1.06, 1.10, 0.05), MODEL_GATE_ABOVE);
    assert_int_equal(analysis_gate_place(1.01, 1.04, 0.05), MODEL_GATE_BELOW);
    assert_int_equal(analysis_gate_place(1.04, 1.06, 0.05), MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_place(1.05, 1.06, 0.05), MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_place((double)NAN, (double)NAN, 0.05),
                     MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_place((double)NAN, 1.04, 0.05), MODEL_GATE_BELOW);
    assert_int_equal(analysis_gate_place(1.06, 1.10, (double)NAN), MODEL_GATE_NO_LIMIT);
}

static void test_verdicts(void **state)
{
    (void)state;
    struct model_comparison slower = comparison_of(MODEL_VERDICT_SLOWER, 1.01, 1.03);
    struct model_comparison faster = comparison_of(MODEL_VERDICT_FASTER, 0.97, 0.99);
    struct model_comparison unsure = comparison_of(MODEL_VERDICT_UNSURE, 0.97, 1.04);
    struct model_comparison same = comparison_of(MODEL_VERDICT_SAME, 0.999, 1.001);
    const struct {
        const struct model_comparison *comparison;
        unsigned fail_on;
        enum model_gate_state state;
    } cases[] = {
        {&slower, 0, MODEL_GATE_NONE},
        {&slower, MODEL_FAIL_ON_SLOWER, MODEL_GATE_FAILED},
        {&slower, MODEL_FAIL_ON_FASTER | MODEL_FAIL_ON_UNSURE, MODEL_GATE_PASSED},
        {&faster, MODEL_FAIL_ON_FASTER, MODEL_GATE_FAILED},
        {&faster, MODEL_FAIL_ON_SLOWER, MODEL_GATE_PASSED},
        {&unsure, MODEL_FAIL_ON_UNSURE, MODEL_GATE_UNSURE},
        {&unsure, MODEL_FAIL_ON_SLOWER, MODEL_GATE_PASSED},
        {&same, MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_UNSURE, MODEL_GATE_PASSED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_gate_outcome outcome =
            judge(*cases[i].comparison, cases[i].fail_on, (double)NAN);
        assert_int_equal(outcome.state, cases[i].state);
        assert_int_equal(outcome.by_verdict, cases[i].state > MODEL_GATE_PASSED);
        assert_false(outcome.by_limit);
    }
}

static void test_a_limit_and_a_verdict(void **state)
{
    (void)state;
    struct model_comparison slower = comparison_of(MODEL_VERDICT_SLOWER, 1.016, 1.022);
    struct model_gate_outcome outcome = judge(slower, 0, 0.05);
    assert_int_equal(outcome.state, MODEL_GATE_PASSED);
    assert_int_equal(outcome.place, MODEL_GATE_BELOW);
    /* Either may fail it, and which one is known. */
    outcome = judge(slower, MODEL_FAIL_ON_SLOWER, 0.05);
    assert_int_equal(outcome.state, MODEL_GATE_FAILED);
    assert_true(outcome.by_verdict && !outcome.by_limit);
    outcome = judge(slower, MODEL_FAIL_ON_FASTER, 0.01);
    assert_int_equal(outcome.state, MODEL_GATE_FAILED);
    assert_true(!outcome.by_verdict && outcome.by_limit);
    outcome = judge(slower, MODEL_FAIL_ON_SLOWER, 0.01);
    assert_true(outcome.by_verdict && outcome.by_limit);
}

static void test_unsure_of_a_limit(void **state)
{
    (void)state;
    struct model_comparison slower = comparison_of(MODEL_VERDICT_SLOWER, 1.01, 1.08);
    struct model_comparison unsure = comparison_of(MODEL_VERDICT_UNSURE, 0.97, 1.04);
    struct model_comparison nothing =
        comparison_of(MODEL_VERDICT_UNSURE, (double)NAN, (double)NAN);
    assert_int_equal(judge(slower, 0, 0.05).state, MODEL_GATE_PASSED);
    assert_int_equal(judge(slower, MODEL_FAIL_ON_UNSURE, 0.05).state,
                     MODEL_GATE_UNSURE);
    assert_int_equal(judge(unsure, MODEL_FAIL_ON_UNSURE, 0.05).state,
                     MODEL_GATE_PASSED);
    assert_int_equal(judge(nothing, MODEL_FAIL_ON_UNSURE, 0.05).state,
                     MODEL_GATE_UNSURE);
    assert_int_equal(judge(nothing, 0, 0.05).state, MODEL_GATE_PASSED);
}

static void test_several(void **state)
{
    (void)state;
    struct model_comparison all[] = {
        comparison_of(MODEL_VERDICT_SAME, 0.99, 1.01),
        comparison_of(MODEL_VERDICT_UNSURE, 0.9, 1.1),
        comparison_of(MODEL_VERDICT_SLOWER, 1.1, 1.2),
        comparison_of(MODEL_VERDICT_FAILED, (double)NAN, (double)NAN)};
    struct model_gate_summary summary = {.state = MODEL_GATE_NONE};
    for (size_t i = 0; i < 4; i++) {
        all[i].analysis.gate.fail_on = MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_UNSURE;
        analysis_gate_judge(&all[i]);
        analysis_gate_add(&all[i], &summary);
    }
    assert_int_equal(summary.state, MODEL_GATE_FAILED);
    assert_int_equal(summary.asked, 3);
    assert_int_equal(summary.passed, 1);
    assert_int_equal(summary.unsure, 1);
    assert_int_equal(summary.failed, 1);
    assert_int_equal(summary.broken, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places), cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_a_limit_and_a_verdict),
        cmocka_unit_test(test_unsure_of_a_limit), cmocka_unit_test(test_several)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
