#include "unit/report/report_samples.h"

#include "report/display.h"
#include "support/alloc_fail.h"

static struct model_comparison warned(void)
{
    struct model_comparison c = sample_slower();
    model_comparison_warn(
        &c, MODEL_WARNING_MACHINE,
        "the hypervisor took %.1f %% of the CPU time away (steal); the pairs absorb it, absolute times do not",
        6.2);
    model_comparison_warn(&c, MODEL_WARNING_DATA,
                          "the times drift; more warm-up (-w) may help");
    model_comparison_warn(&c, MODEL_WARNING_WORKLOAD,
                          "old spends 40 %% in the kernel, new 2 %%");
    return c;
}

static void show(struct text *text, const struct model_comparison *c,
                 const struct report_style *style)
{
    report_terminal(text, c, 1, NULL, style);
}

static void single_benchmark(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison c = warned();
    struct text text = {0};
    style.width = 80;
    show(&text, &c, &style);
    assert_golden(&text, "single_slower.txt");

    style.verbosity = 2;
    show(&text, &c, &style);
    assert_golden(&text, "single_verbose.txt");

    style.verbosity = 1;
    style.color = true;
    show(&text, &c, &style);
    assert_golden(&text, "single_color.txt");
}

static void single_narrow_ascii(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison c = sample_faster();
    struct text text = {0};
    style.unicode = false;
    style.width = 60;
    (void)snprintf(c.side_names[MODEL_OLD], sizeof c.side_names[MODEL_OLD],
                   "/opt/builds/old/bin/décompresseur --threads 1 input.xz");
    show(&text, &c, &style);
    assert_golden(&text, "single_narrow_ascii.txt");
}

static void single_same_and_unsure(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct text text = {0};
    struct model_comparison c = sample_same();
    show(&text, &c, &style);
    c = sample_unsure();
    c.schedule = MODEL_SCHEDULE_TIMESLICE;
    (void)snprintf(c.metric, sizeof c.metric, "cpu_time");
    show(&text, &c, &style);
    assert_golden(&text, "single_same_unsure.txt");
}

static void single_without_interval(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison c = sample_few();
    struct text text = {0};
    style.width = 80;
    show(&text, &c, &style);
    c.interval.low = 0.99;
    c.side_names[MODEL_OLD][0] = '\0';
    c.side_names[MODEL_NEW][0] = '\0';
    show(&text, &c, &style);
    assert_golden(&text, "single_few_runs.txt");
}

static void unpaired_and_percentile(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct text text = {0};
    struct model_comparison c = sample_slower();
    c.schedule = MODEL_SCHEDULE_INTERLEAVED;
    c.interval.method = MODEL_INTERVAL_DIFFERENCE;
    c.interval.unit = MODEL_UNIT_LEVELS;
    c.measured_coverage = (double)NAN;
    c.paired_width = (double)NAN;
    c.shuffled_width = (double)NAN;
    c.runs = 10;
    c.iterations = 1000;
    show(&text, &c, &style);
    c = sample_slower();
    c.interval.method = MODEL_INTERVAL_PERCENTILE;
    c.interval.unit = MODEL_UNIT_RUNS;
    c.measured_coverage = 0.961;
    c.runs = 10;
    c.shuffled_width = 0.0021;
    show(&text, &c, &style);
    c.paired_width = 0.0042;
    show(&text, &c, &style);
    assert_golden(&text, "single_methods.txt");
}

static void fill_table(struct model_comparison comparisons[5],
                       struct model_geomean *geomean)
{
    comparisons[0] = warned();
    comparisons[1] = sample_faster();
    comparisons[2] = sample_same();
    comparisons[3] = sample_unsure();
    comparisons[4] = sample_few();
    /* The machine's warning comes with every comparison and is told once. */
    comparisons[1].warnings[0] = comparisons[0].warnings[0];
    comparisons[1].warning_count = 1;
    *geomean = (struct model_geomean){.count = 5,
                                      .ratio = 0.8412,
                                      .low = 0.8352,
                                      .high = 0.8471,
                                      .confidence = 0.99,
                                      .rule = MODEL_GEOMEAN_INDEPENDENT,
                                      .verdict = MODEL_VERDICT_FASTER,
                                      .same_within = (double)NAN};
}

/* A warning that comes with other figures from others is told once, with their number.
 */
