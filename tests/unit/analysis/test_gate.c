/* What a gate says of verdicts and intervals. */
#include "analysis/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char today[] = "2026-06-15";

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
    analysis_gate_judge(&comparison, today);
    return comparison.gate;
}

static void test_places(void **state)
{
    (void)state;
    assert_int_equal(analysis_gate_to_limit(1.06, 1.10, 0.05), MODEL_GATE_ABOVE);
    assert_int_equal(analysis_gate_to_limit(1.01, 1.04, 0.05), MODEL_GATE_BELOW);
    assert_int_equal(analysis_gate_to_limit(1.04, 1.06, 0.05), MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_to_limit(1.05, 1.06, 0.05), MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_to_limit((double)NAN, (double)NAN, 0.05),
                     MODEL_GATE_AROUND);
    assert_int_equal(analysis_gate_to_limit((double)NAN, 1.04, 0.05), MODEL_GATE_BELOW);
    assert_int_equal(analysis_gate_to_limit(1.06, 1.10, (double)NAN),
                     MODEL_GATE_NO_LIMIT);
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
    assert_int_equal(outcome.to_limit, MODEL_GATE_BELOW);
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

/* A verdict that several benchmarks' rule took back: the limit is as open. */
static void test_a_withheld_change_fails_no_limit(void **state)
{
    (void)state;
    struct model_comparison withheld = comparison_of(MODEL_VERDICT_UNSURE, 1.03, 1.08);
    withheld.family.unshown = withheld.family.withheld = true;
    struct model_gate_outcome outcome = judge(withheld, 0, 0.02);
    assert_int_equal(outcome.state, MODEL_GATE_PASSED);
    assert_int_equal(outcome.to_limit, MODEL_GATE_ABOVE);
    assert_false(outcome.by_limit);
    outcome = judge(withheld, MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_UNSURE, 0.02);
    assert_int_equal(outcome.state, MODEL_GATE_UNSURE);
    assert_false(outcome.by_limit || outcome.by_verdict);
    assert_int_equal(judge(withheld, MODEL_FAIL_ON_UNSURE, 0.10).state,
                     MODEL_GATE_PASSED);
    /* Nor one that was no change by the band of `same`, so that none was withheld. */
    struct model_comparison within = comparison_of(MODEL_VERDICT_SAME, 1.03, 1.08);
    assert_int_equal(judge(within, 0, 0.02).state, MODEL_GATE_FAILED);
    within.family.unshown = true;
    assert_int_equal(judge(within, 0, 0.02).state, MODEL_GATE_PASSED);
}

/* For whatever reason: there is none to be seen where a bootstrap of few values was not
 * trusted. A `same` that was taken back is no such verdict. */
static void test_what_was_taken_back_fails_no_limit(void **state)
{
    (void)state;
    struct model_comparison back = comparison_of(MODEL_VERDICT_UNSURE, 1.03, 1.08);
    back.same_within = 0.01;
    for (unsigned doubt = MODEL_DOUBT_NONE; doubt <= MODEL_DOUBT_MEAN; doubt++) {
        back.doubt = (enum model_doubt)doubt;
        struct model_gate_outcome outcome = judge(back, 0, 0.02);
        assert_int_equal(outcome.state, MODEL_GATE_PASSED);
        assert_int_equal(outcome.to_limit, MODEL_GATE_ABOVE);
        assert_false(outcome.by_limit);
        assert_int_equal(judge(back, MODEL_FAIL_ON_UNSURE, 0.02).state,
                         MODEL_GATE_UNSURE);
    }
    back.same_within = 0.10;
    back.same_within_asked = true;
    assert_true(judge(back, 0, 0.02).by_limit);
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
        analysis_gate_judge(&all[i], today);
        analysis_gate_add(&all[i], &summary);
    }
    assert_int_equal(summary.state, MODEL_GATE_FAILED);
    assert_int_equal(summary.asked, 3);
    assert_int_equal(summary.passed, 1);
    assert_int_equal(summary.unsure, 1);
    assert_int_equal(summary.failed, 1);
    assert_int_equal(summary.broken, 1);
}

static struct model_comparison accepted_until(const char *until, double low,
                                              double high)
{
    struct model_comparison slower = comparison_of(MODEL_VERDICT_SLOWER, low, high);
    slower.acceptance.limit = 0.10;
    memcpy(slower.acceptance.until, until, sizeof slower.acceptance.until);
    return slower;
}

