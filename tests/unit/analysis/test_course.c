/* The course of a comparison: runs in order, looks, e-values. */
#include "analysis_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct data slower = {
    .runs = 24, .iterations = 5, .ratio = 1.05, .backwards = true};

static struct model_trace trace_of(bool paired, struct data data)
{
    const struct model_analysis options = model_analysis_default();
    struct analysis *analysis = data_analysis(&options, paired, data);
    struct model_trace trace = {.paired = paired};
    assert_int_equal(analysis_trace(analysis, &trace, NULL), DUET_OK);
    analysis_free(analysis);
    return trace;
}

static void runs_are_in_order(void **state)
{
    (void)state;
    struct model_trace trace = trace_of(true, slower);
    assert_int_equal(trace.run_count, 24);
    for (size_t i = 0; i < trace.run_count; i++) {
        const struct model_trace_run *run = &trace.runs[i];
        assert_int_equal(run->run, i);
        assert_true(fabs(run->ratio / 1.05 - 1) < 0.01);
        double ratio = run->typical_ns[MODEL_NEW] / run->typical_ns[MODEL_OLD];
        assert_true(fabs(ratio / run->ratio - 1) < 0.01);
        assert_true(isnan(run->taken_ratio[MODEL_OLD]));
    }
    model_trace_release(&trace);
    assert_null(trace.runs);
}

/* The money of two gamblers who bet on the contrary: one's gain is the other's loss. */
static void evidence_grows_with_each_block(void **state)
{
    (void)state;
    struct model_trace trace = trace_of(true, slower);
    double confidence = model_analysis_default().confidence;
    assert_int_equal(trace.look_count, 12);
    assert_true(fabs(trace.threshold - 2 / (1 - confidence)) < 1e-9);
    for (size_t i = 0; i < trace.look_count; i++) {
        const struct model_trace_look *look = &trace.looks[i];
        double before = i == 0 ? 1 : trace.looks[i - 1].slower;
        assert_int_equal(look->runs, 2);
        assert_true(fabs(look->ratio / 1.05 - 1) < 0.01);
        assert_true(look->slower > before && look->slower <= 2 * before);
        assert_true(look->faster < (i == 0 ? 1 : trace.looks[i - 1].faster));
    }
    assert_true(trace.looks[11].slower > trace.threshold);
    model_trace_release(&trace);
}

/* What decides by the e-value decides by the p value, and the other way round. */
static void evidence_agrees_with_the_p_value(void **state)
{
    (void)state;
    const struct data data = {.runs = 24, .iterations = 5, .ratio = 1.0005};
    struct model_analysis options = model_analysis_default();
    options.interval = MODEL_INTERVAL_ANYTIME;
    options.interval_asked = true;
    struct analysis *analysis = data_analysis(&options, true, data);
    struct model_comparison answer = {.schedule = MODEL_SCHEDULE_DUET};
    struct model_trace trace = {.paired = true};
    assert_int_equal(analysis_conclude(analysis, &answer, NULL), DUET_OK);
    assert_int_equal(analysis_trace(analysis, &trace, NULL), DUET_OK);
    double best = 1;
    for (size_t i = 0; i < trace.look_count; i++) {
        best = fmax(best, fmax(trace.looks[i].slower, trace.looks[i].faster));
    }
    assert_int_equal(answer.p_value_method, MODEL_P_VALUE_ANYTIME);
    assert_true(fabs(fmin(1, 2 / best) - answer.p_value) < 1e-9);
    model_trace_release(&trace);
    analysis_free(analysis);
}

static void sides_apart_have_no_looks(void **state)
{
    (void)state;
    struct model_trace trace = trace_of(false, slower);
    assert_int_equal(trace.run_count, 24);
    assert_int_equal(trace.look_count, 0);
    assert_true(isnan(trace.threshold));
    assert_true(isnan(trace.runs[0].ratio));
    assert_true(trace.runs[0].typical_ns[MODEL_OLD] > 1e5);
    model_trace_release(&trace);
}

static void no_run_is_an_error(void **state)
{
    (void)state;
    const struct model_analysis options = model_analysis_default();
    struct analysis *analysis = NULL;
    struct model_trace trace = {.paired = true};
    assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
    assert_int_equal(analysis_trace(analysis, &trace, NULL), DUET_E_TOO_FEW);
    analysis_free(analysis);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const struct model_analysis options = model_analysis_default();
    struct analysis *analysis = data_analysis(&options, true, slower);
    struct model_trace trace = {.paired = true};
    alloc_fail_at(0);
    assert_int_equal(analysis_trace(analysis, &trace, NULL), DUET_OK);
    unsigned long total = alloc_fail_seen();
    model_trace_release(&trace);
    for (unsigned long n = 1; n <= total; n++) {
        struct model_trace failed = {.paired = true};
        alloc_fail_at(n);
        assert_int_equal(analysis_trace(analysis, &failed, NULL), DUET_E_NOMEM);
        alloc_fail_at(0);
        model_trace_release(&failed);
    }
    analysis_free(analysis);
}

/* Student's t over blocks, which are all alike but for the ratio: surely apart after a
 * few, whatever the bets say, and nothing with a single block. */
static void suspicion_is_there_before_the_evidence(void **state)
{
    (void)state;
    const struct model_analysis options = model_analysis_default();
    const struct data one_block = {.runs = 2, .iterations = 5, .ratio = 1.05};
    const struct data few = {.runs = 8, .iterations = 5, .ratio = 1.05};
    const struct data alike = {.runs = 8, .iterations = 5, .ratio = 1.0};
    const struct data *const all[] = {&one_block, &few, &alike};
    double p[3];
    for (size_t i = 0; i < 3; i++) {
        struct analysis *analysis = data_analysis(&options, true, *all[i]);
        assert_int_equal(analysis_suspicion(analysis, &p[i], NULL), DUET_OK);
        analysis_free(analysis);
    }
    assert_true(p[0] >= 1.0); /* nothing to tell a spread from */
    assert_true(p[1] < 0.01);
    assert_true(p[2] > p[1] && p[2] <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_in_order),
        cmocka_unit_test(evidence_grows_with_each_block),
        cmocka_unit_test(evidence_agrees_with_the_p_value),
        cmocka_unit_test(suspicion_is_there_before_the_evidence),
        cmocka_unit_test(sides_apart_have_no_looks),
        cmocka_unit_test(no_run_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