static void machine_warnings_together(void **state)
{
    (void)state;
    struct model_comparison comparisons[5];
    struct model_geomean geomean;
    struct report_style style = sample_style();
    struct text text = {0};
    fill_table(comparisons, &geomean);
    for (int i = 0; i < 5; i++) {
        comparisons[i].warning_count = 0;
        model_comparison_warn(&comparisons[i], MODEL_WARNING_MACHINE,
                              "load %.1f on %d%s", 1.5 * i, 2, i == 4 ? " CPUs" : "");
    }
    report_terminal(&text, comparisons, 5, &geomean, &style);
    const char *first =
        strstr(text_string(&text), "load 0.0 on 2 (3 other benchmarks:");
    assert_non_null(first);
    assert_non_null(strstr(first, "load 6.0 on 2 CPUs\n"));
    assert_null(strstr(text_string(&text), "load 1.5"));
    /* What only one of them has is said of that one. */
    char named[300];
    (void)snprintf(named, sizeof named, "machine: %s: load 6.0 on 2 CPUs\n",
                   comparisons[4].name);
    assert_non_null(strstr(text_string(&text), named));
    assert_null(strstr(text_string(&text), ": load 0.0 on 2: "));
    assert_non_null(strstr(text_string(&text), "machine: load 0.0 on 2 ("));
    text_release(&text);
}

static void table_of_benchmarks(void **state)
{
    (void)state;
    static const size_t widths[] = {0, 120, 100, 80, 60, 40};
    struct model_comparison comparisons[5];
    struct model_geomean geomean;
    struct report_style style = sample_style();
    fill_table(comparisons, &geomean);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct text text = {0};
        char name[64];
        style.width = widths[i];
        report_terminal(&text, comparisons, 5, &geomean, &style);
        (void)snprintf(name, sizeof name, "table_%zu.txt", widths[i]);
        assert_golden(&text, name);
    }
    struct text text = {0};
    style.width = 100;
    style.color = true;
    style.unicode = false;
    style.verbosity = 2;
    report_terminal(&text, comparisons, 5, NULL, &style);
    assert_golden(&text, "table_color_ascii.txt");
}

/* A failed benchmark is a row, wherever it stands, and keeps the notes about the rest.
 */
static void failed_rows(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        size_t failed; /* this one */
    } cases[] = {{1, 0}, {2, 0}, {2, 1}, {5, 0}, {5, 2}, {5, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_comparison comparisons[5];
        struct model_geomean geomean;
        struct report_style style = sample_style();
        struct text text = {0};
        fill_table(comparisons, &geomean);
        comparisons[cases[i].failed] = sample_failed();
        report_terminal(&text, comparisons, cases[i].count, NULL, &style);
        const char *shown = text_string(&text);
        assert_non_null(strstr(shown, "failed: broken: it ended with status 7 why\n"));
        assert_null(strstr(shown, "nan"));
        assert_true(cases[i].count == 1 ||
                    (strstr(shown, "method: 99 % confidence") != NULL &&
                     strstr(shown, "99 % interval") != NULL));
        text_release(&text);
        style.verbosity = 0;
        report_terminal(&text, comparisons, cases[i].count, NULL, &style);
        assert_non_null(
            strstr(text_string(&text), "broken: failed: it ended with status 7 why\n"));
        text_release(&text);
        report_markdown(&text, comparisons, cases[i].count, &style);
        assert_non_null(strstr(text_string(&text),
                               "- **failed**: broken: it ended with status 7 why\n"));
        text_release(&text);
    }
}

static void quiet_is_one_line_a_benchmark(void **state)
{
    (void)state;
    struct model_comparison comparisons[5];
    struct model_geomean geomean;
    struct report_style style = sample_style();
    struct text text = {0};
    fill_table(comparisons, &geomean);
    style.verbosity = 0;
    report_terminal(&text, comparisons, 5, &geomean, &style);
    assert_golden(&text, "quiet.txt");
}

static void nothing_to_show(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct text text = {0};
    report_terminal(&text, NULL, 0, NULL, &style);
    report_markdown(&text, NULL, 0, &style);
    assert_string_equal(text_string(&text), "");
    text_release(&text);
}

