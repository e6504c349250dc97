// labels: soakvalgrind
/* What CI systems and trackers read: golden files, hostile names, limits of size. */
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "support/alloc_fail.h"
#include "unit/report/report_samples.h"

enum { MANY = 3000 };

static void gate(struct model_comparison *comparison, enum model_gate_state state,
                 enum model_gate_to_limit to_limit)
{
    comparison->analysis.gate.max_slowdown =
        to_limit == MODEL_GATE_NO_LIMIT ? (double)NAN : 0.02;
    comparison->gate = (struct model_gate_outcome){
        .state = state,
        .to_limit = to_limit,
        .by_verdict = state == MODEL_GATE_FAILED && to_limit == MODEL_GATE_NO_LIMIT,
        .by_limit = to_limit == MODEL_GATE_ABOVE};
}

enum { SAMPLES = 6 };

/* One of each kind, the best first. */
static struct ci_report sample_report(struct model_comparison *samples)
{
    samples[0] = sample_same();
    samples[1] = sample_faster();
    samples[2] = sample_unsure();
    samples[3] = sample_slower();
    samples[4] = sample_slower();
    samples[5] = sample_failed();
    static const double took_s[SAMPLES] = {0, 0.056, 0.001, 33.168, 33.168, 0};
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i].analysis.gate.max_slowdown = (double)NAN;
        samples[i].took_s = took_s[i];
    }
    (void)snprintf(samples[4].name, sizeof samples[4].name, "small");
    samples[4].ratio = 1.0102;
    samples[4].interval.low = 1.0081;
    samples[4].interval.high = 1.0124;
    return (struct ci_report){.name = "speed of a|b",
                              .comparisons = samples,
                              .count = SAMPLES,
                              .took_s = 66.393,
                              .started_utc_s = 1700000000};
}

static void every_format_golden(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    struct text text = {0};
    ci_append_junit(&text, &report);
    assert_golden(&text, "ci_junit.xml");
    ci_append_openmetrics(&text, &report);
    assert_golden(&text, "ci_openmetrics.txt");
    ci_append_annotations(&text, &report);
    ci_append_outputs(&text, &report, "a folder/comment.md");
    assert_golden(&text, "ci_github.txt");
    ci_append_comment(&text, &report, CI_COMMENT_BYTES);
    assert_golden(&text, "ci_comment.md");
}

static void gates_golden(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    struct text text = {0};
    gate(&samples[0], MODEL_GATE_PASSED, MODEL_GATE_NO_LIMIT);
    gate(&samples[1], MODEL_GATE_PASSED, MODEL_GATE_BELOW);
    gate(&samples[2], MODEL_GATE_UNSURE, MODEL_GATE_AROUND);
    gate(&samples[3], MODEL_GATE_FAILED, MODEL_GATE_ABOVE);
    gate(&samples[4], MODEL_GATE_PASSED, MODEL_GATE_BELOW);
    ci_append_junit(&text, &report);
    ci_append_annotations(&text, &report);
    ci_append_comment(&text, &report, CI_COMMENT_BYTES);
    assert_golden(&text, "ci_gated.txt");
}

