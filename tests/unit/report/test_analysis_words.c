/* Statistics, what was left out, families: in words and in every output. */
#include "report_samples.h"

#include "report/analysis_words.h"
#include "report/ci/ci_words.h"
#include "report/gate_words.h"
#include "report/words.h"

static const struct report_style style = {.verbosity = 1};

static void check_text(struct text *text, const char *expected)
{
    assert_string_equal(text_string(text), expected);
    text_release(text);
}

static void check_interval(enum model_interval_method method, enum model_unit unit,
                           const char *expected)
{
    struct model_comparison c = sample_slower();
    struct text text = {0};
    c.interval.method = method;
    c.interval.unit = unit;
    analysis_words_append_interval(&text, &c);
    check_text(&text, expected);
}

static void test_methods_in_words(void **state)
{
    (void)state;
    check_interval(MODEL_INTERVAL_PERCENTILE, MODEL_UNIT_RUNS,
                   "percentile bootstrap over runs");
    check_interval(MODEL_INTERVAL_BASIC, MODEL_UNIT_ASSIGNMENTS,
                   "basic bootstrap over runs of the same assignment");
    check_interval(
        MODEL_INTERVAL_BCA, MODEL_UNIT_LEVELS,
        "bias-corrected and accelerated bootstrap over runs and iterations within them");
    check_interval(MODEL_INTERVAL_STUDENTIZED, MODEL_UNIT_ITERATIONS,
                   "studentized bootstrap over values, assumed to be independent");
    check_interval(MODEL_INTERVAL_T, MODEL_UNIT_BLOCKS,
                   "Student's t over blocks of two runs");
    check_interval(MODEL_INTERVAL_T, MODEL_UNIT_RUNS, "Welch's t over runs");
    check_interval(MODEL_INTERVAL_DIFFERENCE, MODEL_UNIT_LEVELS,
                   "bootstrap of the difference of means, each side by itself");
    struct model_comparison c = sample_slower();
    struct text text = {0};
    sample_everything_asked(&c);
    c.interval.unit = MODEL_UNIT_STATIONARY;
    c.interval.block_length = 2.5;
    analysis_words_append_interval(&text, &c);
    check_text(
        &text,
        "percentile bootstrap of stationary blocks, on average 2.5 long, of the ratio of the sides' p90");
}

static void test_verdicts_in_words(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    struct text text = {0};
    sample_everything_asked(&c);
    words_append_verdict(&text, &c, false);
    check_text(&text, "unsure: p = 0.012 by Holm's rule");
    c.statistic.statistic.kind = MODEL_STATISTIC_CV;
    c.verdict = MODEL_VERDICT_SLOWER;
    words_append_verdict(&text, &c, false);
    check_text(&text, "varies more");
    c.verdict = MODEL_VERDICT_FASTER;
    words_append_verdict(&text, &c, true);
    check_text(&text, "varies less");
    c.analysis.gate.max_slowdown = (double)NAN;
    ci_append_sentence(&text, &c);
    check_text(&text,
               "compress varies less by +3.02 %, 99 % interval [+2.71 %, +3.34 %]");
    c.verdict = MODEL_VERDICT_SLOWER;
    c.gate =
        (struct model_gate_outcome){.state = MODEL_GATE_FAILED, .by_verdict = true};
    gate_words_append(&text, &c, true);
    check_text(&text, "failed: compress varies more by +3.02 % (--fail-on slower)");
}

/* More runs help against the one and not against the other. */
static void test_why_there_is_no_interval(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    struct text text = {0};
    c.verdict = MODEL_VERDICT_UNSURE;
    c.interval.low = c.interval.high = (double)NAN;
    words_append_verdict(&text, &c, false);
    check_text(&text, "unsure: too few runs");
    c.interval_refused = true;
    words_append_verdict(&text, &c, false);
    check_text(&text, "unsure: no interval");
    words_append_headline(&text, &c);
    check_text(&text, "unsure (no interval)");
    c.analysis.gate.max_slowdown = 0.03;
    c.gate = (struct model_gate_outcome){.state = MODEL_GATE_PASSED,
                                         .to_limit = MODEL_GATE_AROUND};
    gate_words_append(&text, &c, true);
    check_text(&text, "passed: compress: --max-slowdown 3% lies in no interval: the "
                      "values allow none; --fail-on unsure would fail");
}