/* Only red and green are colours; they stand for worse and better. */
static void colour_means_worse_or_better(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison neutral[] = {sample_same(), sample_unsure(), sample_few()};
    struct text text = {0};
    style.color = true;
    report_terminal(&text, neutral, 3, NULL, &style);
    for (size_t i = 0; i < 3; i++) {
        show(&text, &neutral[i], &style);
    }
    assert_null(strstr(text_string(&text), "\033[1;3"));
    assert_null(strstr(text_string(&text), "\033[3"));
    text_release(&text);
    style.color = false;
    struct model_comparison c = warned();
    show(&text, &c, &style);
    assert_null(strchr(text_string(&text), '\033'));
    text_release(&text);
}

/* No line of a single benchmark or of the notes is wider than the terminal. */
static void lines_keep_to_the_width(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison all[] = {warned(), sample_faster(), sample_same(),
                                     sample_unsure(), sample_few()};
    style.verbosity = 2;
    for (size_t width = 60; width < 140; width++) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            struct text text = {0};
            style.width = width;
            show(&text, &all[i], &style);
            char *rest = NULL;
            char *bytes = text_take(&text);
            assert_non_null(bytes);
            for (char *line = strtok_r(bytes, "\n", &rest); line != NULL;
                 line = strtok_r(NULL, "\n", &rest)) {
                assert_in_range(display_columns(line), 1, width);
            }
            free(bytes);
        }
    }
}

static void names_cannot_control_the_terminal(void **state)
{
    (void)state;
    struct report_style style = sample_style();
    struct model_comparison c = sample_slower();
    struct text text = {0};
    (void)snprintf(c.name, sizeof c.name, "evil\033[2J\xFF\nname");
    (void)snprintf(c.side_names[MODEL_NEW], sizeof c.side_names[MODEL_NEW],
                   "\x9B"
                   "31m\u202Eabc");
    model_comparison_warn(&c, MODEL_WARNING_DATA, "stderr said \033]0;title\007");
    show(&text, &c, &style);
    report_terminal(&text, &c, 1, NULL,
                    &(struct report_style){.verbosity = 0, .unicode = true});
    struct model_comparison two[] = {c, c};
    report_terminal(&text, two, 2, NULL, &style);
    report_markdown(&text, two, 2, &style);
    for (const char *s = text_string(&text); *s != '\0'; s++) {
        assert_true((unsigned char)*s >= 0x20 || *s == '\n');
    }
    assert_null(strstr(text_string(&text), "\u202E"));
    assert_null(strchr(text_string(&text), '\xFF'));
    text_release(&text);
}

/* Of few values: words in place of figures that mean nothing. */
static void few_values_have_no_figures(void **state)
{
    (void)state;
    struct model_comparison c = sample_unsure();
    c.interval.low = 0.02;
    c.interval.high = 400;
    c.could_have_seen = 54;
    check_shown(&c, "\nunsure: 0 %  [below half, above double]\n");
    check_shown(&c, "  could have seen: nothing below a doubling; measure longer");
    c.interval.low = 0.9;
    check_shown(&c, "\nunsure: 0 %  at least -10 %\n");
    c.ratio = 13052016820.40;
    check_shown(&c, "\nunsure: more than +9999 % (above ×100000)  at least -10 %\n");
    c.interval.low = 200;
    check_shown(&c, " (above ×100000)  more than +9999 %\n");
    struct model_comparison two[] = {sample_same(), c};
    struct report_style style = sample_style();
    struct text text = {0};
    style.width = 80;
    report_terminal(&text, two, 2, NULL, &style);
    assert_non_null(
        strstr(text_string(&text), "a change of 0.4 % (hash), nothing below a"));
    assert_non_null(strstr(text_string(&text), "; measure longer (--runs,"));
    text_release(&text);
    report_markdown(&text, &c, 1, &style);
    assert_non_null(strstr(text_string(&text), "| above 100000 |"));
    text_release(&text);
}

