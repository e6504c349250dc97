/* Lists of stop rules, results and errors; rules that end a measurement. */
// link: duet_session
#include "session/stop_option.h"

#include "session/comparison/stopping.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static void rules_have_names(void **state)
{
    (void)state;
    bool rules[ANALYSIS_STOP_RULES];
    struct duet_error error = {0};
    memset(rules, true, sizeof rules);
    assert_int_equal(stop_option_rules("steady,metior", rules, &error), DUET_OK);
    size_t chosen = 0;
    for (size_t i = 0; i < ANALYSIS_STOP_RULES; i++) {
        chosen += rules[i];
    }
    assert_int_equal(chosen, 2);
    assert_true(rules[ANALYSIS_STOP_METIOR] && rules[ANALYSIS_STOP_STEADY]);
    assert_int_equal(stop_option_rules("cov,", rules, &error), DUET_E_USAGE);
    assert_true(rules[ANALYSIS_STOP_METIOR] && !rules[ANALYSIS_STOP_COV]);
    assert_non_null(strstr(error.message, "--rules : expected metior"));
}

static void statistics_are_the_mean_and_percentiles(void **state)
{
    static const char *const wrong[] = {"p0", "p100", "p", "q90", "median", "p9x"};
    (void)state;
    struct stats_statistic found[2];
    struct duet_error error = {0};
    size_t count = 0;
    assert_int_equal(stop_option_statistics("mean,p99.9", found, 2, &count, &error),
                     DUET_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].kind, STATS_STATISTIC_MEAN);
    assert_int_equal(found[1].kind, STATS_STATISTIC_QUANTILE);
    assert_true(fabs(found[1].fraction - 0.999) < 1e-12);
    assert_int_equal(stop_option_statistics("mean,p1,p2", found, 2, &count, &error),
                     DUET_E_USAGE);
    assert_non_null(strstr(error.message, "up to 2"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(stop_option_statistics(wrong[i], found, 2, &count, &error),
                         DUET_E_USAGE);
        assert_non_null(strstr(error.message, wrong[i]));
    }
    assert_int_equal(count, 2);
}

static void errors_are_shares(void **state)
{
    (void)state;
    double errors[ANALYSIS_STOP_ERRORS_MAX];
    struct duet_error error = {0};
    size_t count = 0;
    assert_int_equal(stop_option_errors("3%,0.05", errors, &count, &error), DUET_OK);
    assert_int_equal(count, 2);
    assert_true(fabs(errors[0] - 0.03) < 1e-12 && errors[1] == 0.05);
    assert_int_equal(stop_option_errors("3%,100%", errors, &count, &error),
                     DUET_E_USAGE);
    assert_non_null(strstr(error.message, "between 0 and 1"));
    assert_int_equal(stop_option_errors("0", errors, &count, &error), DUET_E_USAGE);
    assert_int_equal(stop_option_errors("", errors, &count, &error), DUET_E_USAGE);
    char many[3 * ANALYSIS_STOP_ERRORS_MAX + 3];
    for (size_t i = 0; i <= ANALYSIS_STOP_ERRORS_MAX; i++) {
        memcpy(many + 3 * i, "1%,", 3);
    }
    many[sizeof many - 1] = '\0';
    assert_int_equal(stop_option_errors(many, errors, &count, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "takes up to"));
    assert_int_equal(count, 2);
}

static void a_measurement_ends_by_several_rules(void **state)
{
    (void)state;
    struct model_plan plan = {0};
    struct duet_error error = {0};
    assert_int_equal(
        stopping_parse("precision=0.5%,runs=30,time=1500ms", &plan, &error), DUET_OK);
    assert_int_equal(plan.until, MODEL_UNTIL_PRECISION);
    assert_int_equal(plan.runs, 30);
    assert_int_equal(plan.budget_ns, 1500000000);
    assert_true(plan.budget_given && fabs(plan.precision_ratio - 0.005) < 1e-12);
    assert_int_equal(stopping_parse("decided", &plan, &error), DUET_OK);
    assert_int_equal(plan.until, MODEL_UNTIL_DECIDED);
    assert_int_equal(stopping_parse("decided,", &plan, &error), DUET_E_USAGE);
    assert_int_equal(stopping_parse("precision=0", &plan, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "above 0"));
    assert_int_equal(stopping_parse("time=0", &plan, &error), DUET_E_USAGE);
    assert_string_equal(error.message, "--until time=0: it must be above 0");
    assert_int_equal(plan.budget_ns, 1500000000);
    /* the second one would be obeyed, whichever holds first */
    assert_int_equal(stopping_parse("runs=4,runs=6", &plan, &error), DUET_E_USAGE);
    assert_int_equal(stopping_parse("time=1s,runs=2,time=2s", &plan, &error),
                     DUET_E_USAGE);
    assert_int_equal(stopping_parse("decided,precision=1%", &plan, &error),
                     DUET_E_USAGE);
    alloc_fail_at(1);
    assert_int_equal(stopping_parse("decided", &plan, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
}

static void an_interval_is_enough_or_not(void **state)
{
    static const struct {
        double low, high;
        bool by_one, by_limit, by_width;
    } cases[] = {
        {1.01, 1.50, true, false, false},
        {1.11, 1.30, true, true, true},
        {0.50, 0.90, true, true, false},
        {0.97, 1.03, true, true, true}, /* the same */
        {0.90, 1.05, false, true, true},
        {0.90, 1.50, false, false, false},
        {1.20, (double)NAN, true, true, false}, /* an open end */
    };
    (void)state;
    struct stopping one = {MODEL_UNTIL_DECIDED, 0.0, 0.05, (double)NAN, 0, false};
    struct stopping limit = {MODEL_UNTIL_DECIDED, 0.0, (double)NAN, 0.1, 0, false};
    struct stopping width = {MODEL_UNTIL_PRECISION, 0.1, (double)NAN,
                             (double)NAN,           0,   false};
    struct stopping never = {MODEL_UNTIL_FIXED, 9.0, 9.0, 9.0, 0, false};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_interval interval = {.low = cases[i].low, .high = cases[i].high};
        assert_int_equal(stopping_satisfied(&one, &interval), cases[i].by_one);
        assert_int_equal(stopping_satisfied(&limit, &interval), cases[i].by_limit);
        assert_int_equal(stopping_satisfied(&width, &interval), cases[i].by_width);
        assert_false(stopping_satisfied(&never, &interval));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_names),
        cmocka_unit_test(statistics_are_the_mean_and_percentiles),
        cmocka_unit_test(errors_are_shares),
        cmocka_unit_test(a_measurement_ends_by_several_rules),
        cmocka_unit_test(an_interval_is_enough_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
