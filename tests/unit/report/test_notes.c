#include "unit/report/report_samples.h"

static void assert_shown(const struct model_comparison *comparisons, size_t count,
                         const struct report_style *style, const char *wanted, bool is)
{
    struct text text = {0};
    report_terminal(&text, comparisons, count, NULL, style);
    if ((strstr(text_string(&text), wanted) != NULL) != is) {
        fail_msg("%s '%s' in:\n%s", is ? "no" : "found", wanted, text_string(&text));
    }
    text_release(&text);
}

/* Of many benchmarks a note is one line; -v has each of them. */
static void notes_of_many_benchmarks_are_short(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    struct model_comparison comparisons[COUNT];
    struct report_style style = sample_style();
    for (size_t i = 0; i < COUNT; i++) {
        comparisons[i] = sample_unsure();
        (void)snprintf(comparisons[i].name, sizeof comparisons[i].name, "bench%zu", i);
        comparisons[i].could_have_seen = 0.01 * (double)(i + 1);
        comparisons[i].family =
            (struct model_family){.id = 1,
                                  .size = COUNT,
                                  .multiplicity = MODEL_MULTIPLICITY_HOLM,
                                  .p_adjusted = 0.02 * (double)(i + 1),
                                  .withheld = true};
    }
    style.width = 60; /* so that the table has no room for it */
    assert_shown(comparisons, COUNT, &style, "a change of 1 % to 6 % (6 benchmarks;",
                 true);
    assert_shown(comparisons, 4, &style, "1 % (bench0), 2 % (bench1)", true);
    assert_shown(comparisons, 4, &style,
                 "pairing made the intervals 5.3 times narrower.", true);
    for (size_t i = 0; i < 4; i++) { /* the widths are not those of its interval */
        comparisons[i].statistic.statistic.kind = MODEL_STATISTIC_QUANTILE;
    }
    assert_shown(comparisons, 4, &style, "pairing", false);
    style.verbosity = 2;
    assert_shown(comparisons, 1, &style, "pairing", false);
    style.verbosity = 1;
    for (size_t i = 0; i < 4; i++) {
        comparisons[i].statistic.statistic.kind = MODEL_STATISTIC_NONE;
    }
    comparisons[COUNT - 1].could_have_seen = 54;
    assert_shown(comparisons, COUNT, &style, "a change of 1 %, or nothing below a",
                 true);
    style.width = 0;
    assert_shown(comparisons, COUNT, &style,
                 "; adjusted p 0.02 to 0.12 leaves 6 of them unsure (-v shows each); "
                 "the intervals",
                 true);
    assert_shown(comparisons, 4, &style, "; adjusted p 0.02 (bench0), 0.04 (bench1)",
                 true);
    style.verbosity = 2;
    style.width = 60;
    assert_shown(comparisons, COUNT, &style, "6 benchmarks; -v", false);
}

/* Benchmarks that are estimated alike are named together, and the first three only. */
static void estimates_and_methods_are_said_once(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    struct model_comparison comparisons[COUNT];
    struct report_style style = sample_style();
    for (size_t i = 0; i < COUNT; i++) {
        comparisons[i] = sample_slower();
        (void)snprintf(comparisons[i].name, sizeof comparisons[i].name, "bench%zu", i);
        if (i != 2) {
            (void)snprintf(comparisons[i].metric, sizeof comparisons[i].metric,
                           "cpu_time");
            comparisons[i].schedule = MODEL_SCHEDULE_TIMESLICE;
        }
    }
    style.width = 0;
    assert_shown(comparisons, COUNT, &style,
                 "compared: the CPU time of the average execution (trimmed mean) "
                 "[bench0, bench1, bench3 and 2 more]; the average execution (trimmed "
                 "mean) [bench2]\n",
                 true);
    assert_shown(comparisons, COUNT, &style, "method: bench0 and 4 more: 99 %", true);
    assert_shown(comparisons, COUNT, &style, "method: bench2: 99 %", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_of_many_benchmarks_are_short),
        cmocka_unit_test(estimates_and_methods_are_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