/* What many benchmarks have in common is said once. */
static void many_benchmarks_are_brief(void **state)
{
    (void)state;
    enum { MANY = 40 };
    static struct model_comparison all[MANY];
    struct report_style style = sample_style();
    struct text text = {0};
    for (int i = 0; i < MANY; i++) {
        all[i] = sample_slower();
        (void)snprintf(all[i].name, sizeof all[i].name, "b%d", i);
        all[i].family = (struct model_family){.size = MANY,
                                              .multiplicity = MODEL_MULTIPLICITY_HOLM,
                                              .p_adjusted = 0.001 * (i + 1)};
        if (i % 2 == 0) {
            model_comparison_warn(&all[i], MODEL_WARNING_WORKLOAD,
                                  "old uses %d %% of its time", i);
        }
    }
    all[7].verdict = MODEL_VERDICT_UNSURE;
    all[7].family.withheld = true;
    report_terminal(&text, all, MANY, NULL, &style);
    const char *shown = text_string(&text);
    assert_non_null(strstr(shown, "Holm's rule; adjusted p 0.008 (b7); the intervals"));
    assert_non_null(strstr(
        shown,
        "  workload: b0: old uses 0 % of its time (likewise: b2, b4, b6 and 16 more)\n"));
    assert_null(strstr(shown, "b8: old"));
    text_release(&text);
    style.verbosity = 2;
    report_terminal(&text, all, MANY, NULL, &style);
    const char *header = strstr(text_string(&text), "  runs  adjusted p\n");
    assert_non_null(header);
    assert_non_null(strstr(header, "    16        0.04\n"));
    text_release(&text);
    style.verbosity = 1;
    report_markdown(&text, all, MANY, &style);
    assert_non_null(strstr(text_string(&text), "(likewise: b2, b4, b6 and 16 more)"));
    assert_null(strstr(text_string(&text), "b8: old"));
    text_release(&text);
}

/* No line of a table, whatever is in it. */
static void tables_keep_to_the_width(void **state)
{
    (void)state;
    struct model_comparison all[5];
    struct model_geomean geomean;
    struct report_style style = sample_style();
    for (size_t width = 60; width < 140; width++) {
        for (int round = 0; round < 2; round++) {
            struct text text = {0};
            fill_table(all, &geomean);
            if (round == 1) {
                all[3].interval.low = 0.02;
                all[3].interval.high = 400;
                all[3].could_have_seen = 54;
                all[1].ratio = 1305201682040;
                all[4] = sample_failed();
            }
            style.width = width;
            report_terminal(&text, all, 5, &geomean, &style);
            char *rest = NULL;
            char *bytes = text_take(&text);
            assert_non_null(bytes);
            for (char *line = strtok_r(bytes, "\n", &rest); line != NULL;
                 line = strtok_r(NULL, "\n", &rest)) {
                if (display_columns(line) > width) {
                    fail_msg("more than %zu columns: %s", width, line);
                }
            }
            free(bytes);
        }
    }
}

/* Every n-th allocation failing: the text says so, and nothing leaks or crashes. */
static void allocation_failures_are_reported(void **state)
{
    (void)state;
    struct model_comparison comparisons[5];
    struct model_geomean geomean;
    struct report_style style = sample_style();
    fill_table(comparisons, &geomean);
    style.verbosity = 2;
    style.width = 100;
    for (size_t count = 1; count <= 5; count += 4) {
        struct text text = {0};
        alloc_fail_at(0);
        report_terminal(&text, comparisons, count, &geomean, &style);
        report_markdown(&text, comparisons, count, &style);
        report_csv(&text, comparisons, count);
        unsigned long total = alloc_fail_seen();
        assert_false(text_failed(&text));
        text_release(&text);
        for (unsigned long n = 1; n <= total; n++) {
            alloc_fail_at(n);
            report_terminal(&text, comparisons, count, &geomean, &style);
            report_markdown(&text, comparisons, count, &style);
            report_csv(&text, comparisons, count);
            alloc_fail_at(0);
            if (!text_failed(&text)) {
                fail_msg("allocation %lu of %lu failed unnoticed", n, total);
            }
            text_release(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_benchmark),
        cmocka_unit_test(single_narrow_ascii),
        cmocka_unit_test(single_same_and_unsure),
        cmocka_unit_test(single_without_interval),
        cmocka_unit_test(unpaired_and_percentile),
        cmocka_unit_test(machine_warnings_together),
        cmocka_unit_test(table_of_benchmarks),
        cmocka_unit_test(failed_rows),
        cmocka_unit_test(quiet_is_one_line_a_benchmark),
        cmocka_unit_test(nothing_to_show),
        cmocka_unit_test(colour_means_worse_or_better),
        cmocka_unit_test(lines_keep_to_the_width),
        cmocka_unit_test(names_cannot_control_the_terminal),
        cmocka_unit_test(few_values_have_no_figures),
        cmocka_unit_test(many_benchmarks_are_brief),
        cmocka_unit_test(tables_keep_to_the_width),
        cmocka_unit_test(allocation_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