static void assert_outcome(const struct ci_report *report, const char *expected)
{
    struct text text = {0};
    const struct ci_counts counts = ci_count(report);
    ci_append_outcome(&text, &counts);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

/* A slowdown that no gate is asked about fails none. */
static void gates_are_counted(void **state)
{
    (void)state;
    struct model_comparison samples[] = {sample_slower(), sample_slower(),
                                         sample_same()};
    const struct ci_report report = {
        .name = "duet", .comparisons = samples, .count = 3};
    samples[0].analysis.gate.max_slowdown = (double)NAN;
    gate(&samples[1], MODEL_GATE_FAILED, MODEL_GATE_NO_LIMIT);
    gate(&samples[2], MODEL_GATE_PASSED, MODEL_GATE_NO_LIMIT);
    assert_outcome(&report, "gate failed: 1 of 3 benchmarks");
    gate(&samples[1], MODEL_GATE_PASSED, MODEL_GATE_BELOW);
    assert_outcome(&report, "gate passed: 2 benchmarks, 1 without a gate");
    gate(&samples[0], MODEL_GATE_PASSED, MODEL_GATE_BELOW);
    assert_outcome(&report, "gate passed: 3 benchmarks");
}

static void json_golden(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    json_t *const documents[] = {ci_bencher(&report), ci_github_benchmark(&report)};
    static const char *const names[] = {"ci_bencher.json", "ci_github_benchmark.json"};
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        struct text text = {0};
        assert_non_null(documents[i]);
        char *bytes = json_dumps(documents[i], JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        assert_non_null(bytes);
        text_append(&text, bytes);
        text_append_char(&text, '\n');
        free(bytes);
        json_decref(documents[i]);
        assert_golden(&text, names[i]);
    }
}

/* A number is all that a reader of metrics takes. */
static void an_extreme_ratio_is_a_number(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    struct text text = {0};
    samples[3].ratio = 250000.0;
    samples[3].interval.low = 249000.0;
    samples[3].interval.high = 251000.0;
    report.comparisons = &samples[3];
    report.count = 1;
    ci_append_openmetrics(&text, &report);
    const char *line = strstr(text_string(&text), "\nduet_ratio_compress ");
    assert_non_null(line);
    char *end = NULL;
    double ratio = strtod(line + strlen("\nduet_ratio_compress "), &end);
    assert_true(ratio > 249999.0 && ratio < 250001.0);
    assert_int_equal(*end, '\n');
    text_release(&text);
    samples[3].ratio = 5e-8; /* what was optimized away altogether */
    samples[3].interval.low = 4.9e-8;
    samples[3].interval.high = 5.1e-8;
    ci_append_openmetrics(&text, &report);
    assert_non_null(strstr(text_string(&text), "\nduet_ratio_compress 5e-08\n"));
    text_release(&text);
    samples[3].verdict = MODEL_VERDICT_FASTER;
    ci_append_sentence(&text, &samples[3]);
    assert_non_null(strstr(text_string(&text), "-100.0000 % (below ×0.00001), "));
    text_release(&text);
    report_markdown(&text, &samples[3], 1, &(struct report_style){.unicode = true});
    assert_non_null(strstr(text_string(&text), " | below 0.00001 | "));
    text_release(&text);
}

/* Nothing in a name ends an element, a property, a comment, a cell or a line. */
static void hostile_names_stay_names(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    report.name = "--> <b>, ::error::\n@all `x`";
    for (size_t i = 0; i < SAMPLES; i++) {
        (void)snprintf(samples[i].name, sizeof samples[i].name,
                       "</testcase>]]>\"&\x01\xFF|`\n::error::x @me \\%s", "%0A,:");
    }
    struct text text = {0};
    struct text comment = {0};
    ci_append_junit(&text, &report);
    assert_null(strstr(text_string(&text), "</testcase>]]>"));
    ci_append_openmetrics(&text, &report);
    ci_append_annotations(&text, &report);
    ci_append_comment(&comment, &report, CI_COMMENT_BYTES);
    const char *shown = text_string(&comment);
    assert_memory_equal(shown, "<!-- duet:_-_", 13);
    assert_null(strstr(shown, "@all `")); /* "@<!-- -->all" */
    text_append(&text, shown);
    text_release(&comment);
    shown = text_string(&text);
    assert_null(strstr(shown, "\n::error::x"));
    assert_null(strchr(shown, '\x01'));
    assert_null(strchr(shown, '\xFF'));
    assert_golden(&text, "ci_hostile.txt");
}

/* Names occur once, in every format that has a place for each. */
static void equal_names_are_numbered(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    for (size_t i = 0; i < SAMPLES; i++) {
        (void)snprintf(samples[i].name, sizeof samples[i].name, "%s",
                       i == 2 ? "zip (2)" : "zip");
    }
    struct text text = {0};
    ci_append_junit(&text, &report);
    for (size_t i = 1; i < SAMPLES; i++) {
        struct text name = {0};
        text_append_format(&name, i == 1 ? " name=\"zip\"" : " name=\"zip (%zu)\"", i);
        const char *first = strstr(text_string(&text), text_string(&name));
        assert_non_null(first);
        assert_null(strstr(first + 1, text_string(&name)));
        text_release(&name);
    }
    text_release(&text);
    json_t *document = ci_bencher(&report);
    assert_int_equal(json_object_size(document), SAMPLES - 1); /* without the failed */
    json_decref(document);
}

static size_t names_made;

static void append_counted(struct text *text, const char *name)
{
    names_made++;
    ci_name_shown(text, name);
}

/* Numbers are not tried again from the first for each of them. */
static void many_equal_names(void **state)
{
    (void)state;
    struct model_comparison *samples = calloc(MANY, sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < MANY; i++) {
        samples[i] = sample_slower();
        (void)snprintf(samples[i].name, sizeof samples[i].name, "%s",
                       i % 2 == 0 ? "zip" : "tar");
    }
    struct ci_report report = {.name = "duet", .comparisons = samples, .count = MANY};
    names_made = 0;
    char **names = ci_names_new(&report, append_counted);
    assert_non_null(names);
    assert_true(names_made <= (size_t)3 * MANY);
    assert_string_equal(names[0], "zip");
    assert_string_equal(names[1], "tar");
    for (size_t i = 2; i < MANY; i++) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "%s (%zu)",
                       i % 2 == 0 ? "zip" : "tar", i / 2 + 1);
        assert_string_equal(names[i], expected);
    }
    ci_names_free(names, MANY);
    free(samples);
}