static void test_an_acceptance_holds_to_its_last_day(void **state)
{
    (void)state;
    const unsigned slower = MODEL_FAIL_ON_SLOWER;
    struct model_gate_outcome gate =
        judge(accepted_until("2026-06-15", 1.03, 1.05), slower, 0.01);
    assert_int_equal(gate.state, MODEL_GATE_PASSED);
    assert_true(gate.accepted && !gate.expired && !gate.by_verdict && !gate.by_limit);
    gate = judge(accepted_until("2026-06-14", 1.03, 1.05), slower, 0.01);
    assert_int_equal(gate.state, MODEL_GATE_FAILED);
    assert_true(!gate.accepted && gate.expired && gate.by_verdict && gate.by_limit);
    gate = judge(accepted_until("2026-06-15", 1.11, 1.15), slower, (double)NAN);
    assert_int_equal(gate.state, MODEL_GATE_FAILED);
    assert_true(gate.accepted && gate.by_limit && !gate.by_verdict);
    gate = judge(accepted_until("2026-06-15", 1.08, 1.15), slower, (double)NAN);
    assert_int_equal(gate.state, MODEL_GATE_PASSED);
    gate = judge(accepted_until("2026-06-15", 1.08, 1.15),
                 slower | MODEL_FAIL_ON_UNSURE, (double)NAN);
    assert_int_equal(gate.state, MODEL_GATE_UNSURE);
    gate = judge(accepted_until("2026-06-14", 1.08, 1.15), 0, (double)NAN);
    assert_int_equal(gate.state, MODEL_GATE_NONE);
    assert_true(gate.expired);
}

static struct model_gate_outcome confirm(struct model_comparison second,
                                         unsigned fail_on)
{
    struct model_comparison first = comparison_of(MODEL_VERDICT_SLOWER, 1.02, 1.04);
    first.ratio = 1.03;
    first.interval.confidence = second.interval.confidence = 0.99;
    first.analysis.gate.fail_on = fail_on;
    second.role = MODEL_ROLE_CONFIRMATION;
    analysis_gate_judge(&first, today);
    analysis_gate_confirm(&first, &second, today);
    return first.gate;
}

static void test_a_failure_must_recur(void **state)
{
    (void)state;
    struct model_comparison again = comparison_of(MODEL_VERDICT_SLOWER, 1.01, 1.05);
    struct model_comparison open = comparison_of(MODEL_VERDICT_UNSURE, 0.99, 1.05);
    struct model_comparison opposite = comparison_of(MODEL_VERDICT_FASTER, 0.97, 0.99);
    again.ratio = 1.03;
    open.ratio = 1.01;
    opposite.ratio = 0.98;
    struct model_gate_outcome gate = confirm(again, MODEL_FAIL_ON_SLOWER);
    assert_int_equal(gate.state, MODEL_GATE_FAILED);
    assert_int_equal(gate.confirmation, MODEL_CONFIRMED);
    assert_float_equal(gate.both_wrong, 1e-4, 1e-12);
    gate = confirm(open, MODEL_FAIL_ON_SLOWER);
    assert_int_equal(gate.state, MODEL_GATE_PASSED);
    assert_int_equal(gate.confirmation, MODEL_NOT_CONFIRMED);
    assert_int_equal(confirm(open, MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_UNSURE).state,
                     MODEL_GATE_UNSURE);
    gate = confirm(opposite, MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_FASTER);
    assert_int_equal(gate.confirmation, MODEL_NOT_CONFIRMED);
    gate = confirm(again, MODEL_FAIL_ON_FASTER); /* it has passed: nothing to confirm */
    assert_int_equal(gate.confirmation, MODEL_CONFIRMATION_NONE);
}

static void test_companions_have_no_gate(void **state)
{
    (void)state;
    struct model_comparison control = comparison_of(MODEL_VERDICT_FASTER, 0.9, 0.95);
    control.role = MODEL_ROLE_CONTROL;
    control.ratio = 0.92;
    assert_int_equal(judge(control, MODEL_FAIL_ON_FASTER, 0.05).state, MODEL_GATE_NONE);
    struct model_comparison main = comparison_of(MODEL_VERDICT_SAME, 0.99, 1.01);
    analysis_gate_judge(&main, today);
    analysis_gate_control(&main, &control);
    assert_true(main.gate.control_alarmed);
    control.verdict = MODEL_VERDICT_UNSURE;
    analysis_gate_control(&main, &control);
    assert_false(main.gate.control_alarmed);
}

static void test_what_is_identical_passes(void **state)
{
    (void)state;
    struct model_comparison identical =
        comparison_of(MODEL_VERDICT_IDENTICAL, (double)NAN, (double)NAN);
    assert_int_equal(judge(identical, MODEL_FAIL_ON_UNSURE, 0.05).state,
                     MODEL_GATE_PASSED);
    assert_int_equal(judge(identical, 0, (double)NAN).state, MODEL_GATE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_a_limit_and_a_verdict),
        cmocka_unit_test(test_unsure_of_a_limit),
        cmocka_unit_test(test_a_withheld_change_fails_no_limit),
        cmocka_unit_test(test_what_was_taken_back_fails_no_limit),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_an_acceptance_holds_to_its_last_day),
        cmocka_unit_test(test_a_failure_must_recur),
        cmocka_unit_test(test_companions_have_no_gate),
        cmocka_unit_test(test_what_is_identical_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
