/* Tests of two groups in every output; without one, nothing of them. */
#include "report_samples.h"

#include "report/test_words.h"

static const struct model_test_result ranksum = {.test = MODEL_TEST_RANKSUM,
                                                 .change = true,
                                                 .p_value = 0.00213,
                                                 .exact = true,
                                                 .delta = 0.6,
                                                 .delta_low = 0.25,
                                                 .delta_high = 0.81,
                                                 .magnitude = "large",
                                                 .confidence = 0.95};

static struct model_test_result overlap(void)
{
    return (struct model_test_result){.test = MODEL_TEST_OVERLAP,
                                      .p_value = (double)NAN,
                                      .delta = (double)NAN,
                                      .delta_low = (double)NAN,
                                      .delta_high = (double)NAN,
                                      .confidence = 0.95,
                                      .low_ns = {1.01e9, 1.02e9},
                                      .high_ns = {1.03e9, 1.04e9}};
}

static void check_words(const struct model_test_result *result, const char *expected)
{
    const struct report_style style = {.verbosity = 1};
    struct text text = {0};
    test_words_append(&text, result, &style);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void test_words(void **state)
{
    (void)state;
    struct model_test_result result = ranksum;
    check_words(
        &result,
        "Wilcoxon rank-sum p = 0.0021 (exact); Cliff's delta +0.60 [+0.25, +0.81] (large): "
        "a change (p <= 0.05 and |delta| >= 0.33).");
    result.p_value = 0;
    result.exact = false;
    result.change = false;
    result.delta_low = (double)NAN;
    check_words(&result, "Wilcoxon rank-sum p < 1e-300; Cliff's delta +0.60 (large): "
                         "no change (p <= 0.05 and |delta| >= 0.33).");
    result = overlap();
    check_words(
        &result,
        "the 95 % intervals of the means, old [1.010 s, 1.030 s] and new [1.020 s, 1.040 s], overlap: "
        "no change.");
    check_words(&(struct model_test_result){.test = MODEL_TEST_NONE}, "");
}

static void test_every_output(void **state)
{
    (void)state;
    struct model_comparison comparison = sample_slower();
    const struct report_style style = {.verbosity = 1};
    for (int asked = 0; asked < 2; asked++) {
        struct text terminal = {0};
        struct text markdown = {0};
        struct text csv = {0};
        if (asked != 0) {
            comparison.test = ranksum;
        }
        report_terminal(&terminal, &comparison, 1, NULL, &style);
        report_markdown(&markdown, &comparison, 1, &style);
        report_csv(&csv, &comparison, 1);
        json_t *json = report_json_comparison(&comparison);
        const json_t *test = json_object_get(json, "test");
        assert_int_equal(strstr(text_string(&terminal), "test:") != NULL, asked);
        assert_int_equal(strstr(text_string(&markdown), "- Test: ") != NULL, asked);
        assert_int_equal(strstr(text_string(&csv), ",magnitude\r\n") != NULL, asked);
        assert_int_equal(test != NULL, asked);
        if (asked != 0) {
            assert_string_equal(json_string_value(json_object_get(test, "magnitude")),
                                "large");
            assert_true(json_is_true(json_object_get(test, "change")));
        }
        json_decref(json);
        text_release(&terminal);
        text_release(&markdown);
        text_release(&csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_every_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
