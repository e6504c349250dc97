#include "unit/report/report_samples.h"

#include "report/display.h"

/* What the change is one of, whatever was asked for. */
static void says_what_is_compared(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    c.estimator = MODEL_ESTIMATOR_MEDIAN;
    check_shown(
        &c,
        "\n  of a typical execution (median); 16 runs, both sides at the same time, 99 % confidence\n");
    c.mode = MODEL_MODE_HARNESS;
    check_shown(&c, " a typical iteration (median); ");
    (void)snprintf(c.metric, sizeof c.metric, "cpu_time");
    check_shown(&c, "  of the CPU time of a typical iteration (median); ");
    c.estimator = MODEL_ESTIMATOR_GEOMEAN;
    check_shown(&c, "  of the CPU time of the average iteration (geometric mean); ");
    c.interval.method = MODEL_INTERVAL_ANYTIME; /* a centre of single pairs */
    check_shown(&c, " a typical iteration (median); ");
    c.interval.method = MODEL_INTERVAL_DIFFERENCE;
    check_shown(&c, " the average iteration (mean); ");
    c.statistic.statistic.kind = MODEL_STATISTIC_QUANTILE;
    c.statistic.statistic.probability = 0.99;
    check_shown(&c, " the p99 of all iterations' CPU time; ");
}

static void the_mean_has_its_line_where_it_disagrees(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    c.verdict = MODEL_VERDICT_UNSURE;
    c.doubt = MODEL_DOUBT_MEAN;
    c.mean_change = (struct model_mean_change){1.0712, 1.0511, 1.0913, 0.001, true};
    check_shown(&c, "unsure (the mean says otherwise): ");
    check_shown(&c, "\n  mean: +7.1 %  [+5.1 %, +9.1 %]: some executions changed");
    c.mean_change.disagrees = false;
    check_shown(&c, "unsure (the mean may have changed): ");
    c.doubt = MODEL_DOUBT_TAIL;
    check_shown(&c, "unsure (the slow iterations say otherwise): ");
}

/* What limits an unsure answer, and what to type. */
static void an_unsure_answer_has_advice(void **state)
{
    (void)state;
    struct model_comparison c = sample_unsure();
    check_shown(&c, "\n"
                    "  limited by: noise; seeing 1 % takes about 4 min at this rate\n"
                    "  try: duet --until decided,time=5min 'cat a | wc -l' './b'\n");
    c.advice.limit = MODEL_LIMIT_CPUS;
    c.conditions.cpu_bias = -0.031;
    c.advice.seconds = 30.0;
    check_shown(
        &c,
        "limited by: the CPUs: one is 3.1 % slower than the other; seeing 1 % takes about 30 s");
    c.advice.limit = MODEL_LIMIT_SLOW_ITERATIONS;
    c.advice.seconds = 1e6;
    c.advice.command[0] = '\0';
    check_shown(
        &c,
        "limited by: few slow iterations, in which the sides differ; seeing 1 % takes more than a day");
    check_shown(&c, "  try: duet --until decided,time=5min OLD NEW\n");
    c.advice.options[0] = '\0';
    check_shown(&c, "; seeing 1 % takes more than a day at this rate\n");
    c.advice.seconds = (double)NAN;
    check_shown(
        &c, "\n  limited by: few slow iterations, in which the sides differ; measure "
            "more with the program that wrote the values\n");
}

/* Of a table a line for each limit, with the options where all have the same. */
static void a_table_has_advice_for_each_limit(void **state)
{
    (void)state;
    struct model_comparison all[6];
    struct report_style style = sample_style();
    struct text text = {0};
    style.width = 0;
    for (size_t i = 0; i < 6; i++) {
        all[i] = sample_unsure();
        (void)snprintf(all[i].name, sizeof all[i].name, "%c", (char)('a' + i));
        all[i].advice.seconds = 100.0 + (double)i;
    }
    all[2].advice.limit = MODEL_LIMIT_CPUS;
    all[2].conditions.cpu_bias = -0.031;
    all[3].advice.seconds = (double)NAN;
    report_terminal(&text, all, 6, NULL, &style);
    const char *noise =
        "  limited by: a, b, d and 2 more: noise; seeing 1 % takes up to 105 s at this "
        "rate; try --until decided,time=5min\n"
        "  limited by: c: the CPUs: one is 3.1 % slower than the other; seeing 1 % takes "
        "about 102 s at this rate; try --until decided,time=5min\n";
    if (strstr(text_string(&text), noise) == NULL) {
        fail_msg("no '%s' in:\n%s", noise, text_string(&text));
    }
    text_release(&text);
    all[0].advice.options[0] = 'x';
    report_terminal(&text, all, 6, NULL, &style);
    assert_non_null(strstr(text_string(&text), "up to 105 s at this rate\n"));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_compared),
        cmocka_unit_test(the_mean_has_its_line_where_it_disagrees),
        cmocka_unit_test(an_unsure_answer_has_advice),
        cmocka_unit_test(a_table_has_advice_for_each_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