/* However many benchmarks, the comment stays below its limit and says what is left out.
 * The worst is always there. */
static void comments_fit(void **state)
{
    (void)state;
    static const size_t limits[] = {4096, 5000, 20000, CI_COMMENT_BYTES};
    struct model_comparison *samples = calloc(MANY, sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < MANY; i++) {
        samples[i] = i % 3 == 0 ? sample_unsure() : sample_slower();
        samples[i].analysis.gate.max_slowdown = (double)NAN;
        (void)snprintf(samples[i].name, sizeof samples[i].name, "benchmark %zu", i);
    }
    samples[MANY - 2].ratio = 2;
    samples[MANY - 2].verdict = MODEL_VERDICT_SLOWER;
    struct ci_report report = {.name = "duet", .comparisons = samples, .count = MANY};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct text text = {0};
        ci_append_comment(&text, &report, limits[i]);
        assert_false(text_failed(&text));
        assert_true(text.length < limits[i]);
        assert_non_null(strstr(text_string(&text), "benchmark 2998"));
        assert_non_null(strstr(text_string(&text), "Left out to stay below"));
        text_release(&text);
    }
    free(samples);
}

static void one_row_is_no_rows(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    struct model_comparison samples[COUNT];
    struct ci_report report = {.name = "duet", .comparisons = samples, .count = COUNT};
    size_t said = 0;
    for (size_t i = 0; i < COUNT; i++) {
        samples[i] = sample_slower();
        samples[i].analysis.gate.max_slowdown = (double)NAN;
        (void)snprintf(samples[i].name, sizeof samples[i].name, "%0200zu", i);
    }
    for (size_t limit = 4096; limit < 8192; limit += 100) {
        struct text text = {0};
        ci_append_comment(&text, &report, limit);
        said += strstr(text_string(&text), ": 1 row of the table, ") != NULL;
        assert_null(strstr(text_string(&text), " 1 rows "));
        text_release(&text);
    }
    assert_true(said > 0);
}

/* Each request for memory fails once: the text has failed, or is whole. */
static void short_memory_is_told(void **state)
{
    (void)state;
    struct model_comparison samples[SAMPLES];
    struct ci_report report = sample_report(samples);
    unsigned long total = 0;
    for (unsigned long n = 0; n <= total; n++) {
        struct text text = {0};
        alloc_fail_at(n);
        ci_append_junit(&text, &report);
        ci_append_openmetrics(&text, &report);
        ci_append_annotations(&text, &report);
        ci_append_comment(&text, &report, CI_COMMENT_BYTES);
        bool reached = alloc_fail_seen() >= n;
        total = n == 0 ? alloc_fail_seen() : total;
        alloc_fail_at(0);
        assert_true(n == 0 || !reached || text_failed(&text));
        text_release(&text);
    }
    assert_true(total > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_golden),
        cmocka_unit_test(gates_golden),
        cmocka_unit_test(gates_are_counted),
        cmocka_unit_test(json_golden),
        cmocka_unit_test(an_extreme_ratio_is_a_number),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(equal_names_are_numbered),
        cmocka_unit_test(many_equal_names),
        cmocka_unit_test(comments_fit),
        cmocka_unit_test(one_row_is_no_rows),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