static void test_what_was_asked_in_words(void **state)
{
    (void)state;
    struct model_comparison c[2] = {sample_slower(), sample_faster()};
    struct text text = {0};
    analysis_words_append_statistic(&text, &c[0].statistic, &style);
    analysis_words_append_dropped(&text, &c[0]);
    analysis_words_append_family(&text, c, 1, false);
    analysis_words_append_overrides(&text, &c[0]);
    check_text(&text, "");
    analysis_words_append_family(&text, c, 2, false);
    check_text(
        &text,
        "2 benchmarks judged one by one, as when measured; --multiplicity holm judges all 2 together.");
    c[0].analysis = c[0].stored = model_analysis_default();
    c[0].overridden = true;
    c[0].stored.confidence = 0.8;
    c[0].analysis.same_within = 0.01;
    analysis_words_append_overrides(&text, &c[0]);
    check_text(
        &text,
        "with --confidence 0.99 instead of the stored 0.8, --same-within 1% instead of the stored none");
    c[0].stored = c[0].analysis;
    c[0].analysis.sample_runs = 8;
    analysis_words_append_overrides(&text, &c[0]);
    check_text(&text, "with --sample-runs 8 instead of the stored all");
    sample_everything_asked(&c[0]);
    analysis_words_append_statistic(&text, &c[0].statistic, &style);
    check_text(&text, "p90: old 1.040 s [1.030 s, 1.050 s], new 1.070 s");
    c[0].statistic =
        (struct model_statistic_result){.statistic.kind = MODEL_STATISTIC_CV,
                                        .values = {0.012, 0.034},
                                        .low = {(double)NAN, 0.03},
                                        .high = {(double)NAN, 0.04}};
    analysis_words_append_statistic(&text, &c[0].statistic, &style);
    check_text(&text, "cv: old 1.2 %, new 3.4 % [3 %, 4 %]");
    analysis_words_append_dropped(&text, &c[0]);
    check_text(
        &text,
        "120 observations as warm-up, 4 observations of ten times the median or more, or paired with one");
    c[1].family = c[0].family;
    c[1].family.p_adjusted = 0;
    c[1].family.withheld = false;
    analysis_words_append_family(&text, c, 2, false);
    check_text(
        &text,
        "2 benchmarks judged together by Holm's rule; adjusted p 0.012 (compress); "
        "the intervals are those of each benchmark alone.");
    c[1].family.withheld = true;
    analysis_words_append_family(&text, c, 2, false);
    check_text(
        &text,
        "2 benchmarks judged together by Holm's rule; adjusted p 0.012 (compress), < 1e-300 (decompress); "
        "the intervals are those of each benchmark alone.");
    c[0].family.multiplicity = MODEL_MULTIPLICITY_NONE;
    analysis_words_append_family(&text, c, 2, false);
    check_text(&text, "2 benchmarks judged together without a correction: "
                      "each interval has its confidence, all together have less.");
    c[0].family.multiplicity = MODEL_MULTIPLICITY_BONFERRONI;
    analysis_words_append_family(&text, c, 1, false);
    check_text(
        &text,
        "2 benchmarks judged together by Bonferroni's rule; adjusted p 0.012 (compress); "
        "all intervals together have the confidence asked for.");
}

static void test_every_output(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct model_comparison c = sample_slower();
        struct text terminal = {0};
        struct text markdown = {0};
        struct text csv = {0};
        if (asked != 0) {
            sample_everything_asked(&c);
        }
        report_terminal(&terminal, &c, 1, NULL, &style);
        report_markdown(&markdown, &c, 1, &style);
        report_csv(&csv, &c, 1);
        const char *const in_terminal[] = {"statistic: p90", "left out: 120",
                                           "together: 2"};
        const char *const in_markdown[] = {"- Statistic: p90", "- Left out: 120",
                                           "- Together: 2"};
        const char *const in_csv[] = {"new_name,statistic,old_statistic,",
                                      ",120,4,0.0060000000000000001,interval,0.012",
                                      ",holm,2,p90 of iterations,"};
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(strstr(text_string(&terminal), in_terminal[i]) != NULL,
                             asked);
            assert_int_equal(strstr(text_string(&markdown), in_markdown[i]) != NULL,
                             asked);
            assert_int_equal(strstr(text_string(&csv), in_csv[i]) != NULL, asked);
        }
        text_release(&terminal);
        text_release(&markdown);
        text_release(&csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods_in_words),
                                       cmocka_unit_test(test_verdicts_in_words),
                                       cmocka_unit_test(test_why_there_is_no_interval),
                                       cmocka_unit_test(test_what_was_asked_in_words),
                                       cmocka_unit_test(test_every_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
