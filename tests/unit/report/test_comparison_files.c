/* CSV and Markdown. */
#include "unit/report/report_samples.h"

static struct model_comparison awkward(void)
{
    struct model_comparison c = sample_few();
    (void)snprintf(c.name, sizeof c.name, "say \"hi\", then\nleave");
    (void)snprintf(c.side_names[MODEL_OLD], sizeof c.side_names[MODEL_OLD],
                   "cat a | wc -l");
    (void)snprintf(c.side_names[MODEL_NEW], sizeof c.side_names[MODEL_NEW],
                   "echo `date` | tr \xFF *");
    return c;
}

static void csv_golden(void **state)
{
    (void)state;
    struct model_comparison comparisons[] = {sample_slower(), awkward()};
    struct text text = {0};
    struct text lines = {0};
    report_csv(&text, comparisons, 2);
    /* Stored with this system's line ends; the next test looks at the real ones. */
    for (const char *s = text_string(&text); *s != '\0'; s++) {
        if (*s != '\r') {
            text_append_char(&lines, *s);
        }
    }
    text_release(&text);
    assert_golden(&lines, "comparisons.csv");
}

/* The fields of the record that starts at `bytes`, by RFC 4180's grammar. */
static size_t csv_fields(const char *bytes, const char **ret_end)
{
    size_t fields = 1;
    bool quoted = false;
    for (; *bytes != '\0'; bytes++) {
        if (*bytes == '"') {
            quoted = !quoted;
        } else if (!quoted && *bytes == ',') {
            fields++;
        } else if (!quoted && *bytes == '\r') {
            assert_int_equal(bytes[1], '\n');
            bytes += 2;
            break;
        } else if (!quoted) {
            assert_int_not_equal(*bytes, '\n');
        }
    }
    *ret_end = bytes;
    return fields;
}

/* The bytes of the record, its end included. */
static size_t csv_length(const char *bytes)
{
    const char *end = NULL;
    (void)csv_fields(bytes, &end);
    return (size_t)(end - bytes);
}

static void csv_rows_have_the_headers_columns(void **state)
{
    (void)state;
    struct model_comparison comparisons[] = {sample_slower(), awkward(), sample_few()};
    struct text text = {0};
    report_csv(&text, comparisons, 3);
    const char *at = text_string(&text);
    size_t columns = csv_fields(at, &at);
    assert_int_equal(columns, 57);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(csv_fields(at, &at), columns);
    }
    assert_int_equal(*at, '\0');
    assert_non_null(strstr(text_string(&text), "\"say \"\"hi\"\", then\nleave\","));
    assert_null(strstr(text_string(&text), "nan"));
    text_release(&text);
}

/* With every optional column the row of a failed benchmark is as long as the others,
 * and its verdict and reason stand in their columns. */
static void csv_failed_rows_fit(void **state)
{
    (void)state;
    for (int asked = 0; asked < 4; asked++) {
        struct model_comparison comparisons[] = {sample_failed(), sample_slower()};
        struct text text = {0};
        comparisons[1].statistic.statistic.kind =
            (asked & 1) != 0 ? MODEL_STATISTIC_MEAN : MODEL_STATISTIC_NONE;
        comparisons[1].test.test =
            (asked & 2) != 0 ? MODEL_TEST_RANKSUM : MODEL_TEST_NONE;
        report_csv(&text, comparisons, 2);
        const char *at = text_string(&text);
        size_t columns = csv_fields(at, &at);
        const char *failed = at;
        assert_int_equal(csv_fields(at, &at), columns);
        assert_int_equal(csv_fields(at, &at), columns);
        assert_int_equal(*at, '\0');
        size_t before = 0; /* commas in front of the verdict, as in the header */
        size_t verdict = 0;
        for (const char *s = failed; strncmp(s, "failed,", 7) != 0; s++) {
            before += *s == ',';
        }
        for (const char *s = text_string(&text); strncmp(s, "verdict,", 8) != 0; s++) {
            verdict += *s == ',';
        }
        assert_int_equal(before, verdict);
        const char *reason = "\"it ended with status 7\nwhy\"\r\n";
        assert_memory_equal(failed + csv_length(failed) - strlen(reason), reason,
                            strlen(reason));
        text_release(&text);
    }
}

/* 17 significant digits bring back the same double. */
static void csv_numbers_survive(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    struct text text = {0};
    c.ratio = 1.0 + 1.0 / 3.0;
    report_csv(&text, &c, 1);
    const char *row = strchr(text_string(&text), '\n') + 1;
    for (int commas = 0; commas < 22; row++) {
        commas += *row == ',';
    }
    assert_true(!(strtod(row, NULL) < c.ratio) && !(strtod(row, NULL) > c.ratio));
    text_release(&text);
}

/* Which is outside of the table, whose cells escape `|`. */
static void markdown_of_a_command_to_try(void **state)
{
    (void)state;
    const struct report_style style = sample_style();
    struct model_comparison c = sample_slower();
    struct text text = {0};
    c.advice.limit = MODEL_LIMIT_SLOW_ITERATIONS;
    (void)snprintf(c.advice.command, sizeof c.advice.command, "duet 'a | b' 'c | d'");
    (void)snprintf(c.side_names[MODEL_NEW], sizeof c.side_names[MODEL_NEW], "c | d");
    report_markdown(&text, &c, 1, &style);
    assert_non_null(strstr(text_string(&text), "\n- Try: `duet 'a | b' 'c | d'`\n"));
    assert_non_null(strstr(text_string(&text), "| `c \\| d` |"));
    text_release(&text);
}

static void markdown_golden(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct text text = {0};
    struct model_comparison c = sample_slower();
    model_comparison_warn(&c, MODEL_WARNING_MACHINE, "SMT | is on <b>");
    report_markdown(&text, &c, 1, &style);
    assert_golden(&text, "single.md");

    struct model_comparison several[] = {c, sample_faster(), sample_same(),
                                         sample_unsure(), awkward()};
    several[1].warnings[0] = c.warnings[0];
    several[1].warning_count = 1;
    model_comparison_warn(&several[2], MODEL_WARNING_DATA, "the times drift");
    several[4].interval.confidence = 0.95;
    style.unit_ns = 1e6;
    report_markdown(&text, several, 5, &style);
    assert_golden(&text, "several.md");
}

/* Where the schedule was chosen for each benchmark, none is told another one's. */
static void markdown_of_several_methods(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct text text = {0};
    struct model_comparison several[] = {sample_slower(), sample_faster(),
                                         sample_same()};
    several[1].schedule = MODEL_SCHEDULE_TIMESLICE;
    (void)snprintf(several[1].metric, sizeof several[1].metric, "cpu_time");
    report_markdown(&text, several, 3, &style);
    assert_non_null(strstr(text_string(&text),
                           "\n- compress and 1 more: 99 % confidence interval by "
                           "Student's t over blocks of two runs; the sides ran at the "
                           "same time, released together.\n"));
    assert_non_null(strstr(text_string(&text),
                           "\n- decompress: 99 % confidence interval by Student's t "
                           "over blocks of two runs; the sides took turns on one CPU. "
                           "CPU time is compared, not elapsed time.\n"));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_golden),
        cmocka_unit_test(csv_rows_have_the_headers_columns),
        cmocka_unit_test(csv_failed_rows_fit),
        cmocka_unit_test(csv_numbers_survive),
        cmocka_unit_test(markdown_of_a_command_to_try),
        cmocka_unit_test(markdown_golden),
        cmocka_unit_test(markdown_of_several_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
